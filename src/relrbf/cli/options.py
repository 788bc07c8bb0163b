"""Arguments and options that several commands have, in groups that a command takes as a whole."""

from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from typer import Argument, BadParameter, Option

_output = partial(Option, rich_help_panel="What is printed")
_reading = partial(Option, rich_help_panel="How the file is read, where it is read wrongly")
_invalid = partial(Option, rich_help_panel="What to do where D is not a dissimilarity matrix")
_labels = partial(Option, rich_help_panel="How the labels are read, where they are read wrongly")


def parse_named_value(text: str) -> tuple[str, Any]:
    """Return the name and the value of NAME=VALUE; what looks like a number is one."""
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        raise BadParameter(f"{text!r} is not NAME=VALUE")
    for kind in (int, float):
        with suppress(ValueError):
            return name, kind(value)
    return name, value


MATRIX_FORMATS = "csv, tsv, npy, npz, zarr, mtx, PHYLIP or lsmat; - is standard input"
Matrix = Annotated[Path, Argument(metavar="D", help=f"Dissimilarities: {MATRIX_FORMATS}.")]
Model = Annotated[Path, Argument(metavar="MODEL", help="What relrbf fit wrote.")]
Exponent = Annotated[
    Literal["auto", "1", "2"], Option(help="2: D holds distances; 1: squared distances.")
]
Seed = Annotated[int, Option(min=0, metavar="N", help="Seed of the random numbers.")]
NamedValues = list[Any]  # as parse_named_value returns them


def as_exponent(text: str) -> int | Literal["auto"]:
    """Return the exponent as the library takes it."""
    return "auto" if text == "auto" else int(text)


@dataclass(frozen=True, kw_only=True)
class OutputOptions:
    """What is printed; the same for every command."""

    json: Annotated[bool, _output("--json", help="The result as JSON, and nothing else.")] = False
    quiet: Annotated[bool, _output("--quiet", help="No notes and no progress.")] = False
    debug: Annotated[bool, _output("--debug", help="Show where in the code an error arose.")] = (
        False
    )


@dataclass(frozen=True, kw_only=True)
class ReadingOptions:
    """How a file of numbers is read, where it is not recognised."""

    delimiter: Annotated[
        str | None, _reading(metavar="C", help="What stands between two numbers.")
    ] = None
    decimal: Annotated[
        Literal[".", ","] | None, _reading(help="What stands before the decimals.")
    ] = None
    encoding: Annotated[
        str | None, _reading(metavar="NAME", help="Of the text, such as cp1252.")
    ] = None
    header: Annotated[
        bool | None,
        _reading("--header/--no-header", help="Whether the first line names the columns."),
    ] = None
    ids: Annotated[
        bool | None,
        _reading("--ids/--no-ids", help="Whether the first column names the objects."),
    ] = None
    triangle: Annotated[
        Literal["auto", "lower", "upper", "full"],
        _reading(help="The half that is mirrored; full: none; auto: the only one given."),
    ] = "auto"
    key: Annotated[str | None, _reading(metavar="NAME", help="Which array of an npz file.")] = None
    graph: Annotated[bool, _reading("--graph", help="The file is a list of edges: i j weight.")] = (
        False
    )
    graph_option: Annotated[
        NamedValues,
        _reading(
            parser=parse_named_value,
            metavar="NAME=VALUE",
            help="Of a graph, for example disconnected=far; may be repeated.",
        ),
    ] = field(default_factory=list)

    def load_keywords(self) -> dict[str, Any]:
        """Return the keywords of ``load_matrix`` that were given."""
        if self.graph_option and not self.graph:
            raise BadParameter("is about a graph; add --graph", param_hint="--graph-option")
        names = ("delimiter", "decimal", "encoding", "header", "ids", "triangle", "key")
        graph = {"graph": dict(self.graph_option) or True} if self.graph else {}
        return _given(self, *names) | graph


@dataclass(frozen=True, kw_only=True)
class MatrixOptions(ReadingOptions):
    """How a matrix of dissimilarities is read, and what to do where it is not one."""

    symmetrize: Annotated[
        Literal["mean", "min", "max"] | None,
        _invalid(help="What to take where D is not symmetric. Default: an error."),
    ] = None
    similarities: Annotated[
        Literal["convert", "refuse"],
        _invalid(help="convert: take the distances of the kernel where D holds similarities."),
    ] = "refuse"

    def relation_keywords(self) -> dict[str, Any]:
        """Return the keywords of ``LoadedMatrix.relation`` that were given."""
        return _given(self, "symmetrize", "similarities")


@dataclass(frozen=True, kw_only=True)
class LabelOptions:
    """How a file of labels is read, where it is not recognised."""

    column: Annotated[
        str | None, _labels(metavar="NAME", help="The column of Y that holds the labels.")
    ] = None
    labels_delimiter: Annotated[
        str | None, _labels(metavar="C", help="What stands between two cells.")
    ] = None
    labels_encoding: Annotated[
        str | None, _labels(metavar="NAME", help="Of the text, such as cp1252.")
    ] = None
    labels_header: Annotated[
        bool | None,
        _labels(
            "--labels-header/--no-labels-header", help="Whether the first line names the columns."
        ),
    ] = None

    def load_keywords(self) -> dict[str, Any]:
        """Return the keywords of ``load_labels`` that were given."""
        given = _given(self, "column", "labels_delimiter", "labels_encoding", "labels_header")
        return {name.removeprefix("labels_"): value for name, value in given.items()}


@dataclass(frozen=True, kw_only=True)
class NewObjectOptions:
    """Further objects, to which is done what was done to those of D."""

    new: Annotated[
        Path | None, Option(metavar="D_NEW", help="Dissimilarities of new objects to those of D.")
    ] = None
    new_output: Annotated[
        Path | None, Option(metavar="FILE", help="Where to write the result for them.")
    ] = None


def _given(options: Any, *names: str) -> dict[str, Any]:
    """Return the options that are not at their default."""
    default = type(options)()
    values = {name: getattr(options, name) for name in names}
    return {name: value for name, value in values.items() if value != getattr(default, name)}
