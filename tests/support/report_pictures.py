"""``python -m support.report_pictures``: make the picture of the HTML report in the documentation.

With a folder as its argument it makes pictures of reports of 1, 30 and 500 tables there instead: light and dark, on a
screen and on a phone.
"""

from __future__ import annotations

import base64
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_delta_schema.report.html_report import html_page
from support.browser import chromium, set_screen
from support.reports import large_report

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

PICTURE = Path(__file__).parents[2] / "docs" / "guides" / "images" / "report.png"


def main(arguments: list[str]) -> None:
    """Make the pictures."""
    with tempfile.TemporaryDirectory() as folder, chromium(Path(folder) / "profile") as driver:
        page = Path(folder) / "delta-report.html"
        if not arguments:
            page.write_text(html_page(large_report(30)), "utf-8")
            PICTURE.parent.mkdir(exist_ok=True)
            set_screen(driver, 1280, 1000)
            driver.get(page.as_uri())
            picture(driver, PICTURE)
            return
        for tables in (1, 30, 500):
            page.write_text(html_page(large_report(tables)), "utf-8")
            for theme in ("light", "dark"):
                for width in (1280, 360):
                    set_screen(driver, width, 3000, theme=theme)
                    driver.get(page.as_uri())
                    picture(driver, Path(arguments[0]) / f"{tables}-{theme}-{width}.png")
                    driver.execute_script("document.querySelector('.diagram').scrollIntoView()")
                    picture(driver, Path(arguments[0]) / f"{tables}-{theme}-{width}-end.png")


def picture(driver: Chrome, path: Path) -> None:
    """Write a picture of what the screen shows."""
    shot = driver.execute_cdp_cmd("Page.captureScreenshot", {})
    path.write_bytes(base64.b64decode(shot["data"]))


if __name__ == "__main__":
    main(sys.argv[1:])
