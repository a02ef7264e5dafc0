"""Buttons, sliders and fields of a page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import ceil
from typing import Any

import viser

from ..actions import (
    Action,
    Halt,
    LoadScenario,
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
from ..frame import Frame
from .status import status_text
from .throwing import Throwing

Send = Callable[[Action], None]
MakesAction = Callable[[], Action]

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
BACK = {'1 s': 1.0, '5 s': 5.0}
"""How far the buttons go back [s]."""
SCALE = 10.0
"""The end of the time scale is a multiple of this [s]."""
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
        self._throwing: Throwing | None = None
        self._now = 0.0  # simulated time [s]
        self._add_run()
        if abilities.grips:
            with gui.add_folder('Push with the mouse: drag a link'):
                self._add_push()
        if abilities.throws:
            with gui.add_folder('Throw a ball', expand_by_default=False):
                self._throwing = Throwing(gui, description.model, send)
        if abilities.payloads:
            with gui.add_folder('Payload', expand_by_default=False):
                self._add_payload()
        if description.keys:
            with gui.add_folder('Settings', expand_by_default=False):
                self._add_keys(description.keys)
        if abilities.loads and scenarios:
            with gui.add_folder('Scenario', expand_by_default=False):
                self._add_scenarios(scenarios)
        if abilities.records:
            with gui.add_folder('Save', expand_by_default=False):
                self._add_save()

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
        self._now = frame.time
        text = status_text(frame)
        if text != self._shown:
            self._status.content = self._shown = text
        if self._throwing is not None:
            self._throwing.joints = frame.joints
        if self._time is not None:
            end = SCALE * max(1, ceil(max(frame.progress.latest, frame.time) / SCALE))
            if end != self._time.max:
                self._time.max = end
            self._time.value = round(frame.time, 2)  # type: ignore[misc]

    def _add_run(self) -> None:
        gui, send, abilities = self._gui, self._send, self._description.abilities
        ways: dict[str, MakesAction] = {}
        if abilities.pauses:
            ways |= {'Play': Play, 'Pause': Pause}
        if abilities.steps:
            ways['Step'] = Step
            if not abilities.rewinds:
                ways['Reset'] = Reset
        if ways:
            self._add_buttons('run', ways, 'Step is one period')
        if abilities.steps and abilities.speeds:
            speed = gui.add_dropdown('speed', tuple(SPEEDS), initial_value='1 x')
            speed.on_update(lambda _: send(SetSpeed(SPEEDS[speed.value])))
        if abilities.rewinds:
            self._add_time()
        if abilities.live:
            gui.add_button('Stop the robot', color='red').on_click(lambda _: send(Halt()))
            gui.add_button('Resume', color='gray').on_click(lambda _: send(Resume()))

    def _add_time(self) -> None:
        """Add what sets the time back. What runs live waits there: it goes on with Play."""
        gui, send, live = self._gui, self._send, self._description.abilities.live
        self._time = time = gui.add_slider(
            'time [s]', min=0.0, max=SCALE, step=0.01, initial_value=0.0
        )

        def seek(event: viser.GuiEvent[Any]) -> None:
            if event.client is None:  # set by the page itself
                return
            if live:
                send(Pause())
            send(Seek(float(time.value)))

        time.on_update(seek)
        ways: dict[str, MakesAction]
        ways = {name: partial(self._back, by) for name, by in BACK.items()}
        if self._description.abilities.steps:
            ways['Reset'] = Reset
        self._add_buttons('go back', ways, 'Reset goes to the start')

    def _back(self, by: float) -> Action:
        return Seek(max(0.0, self._now - by))

    def _add_buttons(
        self, label: str, ways: Mapping[str, Callable[[], Action]], hint: str
    ) -> None:
        """Add buttons in a row, each for an action that is made when it is pressed."""
        group = self._gui.add_button_group(label, tuple(ways), hint=hint)
        group.on_click(lambda event: self._send(ways[event.target.value]()))

    def _add_save(self) -> None:
        gui, send = self._gui, self._send
        folder = gui.add_text('folder', f'runs/view_{self._description.title}')
        save = gui.add_button('Save the session', hint='as a scenario that simloop run repeats')
        save.on_click(lambda _: send(Save(folder.value)))

    def _add_push(self) -> None:
        gui = self._gui
        self._stiffness = gui.add_slider(
            'stiffness [N/m]', min=20.0, max=2000.0, step=10.0, initial_value=STIFFNESS
        )
        self._force = gui.add_slider(
            'limit [N]', min=1.0, max=200.0, step=1.0, initial_value=MAX_FORCE
        )

    def _add_payload(self) -> None:
        gui, send, tips = self._gui, self._send, self._description.model.tips
        tip = gui.add_dropdown('tip', tips, initial_value=tips[0])
        mass = gui.add_slider('mass [kg]', min=0.0, max=HEAVIEST, step=0.05, initial_value=0.5)
        put = gui.add_button('Put it into the hand', hint='neither control nor monitor know of it')
        put.on_click(lambda _: send(PutPayload(tip.value, float(mass.value))))

    def _add_keys(self, keys: Sequence[LiveKey]) -> None:
        """Add a field for each key. What is typed acts when it is complete: with the button."""
        typed = {key.name: field for key in keys if (field := self._add_key(key)) is not None}
        sent = {name: field.value for name, field in typed.items()}

        def apply(_: object) -> None:
            for name, field in typed.items():
                if field.value != sent[name]:
                    sent[name] = field.value
                    self._send(SetKey(name, field.value))

        if typed:
            self._gui.add_button('Apply').on_click(apply)

    def _add_key(self, key: LiveKey) -> viser.GuiInputHandle[str] | None:
        """Add a field, labelled with the last part of the name, and return one to be typed in."""
        gui, send, label = self._gui, self._send, key.name.rpartition('.')[2]
        hint = f'{key.name}: {key.description}'
        if isinstance(key.value, bool):
            box = gui.add_checkbox(label, key.value, hint=hint)
            box.on_update(lambda _: send(SetKey(key.name, str(box.value).lower())))
            return None
        if key.choices:
            choice = gui.add_dropdown(label, key.choices, initial_value=str(key.value), hint=hint)
            choice.on_update(lambda _: send(SetKey(key.name, choice.value)))
            return None
        value = key.value if isinstance(key.value, str) else f'{key.value:g}'
        return gui.add_text(label, value, hint=hint)

    def _add_scenarios(self, scenarios: Sequence[str]) -> None:
        gui, send, now = self._gui, self._send, self._description.title
        first = now if now in scenarios else scenarios[0]
        chosen = gui.add_dropdown('scenario', tuple(scenarios), initial_value=first)
        settings = gui.add_text('settings', '', hint='as after --set; several with ;')

        def load(_: object) -> None:
            given = tuple(part.strip() for part in settings.value.split(';') if part.strip())
            send(LoadScenario(chosen.value, given))

        gui.add_button('Load').on_click(load)
