"""The report on a relation, before anything is trained."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from relrbf.base import check_classes
from relrbf.exceptions import OptionError
from relrbf.inspection import RelationInspection, inspect_relation
from relrbf.inspection.inspect import unvalidated_relation
from relrbf.report.data import RelationData, object_names
from relrbf.report.map import map_section
from relrbf.report.model_section import versions
from relrbf.report.page import Progress, Section, prepare, write_page
from relrbf.report.relation_section import relation_section, tendency_section


def write_inspection_report(
    path: Any,
    D: Any,
    y: Any = None,
    *,
    ids: Any = None,
    command: str = "",
    name: str = "",
    found: RelationInspection | None = None,
    progress: Progress | None = None,
) -> RelationInspection:
    """Describe a relation on one self-contained HTML page.

    A matrix that cannot be used as it is is described too: the page says what is wrong.

    Parameters
    ----------
    path : str or Path
        Where to write; an existing file is replaced once the page is complete.
    D : array, memmap, frame or Relation of shape (n, n)
        Dissimilarities.
    y : sequence of n labels or None, default=None
        Classes, to be compared with the dissimilarities.
    ids : sequence of n names or None, default=None
        Names of the objects; None: those of D, or positions.
    command : str, default=""
        The shell command that writes this page, to be shown.
    name : str, default=""
        The name of the data, for the title.
    found : RelationInspection or None, default=None
        What ``inspect_relation(D, y)`` returned; None: D is inspected here.
    progress : callable or None, default=None
        Called with the current step, the number of steps done, and their total.

    Returns
    -------
    RelationInspection
        What was found, with the names of the objects.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> from scipy.spatial.distance import pdist, squareform
    >>> from sklearn.datasets import load_iris
    >>> from relrbf.report import write_inspection_report
    >>> X, y = load_iris(return_X_y=True)
    >>> page = Path(mkdtemp()) / "relation.html"
    >>> found = write_inspection_report(page, squareform(pdist(X[::3])), y[::3])
    >>> found.has_vector_dual[2]
    True
    """
    report = progress or (lambda *step: None)
    relation = unvalidated_relation(D)
    names = object_names(relation, ids)
    path = Path(path)
    prepare(path)
    if found is None:
        found = inspect_relation(relation, y, progress=lambda step, _: report(step, 0, 3))
    if found.n_objects != relation.n_objects:
        raise OptionError(
            f"found is about {found.n_objects} objects and D about {relation.n_objects}; pass what "
            "inspect_relation(D, y) returned, or nothing."
        )
    found = replace(found, ids=names)
    report("drawing", 1, 3)
    sections = [relation_section(None, found)]
    if found.is_relation:
        empty = np.empty(0)
        classes, labels = (empty, empty) if y is None else check_classes(y, relation)
        data = RelationData(relation, names, labels, classes)
        sections = [
            relation_section(data, found),
            tendency_section(data),
            map_section(data, found.suggested_exponent or 2),
        ]
    sections.append(_next_steps(found, command))
    report("writing the page", 2, 3)
    write_page(path, f"{name}: the relation" if name else "The relation", _lead(found), sections)
    report("writing the page", 3, 3)
    return found


def _lead(found: RelationInspection) -> str:
    n = f"{found.n_objects:,} objects"
    if found.is_relation is False:
        return f"{n}, and a matrix that cannot be used as it is: see the problems below."
    if any(found.has_vector_dual.values()):
        exponent = 2 if found.has_vector_dual[2] else 1
        return (
            f"{n}. The relation can be used as it is, and vectors with these distances exist "
            f"(exponent {exponent})."
        )
    return f"{n}. The relation can be used as it is, although no vectors have these distances."


def _next_steps(found: RelationInspection, command: str) -> Section:
    suggestions = [
        (
            found.class_counts is None,
            "Look for blocks in iVAT: there are about as many clusters.",
            "relrbf cluster D.csv -k 3 -o labels.csv",
        ),
        (
            True,
            "Train a network; its report evaluates it on held-out objects.",
            "relrbf fit D.csv y.csv -o model.relrbf --report report.html",
        ),
        (
            found.n_violated,
            "For methods that need a metric, repair the triangle inequality.",
            "relrbf repair D.csv -o metric.csv --norm l2",
        ),
        (
            not any(found.has_vector_dual.values()),
            "For methods that need vectors, embed the relation.",
            "relrbf embed D.csv -o Z.csv --method euclidean",
        ),
    ]
    apply = [rest for condition, *rest in suggestions if condition]
    if found.is_relation is False:
        apply = [["Correct the problems above, and inspect the matrix again.", ""]]
    code = [f"$ {command}", ""] if command else []
    code += [line for _, line in apply]
    points = [advice for advice, _ in apply]
    return Section("Next steps", points=points, facts=versions(), code="\n".join(code).rstrip())
