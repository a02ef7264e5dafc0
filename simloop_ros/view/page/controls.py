"""Buttons, sliders and fields of a page."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import viser

from ..actions import (
    Action,
    Halt,
    Load,
    Pause,
    Play,
    PutPayload,
    Reset,
    Resume,
    Save,
    Seek,
    SetKey,
    SetSpeed,
    Step,
)
from ..description import Description, LiveKey
from ..frame import Frame, Progress
from .throwing import Throwing

Send = Callable[[Action], None]

SPEEDS = {
    '0.1 x': 0.1,
    '0.25 x': 0.25,
    '0.5 x': 0.5,
    '1 x': 1.0,
    '2 x': 2.0,
    '5 x': 5.0,
    'as fast as it goes': 0.0,
}
STIFFNESS, MAX_FORCE = 300.0, 40.0
"""Of a hand at first [N/m, N]: firm, but no force that a person could not exert."""
BACK = 5.0
"""How far the button goes back [s]."""
HEAVIEST = 5.0


class Controls:
    """The controls that a source has abilities for.

    :param send: takes actions.
    :param scenarios: that can be chosen.
    """

    def __init__(
        self,
        gui: viser.GuiApi,
        description: Description,
        send: Send,
        scenarios: Sequence[str] = (),
    ):
        self._gui, self._description, self._send = gui, description, send
        self._status = gui.add_markdown('')
        self._shown = ''
        abilities = description.abilities
        self._time: viser.GuiSliderHandle[float] | None = None
        self._setting = False
        with gui.add_folder('Run'):
            self._add_run()
        if abilities.grips:
            with gui.add_folder('Push with the mouse'):
                self._add_push()
        if abilities.throws:
            with gui.add_folder('Throw a ball', expand_by_default=False):
                Throwing(gui, description.model, send)
        if abilities.payloads:
            with gui.add_folder('Payload', expand_by_default=False):
                self._add_payload()
        if description.keys:
            with gui.add_folder('Settings', expand_by_default=False):
                for key in description.keys:
                    self._add_key(key)
        if abilities.loads and scenarios:
            with gui.add_folder('Scenario', expand_by_default=False):
                self._add_scenarios(scenarios)

    @property
    def stiffness(self) -> float:
        """Return the stiffness of a hand [N/m]."""
        return float(self._stiffness.value)

    @property
    def max_force(self) -> float:
        """Return the largest force of a hand [N]."""
        return float(self._force.value)

    def show(self, frame: Frame) -> None:
        """Show how the run goes."""
        text = status_text(frame)
        if text != self._shown:
            self._status.content = self._shown = text
        if self._time is not None:
            self._setting = True
            latest = max(frame.progress.latest, self._description.period)
            if latest > self._time.max or latest < self._time.max - 1.0:
                self._time.max = latest
            self._time.value = min(frame.time, self._time.max)
            self._setting = False

    def _add_run(self) -> None:
        gui, send, abilities = self._gui, self._send, self._description.abilities
        if abilities.pauses:
            gui.add_button('Play').on_click(lambda _: send(Play()))
            gui.add_button('Pause').on_click(lambda _: send(Pause()))
        if abilities.steps:
            gui.add_button('Step', hint='one period').on_click(lambda _: send(Step()))
            gui.add_button('Reset', hint='back to the start').on_click(lambda _: send(Reset()))
            speed = gui.add_dropdown('speed', tuple(SPEEDS), initial_value='1 x')
            speed.on_update(lambda _: send(SetSpeed(SPEEDS[speed.value])))
        if abilities.rewinds:
            self._time = time = gui.add_slider(
                'time [s]', min=0.0, max=1.0, step=0.01, initial_value=0.0
            )
            time.on_update(lambda _: None if self._setting else send(Seek(float(time.value))))
            back = gui.add_button(f'{BACK:g} s back')
            back.on_click(lambda _: send(Seek(max(0.0, float(time.value) - BACK))))
        if abilities.live:
            gui.add_button('Stop the robot', color='red').on_click(lambda _: send(Halt()))
            gui.add_button('Resume').on_click(lambda _: send(Resume()))
        if abilities.records:
            folder = gui.add_text('folder', f'runs/view_{self._description.title}')
            save = gui.add_button(
                'Save the session', hint='as a scenario that simloop run repeats'
            )
            save.on_click(lambda _: send(Save(folder.value)))

    def _add_push(self) -> None:
        gui = self._gui
        gui.add_markdown('Drag any link. Let go of the button to let go of the robot.')
        self._stiffness = gui.add_slider(
            'stiffness [N/m]', min=20.0, max=2000.0, step=10.0, initial_value=STIFFNESS
        )
        self._force = gui.add_slider(
            'largest force [N]', min=1.0, max=200.0, step=1.0, initial_value=MAX_FORCE
        )

    def _add_payload(self) -> None:
        gui, send, tips = self._gui, self._send, self._description.model.tips
        tip = gui.add_dropdown('tip', tips, initial_value=tips[0])
        mass = gui.add_slider('mass [kg]', min=0.0, max=HEAVIEST, step=0.05, initial_value=0.5)
        put = gui.add_button('Put it into the hand', hint='neither control nor monitor know of it')
        put.on_click(lambda _: send(PutPayload(tip.value, float(mass.value))))

    def _add_key(self, key: LiveKey) -> None:
        gui, send = self._gui, self._send
        if isinstance(key.value, bool):
            box = gui.add_checkbox(key.name, key.value, hint=key.description)
            box.on_update(lambda _: send(SetKey(key.name, str(box.value).lower())))
        elif key.choices:
            choice = gui.add_dropdown(
                key.name, key.choices, initial_value=str(key.value), hint=key.description
            )
            choice.on_update(lambda _: send(SetKey(key.name, choice.value)))
        else:
            text = gui.add_text(key.name, f'{key.value:g}', hint=key.description)
            text.on_update(lambda _: send(SetKey(key.name, text.value)))

    def _add_scenarios(self, scenarios: Sequence[str]) -> None:
        gui, send, now = self._gui, self._send, self._description.title
        first = now if now in scenarios else scenarios[0]
        chosen = gui.add_dropdown('scenario', tuple(scenarios), initial_value=first)
        settings = gui.add_text('settings', '', hint='as after --set; several with ;')

        def load(_: object) -> None:
            given = tuple(part.strip() for part in settings.value.split(';') if part.strip())
            send(Load(chosen.value, given))

        gui.add_button('Load').on_click(load)


def status_text(frame: Frame) -> str:
    """Return time, speed and what the monitor says, as Markdown."""
    progress = frame.progress
    lines = [f'**{frame.time:.2f} s** {_pace(progress)}']
    if progress.ended:
        lines.append(f'**ended: {progress.ended}**')
    if frame.activity:
        lines.append(frame.activity)
    alarm = frame.alarm
    if alarm is not None and alarm.kind != 'none':
        where = f' on {alarm.link} ({100.0 * alarm.probability:.0f} %)' if alarm.link else ''
        late = '' if alarm.delay is None else f', noticed after {1e3 * alarm.delay:.0f} ms'
        lines.append(f'**{alarm.kind}**{where}{late}')
    elif alarm is not None:
        lines.append(
            f'no contact, residual {100.0 * max(0.0, alarm.margin):.0f} % of its threshold'
        )
    lines += [
        f'{force.kind} {float((force.vector @ force.vector) ** 0.5):.1f} N on {force.link or "?"}'
        for force in frame.forces
    ]
    return '  \n'.join(lines)


def _pace(progress: Progress) -> str:
    if not progress.playing:
        return 'paused'
    late = f', {100.0 * progress.late_share:.1f} % late' if progress.late_share else ''
    return f'at {progress.factor:.2f} x real time{late}'
