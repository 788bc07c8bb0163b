"""``relrbf demo``: the main job on embedded data, and the same network trained on vectors."""

import sys
from os.path import relpath
from pathlib import Path
from shutil import which
from types import SimpleNamespace
from typing import Any

from typer import Option

import relrbf
from relrbf.cli.command import CommandError, command
from relrbf.cli.console import Console

EQUIVALENCE_CODE = """from relrbf import RBFNetworkClassifier
from relrbf.training import GradientDescent

options = dict(solver=GradientDescent.curvature_scaled(), random_state=0, max_iter={epochs}, tol=0)
relational = RBFNetworkClassifier(20, **options).fit(D, y)
vector = RBFNetworkClassifier(20, space="vector", **options).fit(X, y)
abs(relational.decision_function(D_new) - vector.decision_function(X_new)).max()"""


@command("relrbf demo --output relrbf-demo")
def demo(
    console: Console,
    output: Path = Option("relrbf-demo", "-o", "--output", metavar="FOLDER", help="For all files."),
    epochs: int = Option(1000, min=1, metavar="N", help="Of the two networks that are compared."),
) -> None:
    """See it work: train on distances, compare with vectors, write the report.

    A relational network is trained on the breast-cancer data as a matrix of distances, and a vector
    network on the features; both are compared.
    """
    from relrbf.report.page import prepare

    page = output / "report.html"
    prepare(page)
    with console.progress("writing the matrices"):
        data = load_demo_data(output)
    n, y_new = len(data.y), data.y_new
    console.print(f"Breast cancer: {n} training objects, {len(y_new)} held out, 30 features\n")
    console.print(f"A network that sees only the {n} × {n} distances")
    with console.progress(f"training on {n} objects"):
        model = relrbf.RBFNetworkClassifier(random_state=0).fit(data.D, data.y)
    accuracy = model.score(data.D_new, y_new)
    console.print(f"{'accuracy on held-out objects':<46} {accuracy:.4f}\n", accuracy=accuracy)
    console.print(f"The same network, {epochs} epochs, from distances and from features")
    show_bars = not (console.as_json or console.quiet)
    relational = _train(data.D, data.y, "relational", epochs, show_bars)
    vector = _train(data.X, data.y, "vector", epochs, show_bars)
    responses = relational.decision_function(data.D_new), vector.decision_function(data.X_new)
    facts = {
        "accuracy on held-out objects, relational": f"{relational.score(data.D_new, y_new):.4f}",
        "accuracy on held-out objects, vector": f"{vector.score(data.X_new, y_new):.4f}",
        "epochs": f"{relational.n_iter_} and {vector.n_iter_}",
        "prototypes": f"{len(relational.prototypes_)}",
    }
    compared = {"response": responses}
    for name in ("weight", "bandwidth"):
        compared[name] = getattr(relational, f"{name}s_"), getattr(vector, f"{name}s_")
    for name, (first, second) in compared.items():
        facts[f"largest difference of a {name}"] = f"{abs(first - second).max():.1e}"
    for name, value in facts.items():
        console.print(f"{name:<46} {value}")
    with console.progress("drawing"):
        figure = _draw(relational, responses, data)
        figure.savefig(output / "demo.png", dpi=130)
    with console.progress("cross-validating") as show:
        found = relrbf.report.evaluate(model, data.D, data.y, ids=data.ids, progress=show)
        relrbf.report.write_fit_report(
            page,
            found,
            command=f"relrbf fit {output}/D.csv {output}/y.csv -o m.relrbf --report report.html",
            predicting=next_commands(output),
            name="Breast cancer",
            progress=show,
            more=[_equivalence_section(facts, figure, epochs)],
        )
    text = str(found).replace("below", "on the page")
    console.print(f"\n{text}\n\nThe page: {page}\n\n{next_commands(output)}")
    console.record(page=page, equivalence=facts, cross_validation=found.as_dict())


def load_demo_data(folder: Path) -> SimpleNamespace:
    """Hold out 30 % of the breast-cancer data; standardise by the others; write D, D_new and y."""
    import numpy as np
    from scipy.spatial.distance import cdist
    from sklearn.datasets import load_breast_cancer
    from sklearn.model_selection import train_test_split
    from sklearn.preprocessing import StandardScaler

    for path in (folder / name for name in ("D.csv", "D_new.csv", "y.csv")):
        if path.is_file() and b"case-" not in path.read_bytes()[:20]:
            raise CommandError(f"{path} would be written over; name another folder.")
    bunch = load_breast_cancer()
    labels = bunch.target_names[bunch.target]
    names = np.array([f"case-{i:03}" for i in range(1, len(labels) + 1)])
    ids, ids_new, X, X_new, y, y_new = train_test_split(
        names, bunch.data, labels, test_size=0.3, stratify=labels, random_state=0
    )
    scaler = StandardScaler().fit(X)
    X, X_new = scaler.transform(X), scaler.transform(X_new)
    D, D_new = cdist(X, X), cdist(X_new, X)
    relrbf.io.save_matrix(folder / "D.csv", D, ids)
    relrbf.io.save_matrix(folder / "D_new.csv", D_new, ids_new, ids)
    rows = zip([*ids, *ids_new], [*y, *y_new], strict=True)
    relrbf.io.save_rows(folder / "y.csv", ["id", "label"], rows)
    return SimpleNamespace(ids=ids, X=X, X_new=X_new, y=y, y_new=y_new, D=D, D_new=D_new)


def _train(X: Any, y: Any, space: str, epochs: int, show_bar: bool) -> Any:
    from sklearn.callback import ProgressBar

    # gradient descent, since after a thousand small steps rounding would show
    options = {"solver": relrbf.training.GradientDescent.curvature_scaled(), "max_iter": epochs}
    model = relrbf.RBFNetworkClassifier(20, space=space, random_state=0, tol=0, **options)
    if show_bar:
        model.set_callbacks(ProgressBar())
    return model.fit(X, y).set_callbacks()


def _draw(relational: Any, responses: Any, data: SimpleNamespace) -> Any:
    """Draw the objects with the prototypes, and the responses of both networks."""
    from matplotlib.figure import Figure
    from sklearn.decomposition import PCA

    figure = Figure(figsize=(10, 4.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    points, coefficients = PCA(2).fit_transform(data.X), relational.prototypes_.coefficients
    relrbf.plotting.plot_embedding(points, data.y, coefficients, ax=left)
    relrbf.plotting.plot_equivalence(*responses, ax=right)
    return figure


def _equivalence_section(facts: dict[str, str], figure: Any, epochs: int) -> Any:
    caption = (
        "Left: the objects and the prototypes between them. Right: each held-out response of the "
        "relational network against the vector network's."
    )
    return relrbf.report.Section(
        "The same network from vectors",
        "Trained on a matrix of distances, a network gives the same responses, to rounding, as "
        "a conventional RBF network trained on the vectors behind them.",
        facts=list(facts.items()),
        pictures=[relrbf.report.Picture(figure, caption, "equivalence")],
        code=EQUIVALENCE_CODE.format(epochs=epochs),
    )


def next_commands(folder: Path) -> str:
    """Return commands that do the same from files, as they can be typed here."""
    name = "relrbf" if which("relrbf") else relpath(sys.argv[0])
    return (
        "The same from files, which lie there too:\n"
        f"  {name} inspect {folder}/D.csv --labels {folder}/y.csv\n"
        f"  {name} fit {folder}/D.csv {folder}/y.csv -o model.relrbf --report report.html\n"
        f"  {name} predict model.relrbf {folder}/D_new.csv --labels {folder}/y.csv -o new.csv"
    )
