"""One cell measured: its rows, or a row that says why there are none.

The deviation is a network's response less the desired one, over all objects of a part and all
outputs, where 1 is desired of an object's own class and 0 of the others.
"""

import time
import warnings

import numpy as np
from threadpoolctl import threadpool_limits

from relrbf import __version__
from study.data import PART_SHARES, Array, Indices, Related, categories_of, loaded, relate, split
from study.design import Cell
from study.models import MODELS, ModelInput, ModelOutput
from study.results import FAILED, OK, Row, complete

EDGES = np.linspace(-1.525, 1.525, 62)  # of the histogram; what lies outside counts at the ends


def measure(cell: Cell) -> list[Row]:
    """Train a cell's model and return its rows: one per model, 15 for the numbers of neighbours.

    Parameters
    ----------
    cell : Cell
        From ``Design.cells`` or ``Design.cell``.

    Returns
    -------
    list of dict
        The same whenever and wherever the cell is run, but for the seconds. An error becomes a
        row with status "failed".

    Examples
    --------
    >>> from study import Design, measure
    >>> rows = measure(Design().cell("BC-569/original/knn/0"))
    >>> rows[2]["model"], rows[2]["status"], rows[2]["accuracy_test"] > 0.9
    ('knn-3', 'ok', True)
    """
    start = time.perf_counter()
    # one thread, wherever the cell runs: more would round otherwise
    with threadpool_limits(1), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            rows = _rows(cell)
        except Exception as error:
            rows = [_failed(cell, error)]
    seconds = (time.perf_counter() - start) / len(rows)
    return [_finished(row, seconds, categories_of(caught)) for row in rows]


def input_of(cell: Cell) -> ModelInput:
    """Return what the cell's model gets."""
    objects = loaded(cell.data)
    parts = split(objects.y, objects.groups, cell.split_seed)
    related = relate(cell.data, cell.variant, parts.known, cell.split_seed)
    return ModelInput(related, parts, cell.data, cell.seed)


def _rows(cell: Cell) -> list[Row]:
    inputs = input_of(cell)
    parts = {name: getattr(inputs.parts, name) for name in PART_SHARES}
    outputs = MODELS[cell.model](inputs)
    return [_row(cell, output, inputs.related, parts) for output in outputs]


def _finished(row: Row, seconds: float, caught: frozenset[str]) -> Row:
    names = " ".join(sorted(caught.union(row.get("warnings", ()))))
    return complete({**row, "seconds": seconds, "warnings": names})


def _row(cell: Cell, output: ModelOutput, related: Related, parts: dict[str, Indices]) -> Row:
    row = _head(cell, output.model, OK, "")
    for name, part in parts.items():
        if name == "validation" and not output.stops_early:
            continue  # it was trained on
        row |= _of_part(name, output, related, part)
    if output.responses is not None:
        deviations = np.clip(_deviations(output.responses, related.y), EDGES[0], EDGES[-1])
        row["histogram"] = np.histogram(deviations, EDGES)[0].tolist()
    row["n_prototypes"], row["n_iter"] = output.n_prototypes, output.n_iter
    row["duality_gap"], row["warnings"] = output.duality_gap, related.warnings
    return row


def _of_part(name: str, output: ModelOutput, related: Related, part: Indices) -> Row:
    counts = np.zeros((len(related.classes),) * 2, dtype=int)
    np.add.at(counts, (related.y[part], output.predictions[part]), 1)
    found: Row = {
        f"accuracy_{name}": float(np.trace(counts) / counts.sum()),
        f"confusion_{name}": counts.tolist(),
    }
    if output.responses is not None:
        deviations = _deviations(output.responses[part], related.y[part])
        found[f"deviation_mean_{name}"] = float(deviations.mean())
        found[f"deviation_std_{name}"] = float(deviations.std())
    return found


def _deviations(responses: Array, y: np.ndarray) -> Array:
    return responses - np.eye(responses.shape[1])[y]


def _failed(cell: Cell, error: Exception) -> Row:
    return _head(cell, cell.model, FAILED, f"{type(error).__name__}: {error}")


def _head(cell: Cell, model: str, status: str, error: str) -> Row:
    return {
        "data": cell.data.name,
        "variant": cell.variant,
        "model": model,
        "repetition": cell.repetition,
        "seed": cell.seed,
        "status": status,
        "error": error,
        "version": __version__,
    }
