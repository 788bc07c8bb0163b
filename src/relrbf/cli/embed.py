"""``relrbf embed``: vectors for the objects of a matrix."""

from argparse import Namespace
from pathlib import Path
from typing import Any

from relrbf import embeddings
from relrbf.cli.new import check_new, read_new
from relrbf.cli.places import check_output
from relrbf.cli.reading import exponent_of, read_relation
from relrbf.cli.screen import Screen
from relrbf.io import save_matrix

COORDINATES = (".csv", ".tsv", ".npy")
METHODS: dict[str, Any] = {
    "classical": embeddings.ClassicalMDS,
    "proximal": embeddings.ProximalMDS,
    "landmark": embeddings.LandmarkMDS,
    "euclidean": embeddings.NearestEuclideanMDS,
    "metric-learning": embeddings.MetricLearningMDS,
}


def run(options: Namespace, screen: Screen) -> None:
    """Embed the objects, write their coordinates."""
    check_output(options.output, *COORDINATES)
    check_new(options, *COORDINATES)
    relation = read_relation(options.matrix, options, screen)
    mds = METHODS[options.method](options.components, exponent=exponent_of(options))
    if options.method == "landmark":
        mds.set_params(random_state=options.seed)
    with screen.working("embedding"):
        Z = mds.fit_transform(relation)
    screen.note_exponent(options.matrix, mds.exponent_)
    _save(options.output, Z, relation.ids)
    screen.say(f"{options.output}: {len(Z)} objects, {Z.shape[1]} coordinates")
    screen.tell(coordinates=options.output, n_objects=len(Z), n_components=Z.shape[1])
    screen.tell(exponent=mds.exponent_, eigenvalues=mds.eigenvalues_)
    if options.new is not None:
        new = read_new(relation, options, screen)
        _save(options.new_output, mds.transform(new.values), new.row_ids)
        screen.say(f"{options.new_output}: {new.shape[0]:,} new objects")


def _save(path: Path, Z: Any, ids: Any) -> None:
    save_matrix(path, Z, ids, [f"z{k}" for k in range(1, Z.shape[1] + 1)])
