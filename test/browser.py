"""Chromium without a screen, at a page of simloop view, as a person uses it."""

from __future__ import annotations

from collections.abc import Callable
import shutil
import threading
import time
from typing import Any

import numpy as np
import pytest

from simloop_ros.scenario.shipped import scenario_names
from simloop_ros.view.actions import LoadScenario
from simloop_ros.view.frame import Frame
from simloop_ros.view.live.live_source import LiveSource

LONGEST = 60.0
"""Time after which something that does not happen is a failure [s]: machines may be busy."""
ARGUMENTS = (
    '--headless=new',
    '--no-sandbox',
    '--use-angle=swiftshader',
    '--enable-unsafe-swiftshader',
    '--disable-background-networking',
    '--window-size=1000,700',
    '--force-device-scale-factor=0.5',  # software draws a quarter of the pixels
)
START = '0.00 s · paused'
"""What the panel says before a run."""
HARMLESS = ('THREE.Clock',)
"""Warnings of the libraries of viser's page."""


def wait_for(condition: Callable[[], Any], what: str) -> Any:
    """Return what a condition gives as soon as it is true."""
    end = time.monotonic() + LONGEST
    while not (found := condition()):
        assert time.monotonic() < end, f'not within {LONGEST:g} s: {what}'
        time.sleep(0.02)
    return found


def open_chromium() -> Any:
    """Start a browser, or skip the test where there is none."""
    webdriver = pytest.importorskip('selenium.webdriver', reason='no selenium')
    chromium = shutil.which('chromium') or shutil.which('chromium-browser')
    driver = shutil.which('chromedriver')
    if chromium is None or driver is None:
        pytest.skip('no browser: chromium and chromedriver (Debian: chromium-driver) are missing')
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in ARGUMENTS:
        options.add_argument(argument)
    options.set_capability('goog:loggingPrefs', {'browser': 'ALL'})
    service = webdriver.chrome.service.Service(driver)
    return webdriver.Chrome(options=options, service=service)


class Watched(LiveSource):
    """A live source that keeps its newest frame for the tests."""

    newest: Frame | None = None

    def frame(self) -> Frame | None:
        frame = super().frame()
        if frame is not None:
            self.newest = frame
        return frame


class ServedPage:
    """A page of a live scenario, served in this process."""

    def __init__(self, load: LoadScenario):
        from simloop_ros.view.page.page import Page
        from simloop_ros.view.page.server import serve

        self.source = Watched(load, time.perf_counter)
        self.served = serve(port=0)
        self.page = Page(self.served.server, self.source, scenario_names())
        self._going = True
        self._thread = threading.Thread(
            target=self.page.run, args=(time.monotonic, time.sleep, lambda: self._going)
        )
        self._thread.start()

    def do(self, *actions: Any) -> None:
        """Send actions as a person's click does."""
        self.page.take(*actions)

    @property
    def frame(self) -> Frame:
        """Return the newest frame."""
        return wait_for(lambda: self.source.newest, 'a frame')

    def load(self, scenario: str, *settings: str) -> None:
        """Choose a scenario, and wait until its page is there."""
        before = self.page.description
        self.do(LoadScenario(scenario, settings))
        wait_for(lambda: self.page.description is not before, f'the page of {scenario}')
        self.source.newest = None

    def stop(self) -> None:
        """End everything."""
        self._going = False
        self._thread.join()
        self.source.close()
        self.served.stop()


class Tab:
    """A tab of a browser at a page."""

    def __init__(self, browser: Any, page: ServedPage):
        self._browser, self._page = browser, page
        before = set(page.served.server.get_clients())
        browser.switch_to.new_window('tab')
        self._handle = browser.current_window_handle
        browser.get(page.served.address)
        clients = page.served.server.get_clients
        new = wait_for(lambda: set(clients()) - before, 'the browser connects')
        self._client = clients()[new.pop()]
        wait_for(lambda: 'real time' in self.text or 'paused' in self.text, 'a frame in the panel')

    @property
    def text(self) -> str:
        """Return what is written on the page."""
        self.show()
        return self._browser.execute_script('return document.body.innerText')

    def wait_for_start(self) -> None:
        """Wait until the browser shows the page's scenario at its start."""
        title = self._page.page.description.title
        wait_for(lambda: title in (text := self.text) and START in text, f'the start of {title}')

    def show(self) -> None:
        """Bring it to the front."""
        if self._browser.current_window_handle != self._handle:
            self._browser.switch_to.window(self._handle)

    def close_notes(self) -> None:
        """Close all notes, among them that of viser about rendering by software."""
        self.show()
        script = (
            'const found = document.querySelectorAll(\'button[class*="Notification-close"]\');'
            'found.forEach(button => button.click());'
            'return found.length === 0'
        )
        wait_for(lambda: self._browser.execute_script(script), 'notes are closed')

    def click(self, label: str) -> None:
        """Click a button."""
        self.show()
        path = f'//button[normalize-space()="{label}"]'
        self._browser.find_element('xpath', path).click()

    def press(self, label: str) -> None:
        """Press a button that may be out of sight."""
        self.show()
        path = f'//button[normalize-space()="{label}"]'
        button = self._browser.find_element('xpath', path)
        self._browser.execute_script('arguments[0].click()', button)

    def unfold(self, folder: str) -> None:
        """Open a folder of the panel."""
        self.show()
        path = f'//*[normalize-space(text())="{folder}"]'
        label = self._browser.find_element('xpath', path)
        self._browser.execute_script('arguments[0].click()', label)

    def type(self, label: str, text: str) -> None:
        """Write into a field that has a label."""
        self.show()
        path = f'//label[normalize-space()="{label}"]/following::input[1]'
        field = self._browser.find_element('xpath', path)
        wait_for(field.is_displayed, f'the field {label}')
        field.clear()
        field.send_keys(text)

    def drag(self, link: str, right: int, down: int) -> None:
        """Take hold of a link and pull [pixel]; the button stays pressed."""
        from selenium.webdriver import ActionChains

        self.close_notes()
        x, y = self.place(link)
        moves = ActionChains(self._browser, duration=50)
        pointer = moves.w3c_actions.pointer_action
        pointer.move_to_location(x, y).pointer_down()
        for share in (0.2, 0.4, 0.6, 0.8, 1.0):
            pointer.move_to_location(x + round(share * right), y + round(share * down))
        moves.perform()
        wait_for(
            lambda: self._page.page.holds(self._client.client_id), f'a hold of {link} at {x}, {y}'
        )

    def let_go(self) -> None:
        """Let go of the mouse's button."""
        from selenium.webdriver import ActionChains

        self.show()
        ActionChains(self._browser).release().perform()

    def place(self, link: str) -> tuple[int, int]:
        """Return where the origin of a link is on the page [pixel]."""
        camera, frame = self._client.camera, self._page.frame
        model = self._page.page.description.model
        point = model.frame_poses(frame.joints, [link])[0].translation
        w, x, y, z = camera.wxyz
        turn = np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        )
        seen = turn.T @ (point - camera.position)  # x right, y down, z forward
        area = self._browser.execute_script(
            'const all = [...document.querySelectorAll("canvas")];'
            'const r = all.map(c => c.getBoundingClientRect())'
            '.sort((a, b) => b.width * b.height - a.width * a.height)[0];'
            'return [r.left, r.top, r.width, r.height]'
        )
        left, top, width, height = area
        scale = 0.5 * height / np.tan(0.5 * camera.fov)
        at = seen[:2] / seen[2] * scale + [left + 0.5 * width, top + 0.5 * height]
        return round(at[0]), round(at[1])

    def errors(self) -> list[str]:
        """Return what the browser's console complains of."""
        self.show()
        return [
            entry['message']
            for entry in self._browser.get_log('browser')
            if entry['level'] in ('SEVERE', 'WARNING')
            and not any(word in entry['message'] for word in HARMLESS)
        ]

    def close(self) -> None:
        """Close it."""
        self.show()
        self._browser.close()
        self._browser.switch_to.window(self._browser.window_handles[0])
