"""The tables of docs/measures.md; the folder RELRBF_DATA holds the data.

Run ``python -m benchmarks.measures``. ``--recover`` fits the densities of HG-194 anew and stores
them beside this file.
"""

import os
import sys
from pathlib import Path

from benchmarks.measures import profiles, recovery, terms


def main() -> None:
    folder = Path(os.environ["RELRBF_DATA"])
    if "--recover" in sys.argv:
        recovery.recover(terms.load(folder))
    print("HG-194, computed beside published\n")
    terms.show(folder)
    print("\nPC-102\n")
    profiles.show(folder)


if __name__ == "__main__":
    main()
