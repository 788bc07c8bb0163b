"""The words of each command, one file each; nothing is loaded before a command runs."""

from relrbf.cli.options.cluster import add_cluster
from relrbf.cli.options.completion import add_completion
from relrbf.cli.options.demo import add_demo
from relrbf.cli.options.embed import add_embed
from relrbf.cli.options.fit import add_fit
from relrbf.cli.options.inspect import add_inspect
from relrbf.cli.options.predict import add_predict
from relrbf.cli.options.relate import add_relate
from relrbf.cli.options.repair import add_repair
from relrbf.cli.options.show import add_show
from relrbf.cli.options.vat import add_vat

COMMANDS = (
    add_inspect,
    add_relate,
    add_fit,
    add_predict,
    add_show,
    add_vat,
    add_embed,
    add_repair,
    add_cluster,
    add_demo,
    add_completion,
)

__all__ = ["COMMANDS"]
