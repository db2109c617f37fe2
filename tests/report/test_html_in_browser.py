"""The page in a browser: it opens, filters, copies and prints, by keyboard and on a phone, and asks no one for anything."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from pytest_delta_schema.report.html_report import html_page
from support import browser
from support.reports import BLOCKED, DRIFTED, IN_SYNC, RUN, UNREADABLE, hostile_report, large_report, sample_report

MISSING = browser.missing_programs()
IN_CI = os.environ.get("CI") == "true"
LONG = "a_very_long_name_without_any_place_to_break_it" * 4

pytestmark = pytest.mark.skipif(
    bool(MISSING) and not IN_CI,
    reason=f"{' and '.join(MISSING)} missing; install with: {browser.INSTALL}",
)


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    assert not MISSING, f"install the browser: {browser.INSTALL}"
    with browser.chromium(tmp_path_factory.mktemp("profile")) as driver:
        yield driver


@pytest.fixture
def opened(driver, tmp_path):
    """Open a report; at the end no message is in the console, and nothing but the page was requested."""

    def open_report(report, width=1280, theme="light", fragment=""):
        path = tmp_path / "report.html"
        path.write_text(html_page(report), "utf-8")
        browser.set_screen(driver, width, theme=theme)
        driver.get(path.as_uri() + fragment)
        return driver

    driver.get("about:blank")
    driver.get_log("browser")
    browser.requests(driver)
    yield open_report
    requested = {address.partition("#")[0] for address in browser.requests(driver)} - {"data:,", "about:blank"}
    assert driver.get_log("browser") == []
    assert requested == {(tmp_path / "report.html").as_uri()}


def shown(driver):
    return driver.execute_script(
        "return [...document.querySelectorAll('details.table:not([hidden]) h3')].map((name) => name.textContent)",
    )


def element(driver, selector):
    return driver.find_element("css selector", selector)


def wait(driver, script):
    """Wait until a script returns something."""
    driver.set_script_timeout(5)
    driver.execute_async_script(
        f"const done = arguments[0]; const look = () => (({script})) ? done() : setTimeout(look, 10); look()",
    )


def keys(driver, *pressed):
    for key in pressed:
        driver.switch_to.active_element.send_keys(key)


def focused(driver):
    return driver.execute_script("const at = document.activeElement; return at.id || at.name || at.textContent.trim()")


class TestFilters:
    def test_by_status_and_risk(self, opened):
        chosen = [
            (["[value=drifted]"], ["dev.silver.orders"]),
            (["[value=drifted]", "[value='in sync']"], ["dev.silver.orders", "dev.silver.regions"]),
            (["[value=destructive]"], ["dev.silver.customers"]),
            (["[value=metadata]", "[value=destructive]"], ["dev.silver.customers", "dev.silver.orders"]),
            (["[value=drifted]", "[value=destructive]"], []),
        ]
        driver = opened(sample_report())
        for selectors, tables in chosen:
            for selector in selectors:
                element(driver, f"#filters {selector}").click()
            wait(driver, f"document.getElementById('shown').textContent === '{len(tables)} of 4 shown'")

            assert shown(driver) == tables
            assert element(driver, "#none").is_displayed() == (not tables)

            element(driver, "[type=reset]").click()
            wait(driver, "document.getElementById('shown').textContent === '4 of 4 shown'")
            assert len(shown(driver)) == 4

    def test_by_text(self, opened):
        texts = {
            "regions": ["dev.silver.regions"],
            "AMOUNT bigint": ["dev.silver.orders"],
            "ds201": ["dev.silver.customers"],
            "no such thing": [],
        }
        driver = opened(sample_report())
        for text, tables in texts.items():
            element(driver, "[type=reset]").click()
            wait(driver, "document.getElementById('shown').textContent === '4 of 4 shown'")
            element(driver, "[type=search]").send_keys(text, "\n")
            wait(driver, f"document.getElementById('shown').textContent === '{len(tables)} of 4 shown'")

            assert shown(driver) == tables

    def test_by_schema(self, opened):
        driver = opened(sample_report(DRIFTED, replace(IN_SYNC, name="dev.gold.sums")))
        element(driver, "option[value='dev.gold']").click()
        wait(driver, "document.getElementById('shown').textContent === '1 of 2 shown'")

        assert shown(driver) == ["dev.gold.sums"]
        assert not element(driver, "#failing").is_displayed()

    def test_a_single_schema_is_no_choice(self, opened):
        assert not element(opened(sample_report()), "select").is_displayed()

    def test_the_diagram_fades_what_is_filtered_out(self, opened):
        driver = opened(large_report(30))
        element(driver, "#filters [value=blocked]").click()
        wait(driver, "document.getElementById('shown').textContent === '1 of 30 shown'")

        assert len(driver.find_elements("css selector", "a.node:not(.faded)")) == 1

    def test_a_thousand_tables(self, opened):
        driver = opened(large_report(1000, 2, all_drift=True))
        element(driver, "[type=search]").send_keys("campaigns_39")
        wait(driver, "document.getElementById('shown').textContent === '1 of 1000 shown'")

        assert shown(driver) == ["dev.silver.campaigns_39"]


class TestKeyboard:
    def test_the_first_key_leads_to_a_link_that_skips_to_the_tables(self, opened):
        driver = opened(sample_report())
        keys(driver, "\t")
        assert focused(driver) == "Skip to the tables"
        assert element(driver, ".skip").rect["x"] >= 0

        keys(driver, "\n", "\t")
        assert driver.execute_script("return document.activeElement.matches('#table-1 > summary')")

    def test_controls_are_reached_in_the_order_of_the_page(self, opened):
        driver = opened(sample_report())
        order = []
        while "table-1" not in (driver.execute_script("return document.activeElement.closest('details')?.id") or ""):
            keys(driver, "\t")
            order.append(focused(driver))

        assert order[:2] == ["Skip to the tables", "theme"]
        assert order[2:5] == ["Tables that fail (3)", "Tables in order (1)", "Codes"]
        assert order[5:13] == [*["status"] * 4, *["risk"] * 3, "text"]
        assert order[13:15] == ["Clear filters", "open-all"]

    def test_enter_opens_a_table_and_its_buttons_copy(self, opened):
        driver = opened(sample_report(*[replace(DRIFTED, name=f"a.b.c{number}") for number in range(6)]))
        driver.execute_script("document.querySelector('summary').focus()")
        keys(driver, "\n")
        wait(driver, "document.querySelector('#table-1[open] button.copy')")

        driver.execute_script("document.querySelector('#table-1 button.copy').focus()")
        keys(driver, "\n")
        wait(driver, "/Copied|Selected/.test(document.querySelector('button.copy').textContent)")
        if element(driver, "button.copy").text == "Selected":
            selected = driver.execute_script("return getSelection().toString()")
            assert selected == "ALTER TABLE `ci`.`silver`.`orders` ADD COLUMNS (`note` STRING);"

    def test_all_tables_open_and_close(self, opened):
        driver = opened(sample_report())
        button = element(driver, "#open-all")
        button.click()
        assert len(driver.find_elements("css selector", "details.table[open]")) == 4
        assert button.text == "Close all"

        button.click()
        assert driver.find_elements("css selector", "details.table[open]") == []

    def test_focus_can_be_seen(self, opened):
        driver = opened(sample_report())
        for selector in ("#theme", "summary", "[type=search]", "nav a"):
            keys(driver, "\t")
            outline = driver.execute_script(
                f"const node = document.querySelector('{selector}'); node.focus({{focusVisible: true}});"
                "const style = getComputedStyle(node); return style.outlineStyle + style.outlineWidth",
            )
            assert outline == "solid2px", selector


class TestThemes:
    def test_the_button_chooses_and_the_choice_stays(self, opened):
        driver = opened(sample_report())
        button = element(driver, "#theme")
        scheme = "return getComputedStyle(document.documentElement).colorScheme"
        states = []
        for _ in range(3):
            states.append((button.text, driver.execute_script(scheme)))
            button.click()
        button.click()
        driver.refresh()

        assert states == [("Theme: system", "light dark"), ("Theme: light", "light"), ("Theme: dark", "dark")]
        assert element(driver, "#theme").text == "Theme: light"
        driver.execute_script("localStorage.clear()")

    @pytest.mark.parametrize("theme", ["light", "dark"])
    def test_texts_have_enough_contrast(self, opened, theme):
        driver = opened(replace(everything(), runs=(replace(RUN, is_complete=False),)), theme=theme)
        element(driver, "#open-all").click()
        low = driver.execute_script(Path(__file__).with_name("contrasts.js").read_text("utf-8"))

        assert low["count"] > 100
        assert low["texts"] == []


def everything():
    """Return a report with each kind of content."""
    return replace(
        large_report(30),
        tables=(*large_report(30).tables, UNREADABLE, BLOCKED, DRIFTED),
        unmanaged=sample_report().unmanaged,
    )


class TestStructure:
    def test_landmarks_and_headings(self, opened):
        driver = opened(everything())
        element(driver, "#open-all").click()
        levels = driver.execute_script(
            "return [...document.querySelectorAll('h1,h2,h3,h4,h5,h6')].map((node) => Number(node.tagName[1]))",
        )

        assert driver.execute_script("return document.documentElement.lang") == "en"
        assert [len(driver.find_elements("css selector", name)) for name in ("header", "nav", "main", "h1")] == [1] * 4
        assert all(after - before <= 1 for before, after in pairwise(levels))
        assert levels[0] == 1

    def test_every_control_has_a_name(self, opened):
        driver = opened(everything())
        element(driver, "#open-all").click()
        driver.execute_cdp_cmd("Accessibility.enable", {})
        nodes = driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
        driver.execute_cdp_cmd("Accessibility.disable", {})
        roles = {"button", "checkbox", "combobox", "link", "searchbox", "DisclosureTriangle", "image", "region"}
        controls = [node for node in nodes if not node["ignored"] and node["role"]["value"] in roles]

        assert {node["role"]["value"] for node in controls} >= roles - {"combobox"}
        assert [node["role"]["value"] for node in controls if not node["name"]["value"].strip()] == []

    def test_changes_of_the_filter_are_announced(self, opened):
        assert element(opened(sample_report()), "#shown").get_attribute("aria-live") == "polite"

    def test_colour_is_not_the_only_mark(self, opened):
        driver = opened(sample_report())

        assert [badge.text for badge in driver.find_elements("css selector", ".badge")] == [
            "unreadable",
            "blocked",
            "drifted",
            "in sync",
        ]
        assert len(set(re.findall(r"#shape-\w+", driver.page_source))) == 4


class TestPlaces:
    def test_the_page_never_scrolls_sideways(self, opened):
        long = [replace(change, path=f"columns.{LONG}", before=LONG, after=LONG) for change in DRIFTED.changes]
        odd = replace(DRIFTED, name=f"dev.silver.{LONG}", stored_as=f"ci.silver.{LONG}", changes=tuple(long))
        for width in (360, 768, 1280):
            driver = opened(replace(everything(), tables=(odd, *everything().tables)), width=width)
            element(driver, "#open-all").click()

            assert driver.execute_script("return document.documentElement.scrollWidth") == width

    @pytest.mark.parametrize("width", [360, 500, 700, 900])
    def test_all_columns_are_inside_of_the_frame(self, opened, width):
        driver = opened(everything(), width=width)
        element(driver, "#open-all").click()
        for frame in (".schemas[open] .scroll", ".scroll:has(.changes)"):
            outside, number = driver.execute_script(
                """
                const cells = [...document.querySelectorAll(arguments[0])].flatMap((frame) => {
                  const right = frame.getBoundingClientRect().right + 1;
                  return [...frame.querySelectorAll("th, td")].map((cell) => [cell.getBoundingClientRect().right > right, cell]);
                });
                return [cells.filter(([isOutside]) => isOutside).map(([, cell]) => cell.textContent), cells.length];
                """,
                frame,
            )
            assert number > 20
            assert outside == []

    def test_a_link_to_a_table_opens_it(self, opened):
        driver = opened(large_report(30), fragment="#table-20")
        wait(driver, "document.querySelector('#table-20[open]')")
        keys(driver, "\t")
        assert driver.execute_script("return document.activeElement.matches('#table-20 > summary')")

        driver.execute_script("location.hash = '#table-25'")
        wait(driver, "document.querySelector('#table-25[open]')")

    def test_a_link_to_a_code_opens_its_meaning(self, opened):
        driver = opened(sample_report())
        element(driver, "a[href='#code-DD102']").click()
        wait(driver, "document.querySelector('#code-DD102[open]')")
        assert element(driver, "#code-DD102 p").is_displayed()

    def test_a_link_to_a_table_that_a_filter_hides_shows_it(self, opened):
        driver = opened(large_report(30))
        element(driver, "#filters [value=blocked]").click()
        wait(driver, "document.getElementById('shown').textContent === '1 of 30 shown'")
        driver.execute_script(
            "document.querySelector('a.node.faded').dispatchEvent(new MouseEvent('click', {bubbles: true}))",
        )
        wait(driver, "document.getElementById('shown').textContent === '30 of 30 shown'")

    def test_the_diagram_changes_its_size(self, opened):
        driver = opened(large_report(100))
        width = "return Number(document.querySelector('.canvas svg').getAttribute('width'))"
        sizes = []
        for way in ("full", "in", "out", "fit"):
            element(driver, f"[data-zoom={way}]").click()
            sizes.append(driver.execute_script(width))

        assert sizes[0] < sizes[1]
        assert sizes[2] == pytest.approx(sizes[0])
        assert sizes[3] <= driver.execute_script("return document.querySelector('.canvas').clientWidth")

    def test_without_a_script_everything_is_shown_and_nothing_is_a_dead_control(self, opened, driver):
        driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
        try:
            opened(sample_report())
            text = element(driver, "body").text
            controls = [
                node for node in driver.find_elements("css selector", "button, input, select") if node.is_displayed()
            ]
        finally:
            driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})

        assert controls == []
        assert "column legacy would be dropped" in text
        assert "Tables by status" in text

    def test_paper_has_every_detail(self, opened):
        driver = opened(sample_report(replace(IN_SYNC, notes=DRIFTED.notes)))
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        visible = driver.execute_script("return document.querySelector('li.note').checkVisibility()")
        driver.execute_script("dispatchEvent(new Event('beforeprint'))")
        opened_for_print = len(driver.find_elements("css selector", "details:not([open])"))
        driver.execute_script("dispatchEvent(new Event('afterprint'))")
        closed_again = len(driver.find_elements("css selector", "details:not([open])"))
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})

        assert (visible, opened_for_print, closed_again) == (True, 0, 1)


class TestHostileTexts:
    def test_names_comments_and_sql_stay_text(self, opened):
        driver = opened(hostile_report(everything()))
        element(driver, "#open-all").click()

        assert driver.execute_script("return typeof window.hacked") == "undefined"
        assert driver.find_elements("css selector", "img, iframe, body script, [onerror]") == []
        assert driver.execute_script("return document.body.textContent.split('<script>hacked=1').length") > 100

    def test_copied_sql_is_what_was_planned(self, opened):
        sql = "ALTER TABLE `a<b>&amp;\t``c` SET TBLPROPERTIES ('k' = 'it\\'s\n</pre>\u00e9')"
        odd = replace(DRIFTED, statements=(replace(DRIFTED.statements[0], sql=sql),))
        driver = opened(sample_report(odd))

        assert driver.execute_script("return document.querySelector('ol pre').textContent") == f"{sql};".replace(
            "\n",
            "\\n",
        )
