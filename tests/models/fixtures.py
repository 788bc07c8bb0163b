"""The files of each version of the format that stay in the tests.

When ``VERSION`` is raised, run once

    python -m tests.models.fixtures

which writes the files of the new version, and what their models predicted, beside those of the
earlier ones. Those are never written again: they are what people have.
"""

import json
import sys
from pathlib import Path

import numpy as np

from relrbf import save
from relrbf.io.model_types import ENUMS, MODELS, OPTIONAL, RECORDS
from relrbf.io.models import VERSION
from tests.models.made import answers, fitted

FILES = Path(__file__).parent / "files"
KEPT = (
    *("classifier", "regressor", "few support", "points", "mahalanobis", "k-means", "landmarks"),
    *("locally scaled", "student"),
)


def names():
    """Return all names that a file of the present version may hold."""
    return {
        "models": {
            kind.__name__: {
                "params": sorted(kind._get_param_names()),
                "fitted": sorted(expected),
                "optional": sorted({*OPTIONAL} - {*expected}),
            }
            for kind, expected in MODELS.items()
        },
        "records": {kind.__name__: sorted(fields) for kind, fields in RECORDS.items()},
        "enums": {name: [member.name for member in kind] for name, kind in ENUMS.items()},
    }


def write():
    """Write the files of the present version."""
    FILES.mkdir(exist_ok=True)
    (FILES / f"{VERSION}.json").write_text(json.dumps(names(), indent=1) + "\n")
    for name in KEPT:
        model, new = fitted(name)
        stem = f"{VERSION}-{name.replace(' ', '-')}"
        save(model, FILES / f"{stem}.relrbf")
        np.savez(FILES / f"{stem}.npz", new=new[:3], **answers(model, new[:3]))


if __name__ == "__main__":
    if (FILES / f"{VERSION}.json").exists():
        sys.exit(f"The files of version {VERSION} are there, and are never written again.")
    write()
