"""The report on a relation, before anything is trained."""

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

from relrbf.exceptions import OptionError
from relrbf.inspection import RelationInspection, inspect_relation
from relrbf.inspection.inspect import unvalidated_relation
from relrbf.relations.base import Relation
from relrbf.report.about_model import made_with
from relrbf.report.about_relation import relation_section, tendency_section
from relrbf.report.case import EMPTY, Case, Progress, names_of
from relrbf.report.page import Section, prepare, write_page
from relrbf.report.places import embed, places_section
from relrbf.report.steps import Steps
from relrbf.targets import check_classes

STEPS = 3


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
    """Write what a relation is like on one HTML page, and what to do next.

    A matrix that is not fit for use is described, not refused: the page then says what is wrong.

    Parameters
    ----------
    path : str or Path
        Where to write; what was there is replaced when the page is whole.
    D : array, memmap, frame or Relation of shape (n, n)
        Dissimilarities.
    y : sequence of n labels or None, default=None
        Classes, to be compared with the dissimilarities.
    ids : sequence of n names or None, default=None
        Names of the objects; None: those that D brings along, or positions.
    command : str, default=""
        The line of a shell that does it again, to be shown.
    name : str, default=""
        What the data are called, for the title.
    found : RelationInspection or None, default=None
        What ``inspect_relation`` found of D and y, to be told; None: D is inspected here.
    progress : callable or None, default=None
        Called with what is being done, how many steps are done, and how many there are.

    Returns
    -------
    RelationInspection
        What was found, under the names of the objects.

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
    steps = Steps(progress, STEPS)
    relation = unvalidated_relation(D)
    names = names_of(relation, ids)
    path = Path(path)
    prepare(path)
    if found is None:
        found = inspect_relation(relation, y, progress=steps.within())
    _check_found(found, relation)
    found = replace(found, ids=names)
    steps.done()
    classes, labels = (EMPTY, EMPTY) if y is None else check_classes(y, relation)
    case = Case(relation, names, labels, classes) if found.is_relation else None
    steps.begin("drawing")
    sections = [relation_section(case, found)]
    if case is not None:
        sections += _pictures(case, found)
    sections.append(_next(found, command))
    steps.done()
    steps.begin("writing the page")
    title = f"{name}: what the relation is like" if name else "What the relation is like"
    lead = _lead(found)
    write_page(path, title, lead, sections)
    steps.done()
    return found


def _check_found(found: RelationInspection, relation: Relation) -> None:
    if found.n_objects != relation.n_objects:
        raise OptionError(
            f"found is about {found.n_objects} objects and D about {relation.n_objects}; pass what "
            "inspect_relation(D, y) returned, or nothing."
        )


def _pictures(case: Case, found: RelationInspection) -> list[Section]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        points, shown = embed(case, found.suggested_exponent or 2)
    return [tendency_section(case), places_section(case, None, points, shown)]


def _lead(found: RelationInspection) -> str:
    n = f"{found.n_objects:,} objects"
    if found.is_relation is False:
        return f"{n}, and a matrix that cannot be used as it is: see what is wrong below."
    if any(found.has_vector_dual.values()):
        which = 2 if found.has_vector_dual[2] else 1
        return (
            f"{n}. It can be used as it is, and vectors with these distances exist (exponent "
            f"{which})."
        )
    return f"{n}. It can be used as it is, although no vectors have these distances."


def _next(found: RelationInspection, command: str) -> Section:
    points = []
    code = [f"$ {command}", ""] if command else []
    if found.is_relation is False:
        points.append("Correct what the conclusions name, and inspect the matrix again.")
    else:
        if found.class_counts is None:
            points.append("Look for blocks in iVAT; as many as there are, as many clusters.")
            code += ["relrbf cluster D.csv -k 3 -o labels.csv"]
        points.append("Train a network; its report says how good it is on objects held out.")
        code += ["relrbf fit D.csv y.csv -o model.relrbf --report report.html"]
        if found.n_violated:
            points.append("If another method asks for a metric, mend the triangles first.")
            code += ["relrbf repair D.csv -o metric.csv --norm l2"]
        if not any(found.has_vector_dual.values()):
            points.append("If another method asks for vectors, embed the relation.")
            code += ["relrbf embed D.csv -o Z.csv --method euclidean"]
    return Section("What to do next", points=points, facts=made_with(), code="\n".join(code))
