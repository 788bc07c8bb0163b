"""``relrbf show``: what a model is."""

from pathlib import Path
from typing import Any

from typer import Option

import relrbf
from relrbf.cli.command import CommandError, check_output, command
from relrbf.cli.console import Console
from relrbf.cli.inputs import is_pairwise, object_names
from relrbf.cli.options import Model

N_NEEDED_SHOWN = 5
N_NEAREST_SHOWN = 3


@command("relrbf show model.relrbf", "relrbf show model.relrbf --needed needed.csv")
def show(
    console: Console,
    model: Model,
    needed: Path | None = Option(None, metavar="FILE", help="Write what a prediction needs."),
) -> None:
    """Describe a model: its classes, its prototypes, and what a prediction needs."""
    check_output(needed, ".csv", ".tsv")
    network = relrbf.load(model)
    kind = type(network).__name__
    if not isinstance(network, relrbf.RBFNetworkClassifier | relrbf.RBFNetworkRegressor):
        raise CommandError(f"{model} is a {kind}; only networks are shown.")
    columns = _needed_columns(network)
    nearest = [list(map(str, names)) for names in network.prototypes_.nearest(N_NEAREST_SHOWN)]
    console.print(f"{model}: {kind}, {len(nearest)} prototypes")
    classes = getattr(network, "classes_", None)
    if classes is not None:
        console.print(f"  classes: {', '.join(map(str, classes))}")
    console.note_exponent(model, network.exponent_)
    what = "dissimilarities to" if is_pairwise(network) else "the features"
    some = ", ".join([*columns[:N_NEEDED_SHOWN], *["..."] * (len(columns) > N_NEEDED_SHOWN)])
    console.print(f"  a prediction needs {what} {some} ({len(columns):,})")
    console.print("\nprototypes, and the objects nearest to them")
    for number, names in enumerate(nearest, start=1):
        console.print(f"{number:4}  {', '.join(names)}")
    choices = network.explain_choices()
    console.print(f"\nwhat was chosen\n{choices}")
    console.record(model=model, kind=kind, n_prototypes=len(nearest), classes=classes)
    console.record(exponent=network.exponent_, needed=columns, choices=choices, nearest=nearest)
    if needed is not None:
        relrbf.io.save_rows(needed, ["id"], [[name] for name in columns])
        console.print(f"\n{needed}: {len(columns):,} objects")


def _needed_columns(network: Any) -> list[str]:
    """Return the names of the columns without which there is no prediction."""
    if not is_pairwise(network):
        return object_names(getattr(network, "feature_names_in_", None), network.n_features_in_)
    names = object_names(network.ids_, network.n_features_in_)
    return [names[position] for position in network.support_]
