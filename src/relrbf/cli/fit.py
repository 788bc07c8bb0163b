"""``relrbf fit``: a model from a matrix and labels."""

import shlex
import sys
from argparse import Namespace
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from relrbf import RBFNetworkClassifier, RBFNetworkRegressor, save
from relrbf.cli.again import loading_lines
from relrbf.cli.errors import CommandError
from relrbf.cli.judging import judge
from relrbf.cli.places import check_output
from relrbf.cli.reading import exponent_of, in_order, read_labels, read_relation
from relrbf.cli.screen import Screen
from relrbf.cli.targets import as_targets, without_unlabelled
from relrbf.exceptions import RelationError
from relrbf.relations.base import Relation

FEW = 500  # objects of which a part is trained sooner than a process starts


def run(options: Namespace, screen: Screen) -> None:
    """Read both files, train, write the model, say how good it is, write the page."""
    check_output(options.output)
    check_output(options.report, ".html", ".htm")
    if options.report is not None and options.folds == 0:
        raise CommandError("--report is about objects held out; leave --folds 0 away.")
    relation, y = _read(options, screen)
    if options.jobs is None:
        options.jobs = 1 if relation.n_objects < FEW else -1
    model = make_model(options, y)
    with screen.working(f"training on {relation.n_objects:,} objects"):
        model.fit(relation, y)
    save(model, options.output)
    _say(model, y, options, screen)
    if options.report is None:
        judge(model, relation, y, options, screen)
    else:
        _write_report(model, relation, y, options, screen)
    screen.say(f"\nwhat was chosen\n{model.explain_choices()}")


def make_model(options: Namespace, y: np.ndarray) -> Any:
    """Return the estimator that the options describe."""
    asked = {
        "exponent": exponent_of(options),
        "kernel": options.kernel,
        "random_state": options.seed,
        "n_jobs": options.jobs,
    }
    given = {
        "n_prototypes": options.prototypes,
        "alpha": options.alpha,
        "n_support": options.support,
    }
    asked |= {name: value for name, value in given.items() if value is not None}
    if y.dtype.kind == "f":
        if options.balanced:
            raise CommandError("--balanced is about classes; these labels are numbers.")
        return RBFNetworkRegressor(**asked)
    return RBFNetworkClassifier(class_weight="balanced" if options.balanced else None, **asked)


def _read(options: Namespace, screen: Screen) -> tuple[Relation, np.ndarray]:
    """Return the relation among the objects with a label, and their labels."""
    labels = read_labels(options.labels, options)
    relation = read_relation(options.matrix, options, screen)
    if options.unlabelled == "drop":
        relation = without_unlabelled(relation, labels, screen)
    try:
        given = in_order(labels, relation.ids, relation.n_objects, screen)
    except RelationError as error:
        advice = " --unlabelled drop leaves them out." if "has no label for" in str(error) else ""
        raise CommandError(f"{error}{advice}") from error
    return relation, as_targets(given, options.task, screen)


def _say(model: Any, y: np.ndarray, options: Namespace, screen: Screen) -> None:
    n, c, m = len(y), len(model.prototypes_), len(model.support_)
    size = options.output.stat().st_size
    screen.say(f"{options.output}: {c} prototypes on {m:,} of {n:,} objects, {size / 1e3:,.0f} kB")
    screen.note_exponent(options.matrix, model.exponent_)
    screen.tell(model=options.output, n_objects=n, n_prototypes=c, n_support=m, bytes=size)
    screen.tell(exponent=model.exponent_, alpha=model.alpha_, n_iter=model.n_iter_)
    screen.tell(status=model.status_, choices=model.explain_choices())
    if is_classifier(model):
        classes, counts = np.unique(y, return_counts=True)
        screen.say(
            "  classes: " + ", ".join(f"{k} ({v})" for k, v in zip(classes, counts, strict=True))
        )
        screen.tell(classes=classes)


def _write_report(
    model: Any, relation: Relation, y: np.ndarray, options: Namespace, screen: Screen
) -> None:
    from relrbf.report import write_fit_report

    with screen.working("writing the report") as ticker:
        summary = write_fit_report(
            options.report,
            model,
            relation,
            y,
            command=shlex.join(["relrbf", *sys.argv[1:]]),
            loading=loading_lines(options, has_classes=is_classifier(model)),
            name=str(options.matrix),
            n_splits=options.folds or 5,
            random_state=options.seed,
            n_jobs=options.jobs,
            progress=lambda doing, done, total: ticker.tell(doing, done / max(total, 1)),
        )
    for sentence in summary.sentences:
        screen.say(f"  {sentence.replace('below', 'on the page')}")
    screen.say(f"{options.report}: the report")
    screen.tell(report=options.report, cross_validation=summary.as_dict())
