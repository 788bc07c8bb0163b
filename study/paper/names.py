"""What the paper calls its data sets and scalings."""

from study.sets import ORIGINAL

HG, PC, BY_GENES = "HG-194", "PC-102", "-genes"
SCALINGS = {
    "classical": "CMDS",
    "proximal": "PMDS",
    "landmark": "LMDS",
    "nearest-euclidean": "nearest Euclidean",
    "metric-learning": "metric learning",
}
DRAWN = ORIGINAL, "classical", "proximal"  # the rows of figures 3.1 and 3.2
