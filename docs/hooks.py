"""Hooks of the documentation's build: the site loads nothing from other hosts."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

_LOADED = {
    "audio": "src",
    "embed": "src",
    "iframe": "src",
    "img": "src",
    "link": "href",
    "object": "data",
    "script": "src",
    "source": "src",
    "video": "src",
}
_STYLE_URL = re.compile(r"(?:url\(\s*['\"]?|@import\s+['\"])((?:https?:)?//[^'\")\s]+)", re.IGNORECASE)


class _Loads(HTMLParser):
    """Collects what a browser loads to show a page."""

    def __init__(self) -> None:
        super().__init__()
        self.urls: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag == "link" and (values.get("rel") or "") in ("canonical", "next", "prev"):
            return
        url = values.get(_LOADED.get(tag, "")) or ""
        if re.match(r"(?:https?:)?//", url, re.IGNORECASE):
            self.urls.append(url)


def external_resources(text: str) -> list[str]:
    """Return the addresses on other hosts that a browser loads when it shows a page or a style sheet.

    Links that a reader may follow are not among them.

    Args:
        text: The HTML of a page, or the CSS of a style sheet.
    """
    loads = _Loads()
    loads.feed(text)
    return [*loads.urls, *_STYLE_URL.findall(text)]


def on_post_build(config: Any, **_: Any) -> None:
    """Fail the build if a page of the site would load something from another host.

    Raises:
        ValueError: With every page and every address.
    """
    site = Path(config["site_dir"])
    wrong = [
        f"{path.relative_to(site)} loads {url}"
        for path in sorted(site.rglob("*"))
        if path.suffix in (".html", ".css")
        for url in external_resources(path.read_text("utf-8"))
    ]
    if wrong:
        raise ValueError("\n".join(wrong))
