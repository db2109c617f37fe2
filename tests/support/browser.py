"""Chromium of the system, without a window and without a network."""

from __future__ import annotations

import json
import os
import shutil
from contextlib import contextmanager
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from selenium.webdriver import Chrome


INSTALL = "apt-get install --no-install-recommends chromium chromium-driver"
"""What installs the browser on Debian."""

PROGRAMS = ("chromium", "chromedriver")

ARGUMENTS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--hide-scrollbars",
)


def missing_programs() -> list[str]:
    """Return the programs of the browser that are not installed."""
    return [program for program in PROGRAMS if shutil.which(program) is None]


@contextmanager
def chromium(profile: Path) -> Iterator[Chrome]:
    """Start the browser, and stop it at the end."""
    from selenium.webdriver import Chrome, ChromeOptions, ChromeService  # noqa: PLC0415 - it takes a second

    # Selenium downloads a browser and a driver unless both are named.
    os.environ["SE_OFFLINE"] = "true"
    options = ChromeOptions()
    options.binary_location = str(shutil.which("chromium"))
    for argument in (*ARGUMENTS, f"--user-data-dir={profile}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    driver = Chrome(options=options, service=ChromeService(executable_path=str(shutil.which("chromedriver"))))
    try:
        yield driver
    finally:
        driver.quit()


def set_screen(driver: Chrome, width: int) -> None:
    """Change the size of the page."""
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def requests(driver: Chrome) -> list[str]:
    """Return the addresses that were requested since the last call."""
    log = driver.get_log("performance")  # type: ignore[no-untyped-call]
    messages: list[dict[str, Any]] = [json.loads(entry["message"])["message"] for entry in log]
    return [
        message["params"]["request"]["url"] for message in messages if message["method"] == "Network.requestWillBeSent"
    ]


VOID = frozenset({"input", "link", "meta"})


@dataclass(eq=False)
class Node:
    """One element."""

    tag: str
    attributes: dict[str, str | None] = field(default_factory=dict)
    children: list[Node | str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All text inside of it."""
        return "".join(child if isinstance(child, str) else child.text for child in self.children)

    def all(self, tag: str = "", **attributes: str) -> list[Node]:
        """Return the elements inside of it with a name and attributes; of ``class_`` one word is enough."""
        return [node for node in self._below() if _matches(node, tag, attributes)]

    def one(self, tag: str = "", **attributes: str) -> Node:
        """Return the only element inside of it with a name and attributes."""
        (node,) = self.all(tag, **attributes)
        return node

    def _below(self) -> Iterator[Node]:
        for child in self.children:
            if isinstance(child, Node):
                yield child
                yield from child._below()


def _matches(node: Node, tag: str, attributes: dict[str, str]) -> bool:
    if tag and node.tag != tag:
        return False
    for name, value in attributes.items():
        key = name.rstrip("_").replace("_", "-")
        held = node.attributes.get(key)
        if value != held and not (key == "class" and value in (held or "").split()):
            return False
    return True


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.stack = [Node("")]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs), f"{tag} has an attribute twice: {attrs}"
        node = Node(tag, dict(attrs))
        self.stack[-1].children.append(node)
        if tag not in VOID:
            self.stack.append(node)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.stack[-1].children.append(Node(tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.stack.pop().tag == tag

    def handle_data(self, data: str) -> None:
        self.stack[-1].children.append(data)


def html_tree(page: str) -> Node:
    """Parse a page; every element has to be closed."""
    builder = _Builder()
    builder.feed(page)
    builder.close()
    (root,) = builder.stack
    return root
