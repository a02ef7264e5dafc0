"""What ``docs/robotstudio.md`` says of the format, the defaults and the RAPID program is true."""

from __future__ import annotations

from pathlib import Path
import re

import pytest

from simloop_ros.core.errors import MessageError
from simloop_ros.robotstudio.config import LinkConfig
from simloop_ros.robotstudio.packet import ANGLE_WIDTH, OK, PACKET_SIZE, Target, decode, refusal

PAGE = (Path(__file__).parents[2] / 'docs' / 'robotstudio.md').read_text()
RAPID = re.findall(r'```rapid\n(.*?)```', PAGE, re.DOTALL)[0]


def test_the_example_packet() -> None:
    (packet,) = re.findall(r'^`([-.\d]+)`: go to', PAGE, re.MULTILINE)
    assert decode(packet.encode()) == Target((0.0, -90.0, 12.346, 180.0, 0.0, 360.0), 2.5)


def test_the_rapid_program_has_the_widths_and_the_answers_of_the_client() -> None:
    constants = dict(re.findall(r'CONST num (\w+) := (\d+);', RAPID))
    assert int(constants['packet_size']) == PACKET_SIZE
    assert int(constants['angle_width']) == ANGLE_WIDTH
    assert int(constants['own_port']) == LinkConfig().port
    (start, width) = re.findall(r'StrPart\(text, (\d+), (\d+)\)', RAPID)[0]
    assert int(start) - 1 + int(width) == PACKET_SIZE
    assert int(start) - 1 == 6 * ANGLE_WIDTH
    answers = [text.replace('\\0A', '\n').encode() for text in re.findall(r'\\Str:="(.*)"', RAPID)]
    assert OK in answers
    assert {refusal(answer) for answer in answers} == {'', 'not a packet'}


def test_an_answer_that_the_page_says_is_refused() -> None:
    (answer,) = re.findall(r'A carriage return \(`(.*)`\) is refused', PAGE)
    with pytest.raises(MessageError):
        refusal(answer.replace(r'\r\n', '\r\n').encode())


@pytest.mark.parametrize(('open_', 'close'), [('FUNC', 'ENDFUNC'), ('WHILE', 'ENDWHILE')])
def test_the_rapid_program_closes_what_it_opens(open_: str, close: str) -> None:
    words = re.findall(r'\w+', re.sub(r'!.*|".*?"', '', RAPID))
    assert words.count(open_) == words.count(close) > 0


def test_the_defaults() -> None:
    config = LinkConfig()
    for option, default in (
        ('`--host`, `--port`', f'{config.host}, {config.port}'),
        ('`--every`', f'{config.move_time:g} s'),
        ('`--approach`', f'{config.approach_time:g} s'),
        ('`--timeout`', f'{config.answer_timeout:g} s'),
    ):
        assert f'| {option} | {default} |' in PAGE
