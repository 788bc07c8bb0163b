"""``relrbf demo``: the main job on data that come along, and the same network from vectors."""

import sys
from argparse import Namespace
from os.path import relpath
from pathlib import Path
from shutil import which
from typing import Any

from relrbf import RBFNetworkClassifier
from relrbf.cli.breast_cancer import Data, load_data
from relrbf.cli.screen import Screen
from relrbf.cli.twins import Twins
from relrbf.report import FitSummary, write_fit_report
from relrbf.report.page import prepare

PAGE, PICTURE = "report.html", "demo.png"


def run(options: Namespace, screen: Screen) -> None:
    """Train a network on distances, compare it with its twin, write the report and the data."""
    folder = options.output
    prepare(folder / PAGE)
    data = load_data()
    n = len(data.X)
    screen.say(f"Breast cancer: {n} training objects, {len(data.X_new)} held out, 30 features\n")
    screen.say(f"A network that sees only the {n} × {n} distances")
    model = RBFNetworkClassifier(random_state=0).fit(data.D, data.y)
    accuracy = model.score(data.D_new, data.y_new)
    screen.say(f"{'accuracy on held-out objects':<46} {accuracy:.4f}\n")
    screen.say(
        f"The same network twice, for {options.epochs} epochs: from distances, from features"
    )
    twins = Twins.train(data, options.epochs, silent=screen.as_json or screen.quiet)
    for name, value in twins.facts:
        screen.say(f"{name:<46} {value}")
    twins.draw(folder / PICTURE)
    summary = _write(folder, model, data, twins, screen)
    data.save(folder)
    found = str(summary).replace("below", "on the page")
    screen.say(f"\n{found}\n\nThe page: {folder / PAGE}\n\n{_advice(folder)}")
    screen.tell(page=folder / PAGE, accuracy=accuracy, twins=dict(twins.facts))
    screen.tell(cross_validation=summary.as_dict())


def _write(folder: Path, model: Any, data: Data, twins: Twins, screen: Screen) -> FitSummary:
    with screen.working("writing the report") as ticker:
        return write_fit_report(
            folder / PAGE,
            model,
            data.D,
            data.y,
            ids=data.ids,
            command=f"relrbf fit {folder}/D.csv {folder}/y.csv -o model.relrbf --report {PAGE}",
            name="Breast cancer",
            progress=lambda doing, done, total: ticker.tell(doing, done / max(total, 1)),
            more=[twins.section()],
        )


def _advice(folder: Path) -> str:
    command = "relrbf" if which("relrbf") else relpath(sys.argv[0])  # as it can be typed here
    return (
        "The same from files, which lie there too:\n"
        f"  {command} inspect {folder}/D.csv --labels {folder}/y.csv\n"
        f"  {command} fit {folder}/D.csv {folder}/y.csv -o model.relrbf --report report.html\n"
        f"  {command} predict model.relrbf {folder}/D_new.csv --labels {folder}/y.csv -o new.csv"
    )
