"""``relrbf vat``: an image of a matrix in which clusters show."""

from pathlib import Path

from typer import Option

import relrbf
from relrbf.cli.command import check_output, command
from relrbf.cli.console import Console
from relrbf.cli.inputs import object_names, read_classes, read_relation
from relrbf.cli.options import LabelOptions, Matrix, MatrixOptions, Seed


@command("relrbf vat D.csv -o vat.png --improved --labels y.csv")
def vat(
    console: Console,
    options: MatrixOptions,
    label_options: LabelOptions,
    matrix: Matrix,
    output: Path = Option(..., "-o", "--output", metavar="IMAGE", help="png, svg or pdf."),
    improved: bool = Option(False, "--improved", help="iVAT, for long or curved clusters."),
    labels: Path | None = Option(None, metavar="Y", help="Classes, drawn beside the image."),
    order: Path | None = Option(None, metavar="FILE", help="Write the order of the objects."),
    sample: int | None = Option(None, min=1, metavar="N", help="Draw a sample of the objects."),
    seed: Seed = 0,
) -> None:
    """Draw a matrix so that clusters are dark blocks on the diagonal."""
    from matplotlib.figure import Figure

    from relrbf.io.writing import replacing

    check_output(output, ".png", ".svg", ".pdf")
    check_output(order, ".csv", ".tsv")
    relation = read_relation(matrix, options, console)
    n = relation.n_objects
    y = read_classes(labels, label_options, relation.ids, n, console)
    with console.progress("ordering"):
        assess = relrbf.tendency.ivat if improved else relrbf.tendency.vat
        image = assess(relation, n_sample=sample, random_state=seed)
    figure = Figure(figsize=(6.4, 5.6), layout="compressed")
    relrbf.plotting.plot_tendency(image, y, figure.subplots())
    with replacing(output) as file:
        figure.savefig(file, format=output.suffix.lower()[1:], dpi=200)
    console.print(f"{output}: {len(image.order):,} objects, dark where they are similar")
    names = object_names(relation.ids, n)
    ordered = [names[position] for position in image.order]
    console.record(picture=output, n_objects=n, order=ordered)
    if order is not None:
        relrbf.io.save_rows(order, ["id"], [[name] for name in ordered])
        console.print(f"{order}: their order")
