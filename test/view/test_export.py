"""A recorded run as one page: complete, and the whole run."""

from __future__ import annotations

import time

from browser import open_chromium, wait_for
import pytest

from simloop_ros.cli.main import main

pytest.importorskip('viser')

from simloop_ros.assembly.assemble import assemble
from simloop_ros.assembly.run import run
from simloop_ros.scenario.loading import load_scenario
from simloop_ros.view.page.export import RATE, write_page
from simloop_ros.view.page.server import serve
from simloop_ros.view.recorded.recorded_source import RecordedSource


@pytest.fixture(scope='module')
def recorded(tmp_path_factory):
    folder = tmp_path_factory.mktemp('export') / 'run'
    run(assemble(load_scenario('sphere_collision', ())), folder, time.perf_counter)
    return folder


def test_page_has_the_whole_run(recorded, tmp_path):
    path, served = tmp_path / 'run.html', serve(port=0)
    source = RecordedSource(recorded, time.perf_counter)
    done = []
    try:
        written = write_page(served.server, source, path, done.append)
    finally:
        served.stop()
    assert written.duration == source.duration
    assert written.frames == pytest.approx(RATE * source.duration, abs=2.0)
    assert (written.size, written.rate) == (path.stat().st_size, RATE)
    assert done == sorted(done)
    assert '<title>sphere_collision (recorded)</title>' in path.read_text()


def test_page_opens_from_the_disk(recorded, tmp_path, capsys):
    browser = open_chromium()
    try:
        page = tmp_path / 'run.html'
        assert main(['view', str(recorded), '--html', str(page)]) == 0
        assert 'MB' in capsys.readouterr().out
        browser.get(f'file://{page}')
        wait_for(
            lambda: browser.execute_script('return document.querySelector("canvas") !== null'),
            'the scene is drawn',
        )
        severe = [e for e in browser.get_log('browser') if e['level'] == 'SEVERE']
        assert not severe
        assert 'sphere_collision' in browser.title
    finally:
        browser.quit()


@pytest.mark.parametrize(
    ('given', 'words'),
    [
        (['yumi_step', '--html', 'x.html'], 'of a recorded run'),
        (['.', '--html', 'x.html'], 'not the folder of a run'),
        (['.', '--no-browser', '--set', 'period=0.01'], 'has run already'),
        (['cut.mcap', '--no-browser'], 'not a complete log'),
        (['gone.mcap', '--no-browser'], 'not there'),
    ],
)
def test_what_cannot_be_shown_is_one_line(tmp_path, monkeypatch, capsys, given, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'cut.mcap').write_bytes(b'\x89MCAP0')
    assert main(['view', '--port', '0', *given]) == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count('\n') == 1
