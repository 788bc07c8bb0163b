"""What the library says to those who write Python, in the words of those who type."""

import re

WORDS = {
    r"^path='([^']*)'": r"\1",
    r"resume=False": "--restart",
    r"Use as_relation\(X, symmetrize='mean'\), 'min' or 'max' to say what is meant;.*": (
        "Use --symmetrize mean, min or max to say what is meant."
    ),
    r"(?:silence this|yourself), or use as_relation\(\w+, similarities='refuse'\)": "silence this",
    r"similarities=['\"]convert['\"]": "--similarities convert",
    r"\b(header|ids)=True": r"--\1",
    r"\b(header|ids)=False": r"--no-\1",
    r"\b(decimal|encoding|triangle|delimiter)=['\"]([^'\"]*)['\"]": r"--\1 '\2'",
    r"\bdelimiter=": "--delimiter ",
    r"\bgraph=True": "--graph",
    r"\bProximalMDS\b": "--method proximal",
    r"\bNearestEuclideanMDS\b": "--method euclidean",
    r"\blabels_(header)=True": r"--labels-\1",
    r"\blabels_(header)=False": r"--no-labels-\1",
    r"\blabels_(encoding|delimiter)=['\"]?([^'\" ;.]*)['\"]?": r"--labels-\1 \2",
    r"\bkey=": "--key ",
    r"\bcolumn=": "--column",
    r"\b(disconnected|directed|duplicates|zeros|weights|distance)='(\w+)'": (
        r"--graph-option \1=\2"
    ),
    r"\bexponent=(\d)": r"--exponent \1",
    r"\bn_(prototypes|support|components|clusters|sample)\b": r"--\1",
    r"X was not symmetric: symmetrize='(\w+)'": r"not symmetric: --symmetrize \1",
    r"as_relation\(D, symmetrize='mean'\), 'min' or 'max'": "--symmetrize mean, min or max",
    r"as_relation\(D\), which takes": "--similarities convert, which takes",
    r"; if X holds feature vectors, use metric='euclidean'": (
        "; of feature vectors, relrbf relate makes a matrix"
    ),
    r"relrbf\.model_selection\.train_test_split\(D, groups=\.\.\.\)": (
        "train_test_split of relrbf.model_selection"
    ),
    r"so that relrbf\.save did not write it": "so that relrbf fit did not write it",
    r"relation_report_ says more": "relrbf inspect says more",
    r"relrbf\.repair\.nearest_metric(\(D\))?": "relrbf repair",
    r"relrbf\.repair\.spectrum_(clip|flip|shift)(\(D\))?": r"relrbf repair --to \1",
    r"relrbf\.embeddings": "relrbf embed",
}


def command_words(text: str) -> str:
    """Return a text with flags instead of keywords, and commands instead of functions."""
    for pattern, words in WORDS.items():
        text = re.sub(pattern, words, text)
    return text
