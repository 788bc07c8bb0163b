"""``relrbf show``: what a model is."""

from argparse import Namespace
from typing import Any

from sklearn.base import is_classifier

from relrbf import RBFNetworkClassifier, RBFNetworkRegressor, load
from relrbf.cli.errors import CommandError
from relrbf.cli.places import check_output
from relrbf.cli.predict import is_pairwise
from relrbf.cli.reading import names_of
from relrbf.cli.screen import Screen
from relrbf.io import save_rows

SHOWN, NEAREST = 5, 3  # names of what is needed, and of what is near a prototype


def run(options: Namespace, screen: Screen) -> None:
    """Print what a model is; write what it needs."""
    check_output(options.needed, ".csv", ".tsv")
    model = load(options.model)
    kind = type(model).__name__
    if not isinstance(model, RBFNetworkClassifier | RBFNetworkRegressor):
        raise CommandError(f"{options.model} is a {kind}; only networks are shown.")
    needed = _needed(model)
    screen.say(f"{options.model}: {kind}, {len(model.prototypes_)} prototypes")
    if is_classifier(model):
        screen.say(f"  classes: {', '.join(map(str, model.classes_))}")
    screen.note_exponent(options.model, model.exponent_)
    _say_needed(model, needed, screen)
    screen.say(f"\nprototypes, and the objects nearest to them\n{_prototypes(model)}")
    screen.say(f"\nwhat was chosen\n{model.explain_choices()}")
    screen.tell(model=options.model, kind=kind, n_prototypes=len(model.prototypes_))
    screen.tell(classes=getattr(model, "classes_", None), exponent=model.exponent_, needed=needed)
    screen.tell(choices=model.explain_choices(), nearest=_nearest(model))
    if options.needed is not None:
        save_rows(options.needed, ["id"], [[name] for name in needed])
        screen.say(f"\n{options.needed}: {len(needed):,} objects")


def _needed(model: Any) -> list[str]:
    """Return the names of the columns without which there is no prediction."""
    if is_pairwise(model):
        names = names_of(model.ids_, model.n_features_in_)
        return [names[place] for place in model.support_]
    return names_of(getattr(model, "feature_names_in_", None), model.n_features_in_)


def _say_needed(model: Any, needed: list[str], screen: Screen) -> None:
    more = ", ..." if len(needed) > SHOWN else ""
    what = "dissimilarities to" if is_pairwise(model) else "the features"
    screen.say(f"  a prediction needs {what} {', '.join(needed[:SHOWN])}{more} ({len(needed):,})")


def _nearest(model: Any) -> list[list[str]]:
    return [[str(name) for name in names] for names in model.prototypes_.nearest(NEAREST)]


def _prototypes(model: Any) -> str:
    nearest = enumerate(_nearest(model), start=1)
    return "\n".join(f"{number:4}  {', '.join(names)}" for number, names in nearest)
