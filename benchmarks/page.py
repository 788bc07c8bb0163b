"""Screenshots of the page for README and docs, by Chromium.

Run ``python -m benchmarks.page docs``: the page on wines by city-block distance, its linked view
with a mistake selected, and the same page on a phone in the dark.
"""

import argparse
import tempfile
from pathlib import Path

from tests.report.chromium import Chromium

from benchmarks.pictures import make_wines
from relrbf import RBFNetworkClassifier
from relrbf.report import evaluate, write_fit_report

LINKED = "document.querySelector('.linked').getBoundingClientRect().toJSON()"
SELECT = "document.querySelector('tr[data-key] .pick').click()"


def write_wines(path: Path) -> None:
    """Write the page on wines."""
    D, y, _ = make_wines()
    model = RBFNetworkClassifier(4, random_state=0).fit(D, y)
    found = evaluate(model, D, y, ids=[f"wine {i}" for i in range(len(y))])
    command = "relrbf fit D.csv y.csv -o model.relrbf --report report.html"
    write_fit_report(path, found, name="Wines", command=command)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where to write the pictures")
    folder = parser.parse_args().folder
    with tempfile.TemporaryDirectory() as temporary:
        page = Path(temporary) / "wines.html"
        write_wines(page)
        browser = Chromium(Path(temporary) / "profile")
        browser.open(page, width=1100)
        browser.value(SELECT)
        box = browser.value(LINKED)
        end = box["y"] + box["height"]
        browser.picture(folder / "report.png", (0, 0, 1100, end))
        browser.picture(folder / "report-linked.png", (0, box["y"], 1100, end))
        browser.media("", "dark")
        browser.open(page, width=400)
        browser.picture(folder / "report-phone.png", (0, 0, 400, 800))
        browser.close()


if __name__ == "__main__":
    main()
