"""``relrbf vat``: a picture in which clusters show."""

from argparse import Namespace

from relrbf.cli.places import check_output
from relrbf.cli.reading import names_of, read_classes, read_relation
from relrbf.cli.screen import Screen
from relrbf.io import save_rows
from relrbf.io.writing import replacing
from relrbf.tendency import ivat, vat

PICTURES = (".png", ".svg", ".pdf")


def run(options: Namespace, screen: Screen) -> None:
    """Order the objects, draw the picture."""
    from matplotlib.figure import Figure

    from relrbf.plotting import plot_tendency

    check_output(options.output, *PICTURES)
    check_output(options.order, ".csv", ".tsv")
    relation = read_relation(options.matrix, options, screen)
    n = relation.n_objects
    y = read_classes(options, relation.ids, n, screen)
    with screen.working("ordering"):
        order = ivat if options.improved else vat
        image = order(relation, n_sample=options.sample, random_state=options.seed)
    figure = Figure(figsize=(6.4, 5.6), layout="compressed")
    plot_tendency(image, y, figure.subplots())
    with replacing(options.output) as file:
        figure.savefig(file, format=options.output.suffix.lower()[1:], dpi=200)
    screen.say(f"{options.output}: {len(image.order):,} objects, dark where they are alike")
    names = names_of(relation.ids, n)
    ordered = [names[place] for place in image.order]
    screen.tell(picture=options.output, n_objects=n, order=ordered)
    if options.order is not None:
        save_rows(options.order, ["id"], [[name] for name in ordered])
        screen.say(f"{options.order}: their order")
