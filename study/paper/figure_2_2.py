"""Figure 2.2 of the paper: prototypes before and after their update.

The paper does not give its objects; these are ours, sixteen in four classes. Prototypes alone are
updated, forty times; weights and bandwidths stay as they are, so that the response improves by
the move and by nothing else.

The paper says that relational prototypes stay the same and only their distances change. But what
has moved is another affine combination of the objects: the exact update,
``a <- (1 - eta H) a + eta h``, changes the coefficients, and the distances follow from them,
``d = S a - a' S a / 2``. The figure shows both, and how far these distances are from those in the
plane: by rounding.
"""

from typing import TYPE_CHECKING

from study.paper.plane import (
    draw_moves,
    draw_names,
    draw_objects,
    draw_prototypes,
    draw_rays,
    frame,
)
from study.paper.sheet import (
    column,
    corner,
    draw_given,
    new_sheet,
    prototype_signs,
)
from study.paper.strips import (
    draw_coefficients,
    draw_distances,
    draw_errors,
    draw_responses,
)
from study.paper.updates import moved_prototypes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CAPTION = (
    "(a) Sixteen objects of four classes as a weighted graph, its adjacency matrix, a realisation, "
    "and the objective over forty updates of the prototypes alone. (b) Prototypes as dummy nodes "
    "of the graph: affine coefficients of the objects, the squared distances that follow from "
    "these and the relation, and the responses. (c) After the updates each prototype has moved to "
    "its class (arrows), and all objects are told apart. The paper says that the coefficients stay "
    "the same; under the exact update they change, and the distances with them."
)


def figure_2_2() -> "Figure":
    """Update the prototypes and draw them before and after.

    Returns
    -------
    matplotlib Figure
        The same every time.
    """
    update, figure = moved_prototypes(), new_sheet(3)
    objects, first = update.objects, update.before.places(update.objects)
    draw_given(figure, objects, prototype_signs())
    draw_errors(corner(figure, 1), update.errors)
    farthest = max(state.distances_sq.max() for state in update.states.values())
    for number, (moment, state) in enumerate(update.states.items(), start=1):
        plane, *strips = column(figure, number, f"prototypes {moment}", 3)
        places = state.places(objects)
        frame(plane, objects.vectors, 0.5)
        draw_objects(plane, objects, state.wrong(objects))
        draw_rays(plane, objects, state)
        draw_prototypes(plane, places)
        draw_names(plane, objects, places, avoid=first)
        if moment == "after":
            draw_moves(plane, first, places)
        draw_coefficients(strips[0], state, 0.5)
        draw_distances(strips[1], objects, state, farthest)
        draw_responses(strips[2], objects, state)
    return figure
