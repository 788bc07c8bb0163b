"""``relrbf show``: what a model is."""

from pathlib import Path
from typing import Annotated, Any

from typer import Option

from relrbf.cli.command import CommandError, check_output, command
from relrbf.cli.console import Console
from relrbf.cli.options import Model

N_NEEDED_SHOWN = 5
N_NEAREST_SHOWN = 3


@command("relrbf show model.relrbf", "relrbf show model.relrbf --needed needed.csv")
def show(
    console: Console,
    model: Model,
    needed: Annotated[
        Path | None, Option(metavar="FILE", help="Write the objects that a prediction needs.")
    ] = None,
) -> None:
    """Describe a model: its classes, its prototypes, and what a prediction needs."""
    from relrbf import RBFNetworkClassifier, RBFNetworkRegressor, load
    from relrbf.cli.predict import is_pairwise
    from relrbf.io import save_rows

    check_output(needed, ".csv", ".tsv")
    network, path = load(model), model
    kind = type(network).__name__
    if not isinstance(network, RBFNetworkClassifier | RBFNetworkRegressor):
        raise CommandError(f"{path} is a {kind}; only networks are shown.")
    columns = _needed_columns(network)
    nearest = [list(map(str, names)) for names in network.prototypes_.nearest(N_NEAREST_SHOWN)]
    console.print(f"{path}: {kind}, {len(nearest)} prototypes")
    classes = getattr(network, "classes_", None)
    if classes is not None:
        console.print(f"  classes: {', '.join(map(str, classes))}")
    console.note_exponent(path, network.exponent_)
    what = "dissimilarities to" if is_pairwise(network) else "the features"
    some = ", ".join([*columns[:N_NEEDED_SHOWN], *["..."] * (len(columns) > N_NEEDED_SHOWN)])
    console.print(f"  a prediction needs {what} {some} ({len(columns):,})")
    console.print("\nprototypes, and the objects nearest to them")
    for number, names in enumerate(nearest, start=1):
        console.print(f"{number:4}  {', '.join(names)}")
    choices = network.explain_choices()
    console.print(f"\nwhat was chosen\n{choices}")
    console.record(model=path, kind=kind, n_prototypes=len(nearest), classes=classes)
    console.record(exponent=network.exponent_, needed=columns, choices=choices, nearest=nearest)
    if needed is not None:
        save_rows(needed, ["id"], [[name] for name in columns])
        console.print(f"\n{needed}: {len(columns):,} objects")


def _needed_columns(network: Any) -> list[str]:
    """Return the names of the columns without which there is no prediction."""
    from relrbf.cli.inputs import object_names
    from relrbf.cli.predict import is_pairwise

    if is_pairwise(network):
        names = object_names(network.ids_, network.n_features_in_)
        return [names[position] for position in network.support_]
    return object_names(getattr(network, "feature_names_in_", None), network.n_features_in_)
