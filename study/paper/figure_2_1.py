"""Figure 2.1 of the paper: medoids against prototypes outside the data.

The paper does not give its objects, so these are ours: twenty, in three classes that are rings, cut
70/15/15. Both networks are trained on the distances alone, by the same descent with the same
ridge penalty; each has three prototypes and the best of four starts. The medoids found are the only
ones of the 364 possible that no exchange of one for another training object improves. A few of
the others have all objects right, with a larger objective.

The paper's "ninety-percent support" is drawn as the circle that holds 90 % of a Gaussian in the
plane: 2.146 bandwidths. Lines between the classes are added. The graph is undirected, as the
theory asks for, and all of its edges are drawn.
"""

from typing import TYPE_CHECKING

from study.paper.medoids import rings, trained
from study.paper.plane import (
    draw_boundaries,
    draw_names,
    draw_objects,
    draw_prototypes,
    draw_supports,
    frame,
)
from study.paper.sheet import (
    column,
    draw_given,
    network_signs,
    new_sheet,
    part_signs,
)
from study.paper.strips import draw_histogram, draw_output

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CAPTION = (
    "(a) Twenty objects of three classes as a weighted graph, where wide and dark edges join near "
    "objects; its adjacency matrix; and vectors with these distances, which no network sees. "
    "(b) A network whose three prototypes must be objects, at the only placement that no exchange "
    "of a medoid improves: its kernels are wide (circles hold 90 % of a Gaussian, 2.146 "
    "bandwidths), and o_7 and o_9 are misclassified. (c) The same trainer with prototypes that may "
    "lie outside the data: narrower kernels, smaller errors of training and test objects, and "
    "every object classified rightly."
)
HEADINGS = {"medoid": "medoids", "relational": "relational prototypes"}


def figure_2_1() -> "Figure":
    """Train both networks and draw them beside the graph.

    Returns
    -------
    matplotlib Figure
        The same every time.
    """
    objects, figure = rings(), new_sheet(2)
    draw_given(figure, objects, network_signs() | part_signs())
    for number, (space, heading) in enumerate(HEADINGS.items(), start=1):
        network = trained(space)
        plane, output, histogram = column(figure, number, heading, 2)
        places = network.places(objects)
        frame(plane, objects.vectors, 1.1)
        draw_objects(plane, objects, network.wrong(objects))
        draw_prototypes(plane, places)
        draw_names(plane, objects, places)
        draw_supports(plane, places, network.bandwidths)
        draw_boundaries(plane, objects, network)
        draw_output(output, objects, network)
        draw_histogram(histogram, objects, network)
        histogram.set_ylim(0, 20)
    return figure
