"""What a person does on a page, as values that a source takes."""

from __future__ import annotations

import msgspec

from ..core.config_types import Vector


class Play(msgspec.Struct, frozen=True):
    """Let time go on."""


class Pause(msgspec.Struct, frozen=True):
    """Stop the time; a graph stops its plant."""


class Step(msgspec.Struct, frozen=True):
    """Take single steps, then pause."""

    count: int = 1


class SetSpeed(msgspec.Struct, frozen=True):
    """Choose the simulated time per real time; 0 for as fast as it goes."""

    factor: float


class Reset(msgspec.Struct, frozen=True):
    """Go back to the start."""


class Seek(msgspec.Struct, frozen=True):
    """Go to a time [s]: live back to it, recorded to any."""

    time: float


class Grip(msgspec.Struct, frozen=True):
    """Take hold of a link, or move the target of the hand that holds it.

    :ivar hand: which hand: one for each browser.
    :ivar point: on the link, in its own axes [m].
    :ivar target: where the hand wants it, in the world [m].
    :ivar stiffness: of the hand [N/m].
    :ivar max_force: that it exerts [N].
    """

    hand: int
    link: str
    point: Vector
    target: Vector
    stiffness: float
    max_force: float


class LetGo(msgspec.Struct, frozen=True):
    """A hand lets go."""

    hand: int


class Throw(msgspec.Struct, frozen=True):
    """Throw a ball.

    :ivar position: where it starts, in the world [m], with ``velocity`` [m/s].
    :ivar mass: [kg], with ``radius`` [m].
    """

    position: Vector
    velocity: Vector
    mass: float = 0.3
    radius: float = 0.05


class PutPayload(msgspec.Struct, frozen=True):
    """Put something into a hand that neither control nor monitor know of; 0 kg takes it away."""

    tip: str
    mass: float


class SetKey(msgspec.Struct, frozen=True):
    """Change a key of ``Description.keys``, given as text like after ``--set``."""

    name: str
    value: str


class Halt(msgspec.Struct, frozen=True):
    """The stop button: the robot comes to rest."""


class Resume(msgspec.Struct, frozen=True):
    """Go on after a halt or a reaction."""


class LoadScenario(msgspec.Struct, frozen=True):
    """Choose another scenario."""

    scenario: str
    settings: tuple[str, ...] = ()


class Save(msgspec.Struct, frozen=True):
    """Write the run so far into a folder, as one that ``simloop run`` repeats."""

    folder: str


Action = (
    Play
    | Pause
    | Step
    | SetSpeed
    | Reset
    | Seek
    | Grip
    | LetGo
    | Throw
    | PutPayload
    | SetKey
    | Halt
    | Resume
    | LoadScenario
    | Save
)
