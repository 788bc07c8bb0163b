"""Figure 2.3 of the paper: bandwidths before and after their update.

The paper does not give its objects; these are ours, twenty in three classes, each more spread than
the last, cut 70/15/15. All bandwidths begin alike and too small. An epoch updates weights,
prototypes and bandwidths in turn, as Algorithm 1 does; the state with the smallest validation
error is kept. As in figure 2.2, the coefficients of the prototypes change, where the paper says
that they stay constant.

The paper's "ninety-percent support" is drawn as the circle that holds 90 % of a Gaussian in the
plane: 2.146 bandwidths. Lines between the classes, and the errors over the epochs, are added.
"""

from typing import TYPE_CHECKING

from study.paper.plane import (
    SUPPORT,
    draw_boundaries,
    draw_names,
    draw_objects,
    draw_prototypes,
    draw_supports,
    frame,
)
from study.paper.sheet import (
    column,
    corner,
    draw_given,
    network_signs,
    new_sheet,
    part_signs,
)
from study.paper.strips import (
    draw_coefficients,
    draw_distances,
    draw_errors,
    draw_histogram,
    draw_responses,
)
from study.paper.updates import trained_bandwidths

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CAPTION = (
    "(a) Twenty objects of three classes as a weighted graph, its adjacency matrix, a realisation, "
    "and the errors over the epochs. (b) All kernels begin with the same bandwidth, too small for "
    "two of the classes; circles hold 90 % of a Gaussian (2.146 bandwidths). (c) After training of "
    "weights, prototypes and bandwidths the kernels differ as the classes do, and the errors of "
    "training, test and validation objects are smaller. The paper says that the relational "
    "prototypes remain constant; under the exact update their coefficients change."
)


def figure_2_3() -> "Figure":
    """Train the network and draw it before and after.

    Returns
    -------
    matplotlib Figure
        The same every time.
    """
    update, figure = trained_bandwidths(), new_sheet(4)
    objects, after = update.objects, update.after
    draw_given(figure, objects, network_signs() | part_signs())
    draw_errors(corner(figure, 2), update.errors)
    farthest = max(state.distances_sq.max() for state in update.states.values())
    for number, (moment, state) in enumerate(update.states.items(), start=1):
        plane, *strips = column(figure, number, f"bandwidths {moment}", 4)
        places = state.places(objects)
        frame(plane, after.places(objects), SUPPORT * after.bandwidths)
        draw_objects(plane, objects, state.wrong(objects))
        draw_supports(plane, places, state.bandwidths)
        draw_boundaries(plane, objects, state)
        draw_prototypes(plane, places)
        draw_names(plane, objects, places)
        draw_coefficients(strips[0], state, 1.5)
        draw_distances(strips[1], objects, state, farthest)
        draw_responses(strips[2], objects, state)
        draw_histogram(strips[3], objects, state)
        strips[3].set_ylim(0, 36)
    return figure
