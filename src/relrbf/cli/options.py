"""Arguments and options that several commands have, in groups that a command takes as a whole."""

from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Literal

from typer import Argument, BadParameter, Option

POLICIES = ("symmetrize", "similarities")  # what may be done to D before it is used
EXPONENT_HELP = "2: D holds distances; 1: squared distances."
MATRIX_HELP = "Dissimilarities: csv, tsv, npy, npz, zarr, mtx, PHYLIP, lsmat; - is standard input."

Matrix = Annotated[Path, Argument(metavar="D", help=MATRIX_HELP)]
Model = Annotated[Path, Argument(metavar="MODEL", help="What relrbf fit wrote.")]
Exponent = Annotated[Literal["auto", "1", "2"], Option(help=EXPONENT_HELP)]
Seed = Annotated[int, Option(min=0, max=2**32 - 1, metavar="N", help="Seed of the random numbers.")]


def as_exponent(text: str) -> int | Literal["auto"]:
    """Return the exponent as the library takes it."""
    return "auto" if text == "auto" else int(text)


def parse_named_value(text: str) -> tuple[str, Any]:
    """Return the name and the value of NAME=VALUE; what looks like a number is one."""
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        raise BadParameter(f"{text!r} is not NAME=VALUE")
    for kind in (int, float):
        with suppress(ValueError):
            return name, kind(value)
    return name, value


@dataclass(frozen=True)
class OptionGroup:
    """Options that stand together in the help, under the first line of their docstring."""

    def given(self) -> dict[str, Any]:
        """Return the options that are not at their default."""
        defaults: Any = {field.name: field.default for field in fields(self)}
        return {k: v for k, v in vars(self).items() if v != defaults[k].default}


@dataclass(frozen=True)
class OutputOptions(OptionGroup):
    """What is printed."""

    json: bool = Option(False, "--json", help="The result as JSON, and nothing else.")
    quiet: bool = Option(False, "--quiet", help="No notes and no progress.")
    debug: bool = Option(False, "--debug", help="Show where in the code an error arose.")


@dataclass(frozen=True)
class ReadingOptions(OptionGroup):
    """How D is read, where it is not recognised."""

    delimiter: str | None = Option(None, metavar="C", help="What stands between two numbers.")
    decimal: Literal[".", ","] | None = Option(None, help="What stands before the decimals.")
    encoding: str | None = Option(None, metavar="NAME", help="Of the text, such as cp1252.")
    header: bool | None = Option(None, help="Whether the first line names the columns.")
    ids: bool | None = Option(None, help="Whether the first column names the objects.")
    triangle: Literal["auto", "lower", "upper", "full"] = Option(
        "auto", help="The half that is mirrored; full: none; auto: the only one given."
    )
    key: str | None = Option(None, metavar="NAME", help="Which array of an npz file.")
    graph: bool = Option(False, "--graph", help="The file is a list of edges: i j weight.")
    graph_option: list[Any] = Option(
        [], parser=parse_named_value, metavar="NAME=VALUE", help="Such as disconnected=far."
    )

    def load_keywords(self) -> dict[str, Any]:
        """Return the keywords of ``load_matrix`` that were given."""
        if self.graph_option and not self.graph:
            raise BadParameter("is about a graph; add --graph", param_hint="--graph-option")
        others = ("graph_option", *POLICIES)
        keywords = {name: value for name, value in self.given().items() if name not in others}
        return keywords | ({"graph": dict(self.graph_option) or True} if self.graph else {})


@dataclass(frozen=True)
class MatrixOptions(ReadingOptions):
    """How D is read, where it is not recognised."""

    symmetrize: Literal["mean", "min", "max"] | None = Option(
        None, help="What to take where D is not symmetric. Default: an error."
    )
    similarities: Literal["convert", "refuse"] = Option(
        "refuse", help="convert: take the distances of the kernel where D holds similarities."
    )

    def relation_keywords(self) -> dict[str, Any]:
        """Return the keywords of ``LoadedMatrix.relation`` that were given."""
        return {name: value for name, value in self.given().items() if name in POLICIES}


@dataclass(frozen=True)
class LabelOptions(OptionGroup):
    """How Y is read, where it is not recognised."""

    column: str | None = Option(None, metavar="NAME", help="The column that holds the labels.")
    labels_delimiter: str | None = Option(None, metavar="C", help="What separates two cells.")
    labels_encoding: str | None = Option(None, metavar="NAME", help="Of the text, such as cp1252.")
    labels_header: bool | None = Option(None, help="Whether the first line names the columns.")

    def load_keywords(self) -> dict[str, Any]:
        """Return the keywords of ``load_labels`` that were given."""
        return {name.removeprefix("labels_"): value for name, value in self.given().items()}
