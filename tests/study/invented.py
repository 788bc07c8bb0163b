"""Rows with numbers of one's own, to see what is made of them."""

from study.results import complete

PARTS = ("train", "test", "validation")


def row(which, repetition, accuracy, n=100, **more):
    """Return a row of two classes; ``accuracy`` is one for all parts, or one for each."""
    data, variant, model = which.split("/")
    each = accuracy if isinstance(accuracy, tuple) else (accuracy,) * 3
    accuracies = dict(zip(PARTS, each, strict=True))
    found = {"data": data, "variant": variant, "model": model, "repetition": repetition}
    for part, value in accuracies.items():
        right = round(n * value)
        found[f"accuracy_{part}"] = value
        found[f"confusion_{part}"] = [[right, n - right], [0, n]]
        found[f"deviation_mean_{part}"], found[f"deviation_std_{part}"] = 0.0, 0.1
    usual = {"status": "ok", "n_prototypes": 12, "n_iter": 500, "seconds": 1.0, "error": ""}
    return complete({**usual, **found, "duality_gap": 1e-14, **more})


def rows(which, *accuracies, **more):
    """Return one row per repetition."""
    return [row(which, r, accuracy, **more) for r, accuracy in enumerate(accuracies)]
