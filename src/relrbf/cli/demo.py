"""``relrbf demo``: the main job on embedded data, and the same network trained on vectors."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from os.path import relpath
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option

from relrbf.cli.command import command
from relrbf.cli.console import Console

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.figure import Figure

    from relrbf.report import FitSummary, Section

PAGE, PICTURE = "report.html", "demo.png"
N_PROTOTYPES = 20
EQUIVALENCE_CODE = """from relrbf import RBFNetworkClassifier
from relrbf.training import GradientDescent

options = dict(solver=GradientDescent.curvature_scaled(), random_state=0, max_iter={epochs}, tol=0)
relational = RBFNetworkClassifier(20, **options).fit(D, y)
vector = RBFNetworkClassifier(20, space="vector", **options).fit(X, y)
abs(relational.decision_function(D_new) - vector.decision_function(X_new)).max()"""


@command("relrbf demo --output relrbf-demo")
def demo(
    console: Console,
    output: Annotated[
        Path,
        Option("-o", "--output", metavar="FOLDER", help="For the report, demo.png and the data."),
    ] = Path("relrbf-demo"),
    epochs: Annotated[
        int, Option(min=1, metavar="N", help="Epochs of the two networks that are compared.")
    ] = 1000,
) -> None:
    """See it work: train on distances, compare with vectors, write the report.

    A relational network is trained on the breast-cancer data as a matrix of distances, and a vector
    network on the features; both are compared.
    """
    from relrbf import RBFNetworkClassifier
    from relrbf.report.page import prepare

    prepare(output / PAGE)
    data = load_demo_data()
    n = len(data.X)
    console.print(f"Breast cancer: {n} training objects, {len(data.X_new)} held out, 30 features\n")
    console.print(f"A network that sees only the {n} × {n} distances")
    model = RBFNetworkClassifier(random_state=0).fit(data.D, data.y)
    accuracy = model.score(data.D_new, data.y_new)
    console.print(f"{'accuracy on held-out objects':<46} {accuracy:.4f}\n")
    console.print(f"The same network, {epochs} epochs, from distances and from features")
    pair = EquivalentNetworks.train(data, epochs, verbose=not (console.as_json or console.quiet))
    for name, value in pair.facts:
        console.print(f"{name:<46} {value}")
    pair.draw(output / PICTURE)
    summary = _write_report(output, model, data, pair, console)
    data.save(output)
    text = str(summary).replace("below", "on the page")
    console.print(f"\n{text}\n\nThe page: {output / PAGE}\n\n{next_commands(output)}")
    console.record(page=output / PAGE, accuracy=accuracy, equivalence=dict(pair.facts))
    console.record(cross_validation=summary.as_dict())


@dataclass(frozen=True)
class DemoData:
    """Training and held-out objects: names, standardised features, distances, classes."""

    ids: "np.ndarray"
    ids_new: "np.ndarray"
    X: "np.ndarray"
    X_new: "np.ndarray"
    y: "np.ndarray"
    y_new: "np.ndarray"
    D: "np.ndarray"
    D_new: "np.ndarray"

    def save(self, folder: Path) -> None:
        """Write them as a user would have them: D.csv, y.csv (of all objects), D_new.csv."""
        from relrbf.io import save_matrix, save_rows

        save_matrix(folder / "D.csv", self.D, self.ids)
        save_matrix(folder / "D_new.csv", self.D_new, self.ids_new, self.ids)
        labels = zip([*self.ids, *self.ids_new], [*self.y, *self.y_new], strict=True)
        save_rows(folder / "y.csv", ["id", "label"], labels)


def load_demo_data() -> DemoData:
    """Hold out 30 % of the 569 objects; standardise by the others."""
    import numpy as np
    from scipy.spatial.distance import cdist
    from sklearn.datasets import load_breast_cancer
    from sklearn.model_selection import train_test_split
    from sklearn.preprocessing import StandardScaler

    bunch = load_breast_cancer()
    labels = bunch.target_names[bunch.target]
    names = np.array([f"case-{i:03}" for i in range(1, len(labels) + 1)])
    ids, ids_new, X, X_new, y, y_new = train_test_split(
        names, bunch.data, labels, test_size=0.3, stratify=labels, random_state=0
    )
    scaler = StandardScaler().fit(X)
    X, X_new = scaler.transform(X), scaler.transform(X_new)
    return DemoData(ids, ids_new, X, X_new, y, y_new, cdist(X, X), cdist(X_new, X))


@dataclass(frozen=True, eq=False)
class EquivalentNetworks:
    """A network trained on distances, and its vector equivalent."""

    relational: Any
    vector: Any
    data: DemoData
    epochs: int

    @classmethod
    def train(cls, data: DemoData, epochs: int, *, verbose: bool) -> "EquivalentNetworks":
        """Train both for the same number of epochs."""
        relational = _train(data.D, data.y, "relational", epochs, verbose)
        return cls(relational, _train(data.X, data.y, "vector", epochs, verbose), data, epochs)

    @property
    def outputs(self) -> "tuple[np.ndarray, np.ndarray]":
        """Responses of both to the held-out objects."""
        return (
            self.relational.decision_function(self.data.D_new),
            self.vector.decision_function(self.data.X_new),
        )

    @property
    def facts(self) -> list[tuple[str, str]]:
        """The accuracy of each, and how far they differ."""
        data, relational, vector = self.data, self.relational, self.vector
        pairs = {
            "response": self.outputs,
            "weight": (relational.weights_, vector.weights_),
            "bandwidth": (relational.bandwidths_, vector.bandwidths_),
        }
        scores = relational.score(data.D_new, data.y_new), vector.score(data.X_new, data.y_new)
        return [
            ("accuracy on held-out objects, relational", f"{scores[0]:.4f}"),
            ("accuracy on held-out objects, vector", f"{scores[1]:.4f}"),
            ("epochs", f"{relational.n_iter_} and {vector.n_iter_}"),
            ("prototypes", f"{len(relational.prototypes_)}"),
            *(
                (f"largest difference of a {name}", f"{abs(first - second).max():.1e}")
                for name, (first, second) in pairs.items()
            ),
        ]

    def draw(self, path: Path) -> None:
        """Draw the objects with the prototypes, and the responses of both networks."""
        from sklearn.decomposition import PCA

        from relrbf.plotting import plot_embedding, plot_twins

        points = PCA(2).fit_transform(self.data.X)
        coefficients = self.relational.prototypes_.coefficients
        objects = partial(plot_embedding, points, self.data.y, coefficients)
        _draw([objects, partial(plot_twins, *self.outputs)]).savefig(path, dpi=130)

    def section(self) -> "Section":
        """Return the section of the report about them."""
        from relrbf.plotting import plot_twins
        from relrbf.report import Picture, Section

        caption = "Each held-out response of the relational network against the vector network's."
        figure = _draw([partial(plot_twins, *self.outputs)])
        return Section(
            "The same network from vectors",
            "Trained on a matrix of distances, a network gives the same responses, to rounding, as "
            "a conventional RBF network trained on the vectors behind them.",
            facts=self.facts,
            pictures=[Picture(figure, caption, "equivalence", in_ink=True)],
            code=EQUIVALENCE_CODE.format(epochs=self.epochs),
        )


def _train(X: "np.ndarray", y: "np.ndarray", space: str, epochs: int, verbose: bool) -> Any:
    from sklearn.callback import ProgressBar

    from relrbf import RBFNetworkClassifier
    from relrbf.training import GradientDescent

    # gradient descent, since after a thousand small steps rounding would show
    solver = GradientDescent.curvature_scaled()
    model = RBFNetworkClassifier(
        N_PROTOTYPES, space=space, solver=solver, random_state=0, max_iter=epochs, tol=0
    )
    if verbose:
        model.set_callbacks(ProgressBar())
    return model.fit(X, y).set_callbacks()


def _draw(plots: list[Callable[..., Any]]) -> "Figure":
    """Draw plots side by side."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5 * len(plots), 4.4), layout="constrained")
    for plot, ax in zip(plots, figure.subplots(1, len(plots), squeeze=False)[0], strict=True):
        plot(ax=ax)
    return figure


def _write_report(
    folder: Path, model: Any, data: DemoData, pair: EquivalentNetworks, console: Console
) -> "FitSummary":
    from relrbf.report import write_fit_report

    with console.progress("writing the report") as show:
        return write_fit_report(
            folder / PAGE,
            model,
            data.D,
            data.y,
            ids=data.ids,
            command=f"relrbf fit {folder}/D.csv {folder}/y.csv -o model.relrbf --report {PAGE}",
            name="Breast cancer",
            progress=lambda text, done, total: show(text, done / max(total, 1)),
            more=[pair.section()],
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
