"""A real browser without a window, which draws with the processor."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
import importlib.util
import shutil
import tempfile
from typing import Any

from simloop_ros.core.errors import MissingDependencyError

BROWSERS, DRIVER = ('chromium', 'chromium-browser', 'google-chrome'), 'chromedriver'
OPTIONS = (
    '--headless=new',
    '--no-sandbox',
    '--use-angle=swiftshader',
    '--enable-unsafe-swiftshader',
    '--disable-background-networking',
    '--disable-dev-shm-usage',
    '--hide-scrollbars',
)


def missing() -> str:
    """Return what is missing to start a browser; empty where nothing is."""
    if importlib.util.find_spec('selenium') is None:
        return "selenium: pip install 'selenium>=4.10'"
    if not any(map(shutil.which, BROWSERS)) or not shutil.which(DRIVER):
        return 'Chromium and its driver: apt install chromium chromium-driver'
    return ''


@contextmanager
def chromium(width: int, height: int) -> Iterator[Any]:
    """Yield a driver of selenium, and end the browser afterwards.

    :param width: of the page [pixels], with its ``height``.
    :raises MissingDependencyError: there is no browser.
    """
    if missing():
        raise MissingDependencyError(f'a browser is needed, and there is none: {missing()}')
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = next(filter(None, map(shutil.which, BROWSERS)))
    options.set_capability('goog:loggingPrefs', {'browser': 'ALL'})
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        for option in (*OPTIONS, f'--user-data-dir={profile}', f'--window-size={width},{height}'):
            options.add_argument(option)
        driver = webdriver.Chrome(options=options, service=Service(shutil.which(DRIVER)))
        try:
            driver.execute_cdp_cmd(
                'Emulation.setDeviceMetricsOverride',
                {'width': width, 'height': height, 'deviceScaleFactor': 1, 'mobile': False},
            )
            yield driver
        finally:
            driver.quit()
