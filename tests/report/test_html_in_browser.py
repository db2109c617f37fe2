"""The page in a browser: it opens, filters, copies and prints, also on a phone, and asks no one for anything."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

from pytest_delta_schema.report.html_report import html_page
from support import browser
from support.reports import DRIFTED, IN_SYNC, hostile_report, sample_report

MISSING = browser.missing_programs()
IN_CI = os.environ.get("CI") == "true"

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

    def open_report(report, width=1280, fragment=""):
        path = tmp_path / "report.html"
        path.write_text(html_page(report), "utf-8")
        browser.set_screen(driver, width)
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


class TestKeyboard:
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


class TestPlaces:
    def test_a_link_to_a_table_opens_it(self, opened):
        driver = opened(
            sample_report(IN_SYNC, *[replace(IN_SYNC, name=f"dev.silver.{name}") for name in "ab"]), fragment="#table-2"
        )
        wait(driver, "document.querySelector('#table-2[open]')")

        driver.execute_script("location.hash = '#table-3'")
        wait(driver, "document.querySelector('#table-3[open]')")

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


class TestHostileTexts:
    def test_names_comments_and_sql_stay_text(self, opened):
        driver = opened(hostile_report(sample_report()))
        element(driver, "#open-all").click()

        assert driver.execute_script("return typeof window.hacked") == "undefined"
        assert driver.find_elements("css selector", "img, iframe, body script, [onerror]") == []
        assert driver.execute_script("return document.body.textContent.split('<script>hacked=1').length") > 40
