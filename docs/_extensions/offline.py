"""The site needs no network: a page that would fetch anything fails the build."""

import re
from pathlib import Path
from typing import Any

# A link that is followed by a click is no request; a script, a style, a picture or a font is.
FETCHED = re.compile(
    r"""<(?:script|img|iframe|source|video|audio|embed|object)\b[^>]*?(?:src|data)=["']?(?:https?:)?//"""
    r"""|<link\b(?![^>]*rel=["']?(?:canonical|author|search|index))[^>]*?href=["']?(?:https?:)?//"""
    r"""|@import\s+(?:url\()?["']?(?:https?:)?//|url\(\s*["']?(?:https?:)?//""",
    re.IGNORECASE,
)


def requests_of(site: Path) -> list[str]:
    """Return what the pages and styles of a site would fetch from elsewhere."""
    files = [*site.rglob("*.html"), *site.rglob("*.css")]
    found = [(file, hit) for file in files for hit in FETCHED.finditer(file.read_text("utf-8"))]
    return [f"{file.relative_to(site)}: {hit.group()}" for file, hit in found]


def judge(app: Any, exception: Exception | None) -> None:
    """Fail where the finished site would fetch anything."""
    if exception is None and app.builder.format == "html":
        found = requests_of(Path(app.outdir))
        if found:
            raise RuntimeError("the site would fetch from the network:\n" + "\n".join(found))


def setup(app: Any) -> dict[str, Any]:
    """Judge the site once it is built."""
    app.connect("build-finished", judge)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
