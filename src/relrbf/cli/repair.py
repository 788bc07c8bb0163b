"""``relrbf repair``: the nearest matrix that obeys what this one breaks."""

from argparse import Namespace

from relrbf import repair
from relrbf.cli.new import check_new, read_new
from relrbf.cli.places import check_output
from relrbf.cli.reading import read_relation
from relrbf.cli.screen import Screen
from relrbf.cli.ticker import Ticker
from relrbf.io import save_matrix
from relrbf.relations.base import Relation

MATRICES = (".csv", ".tsv", ".npy")
SPECTRAL = {
    "clip": repair.spectrum_clip,
    "flip": repair.spectrum_flip,
    "shift": repair.spectrum_shift,
}


def run(options: Namespace, screen: Screen) -> None:
    """Mend the matrix, write it, say how much was changed."""
    check_output(options.output, *MATRICES)
    check_new(options, *MATRICES)
    relation = read_relation(options.matrix, options, screen)
    with screen.working("mending") as ticker:
        mended = _mend(relation, options, ticker)
    with screen.working(f"writing {options.output}"):
        save_matrix(options.output, mended.matrix, relation.ids, relation.ids)
    n = relation.n_objects
    screen.say(f"{options.output}: {mended.n_changed:,} of {n * (n - 1) // 2:,} pairs changed")
    screen.say(f"  in all by {mended.distance:.6g}\n  {mended.status.value}")
    screen.tell(matrix=options.output, n_objects=n, n_changed=mended.n_changed)
    screen.tell(distance=mended.distance, status=mended.status, gap=mended.gap)
    if options.new is not None:
        new = read_new(relation, options, screen)
        save_matrix(options.new_output, mended.extend(new.values), new.row_ids, relation.ids)
        screen.say(f"{options.new_output}: {new.shape[0]:,} new objects")


def _mend(relation: Relation, options: Namespace, ticker: Ticker) -> repair.Repair:
    if options.to == "metric":
        return repair.nearest_metric(relation, options.norm, progress=ticker.count)
    exponent = int(options.exponent)
    if options.to == "euclidean":
        return repair.nearest_euclidean(
            relation, options.norm, exponent=exponent, progress=ticker.count
        )
    return SPECTRAL[options.to](relation, exponent=exponent)
