"""A monitor with its conclusions: contact, of which kind, and where."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np

from ..core.config_types import is_class_name
from ..core.custom import build_custom
from ..core.errors import ConfigError
from ..core.resources import resource_folder
from ..core.state import Remembering
from ..core.values import ContactNature
from ..robot.model import RobotModel
from .build import build_monitor
from .calibration import Calibration, load_calibration
from .config import MonitorConfig
from .contact_classifier import ContactClassifier
from .isolation import Clue, Hit, Isolation
from .load import Load
from .monitor import Monitor
from .observation import Observation, Reading

LOCATING_DELAY = 0.02
"""Time from the beginning of a contact until it is located [s]: the torques have to rise."""


class Detection(msgspec.Struct, frozen=True, gc=False):
    """What is known after a step.

    :ivar contact: whether there is a contact now.
    :ivar kind: of the present contact, and for a while after it; ``none`` if there is none.
    :ivar reading: of the monitor.
    :ivar hit: where the contact is, in the step in which it was located.
    :ivar due: what the contact can be located by, in the step in which that can be done, if it is
        not done in the step itself.
    :ivar load: what the contact turned out to be, in the step in which it was recognised.
    """

    contact: bool
    kind: ContactNature
    reading: Reading
    hit: Hit | None = None
    due: Clue | None = None
    load: Load | None = None


class CollisionDetector(Remembering):
    """Judges every step of the loop: is there a contact, of which kind, and where?

    :ivar monitor: computes the residuals.
    :param classifier: none where there are no thresholds, and so no contacts.
    :ivar isolation: locates contacts; none where nothing is known about the noise.
    :param at_once: whether contacts are located within the step, which takes some milliseconds;
        else a detection only has what they are located by.
    """

    _remembered = ('monitor', '_classifier', '_since', '_load')

    def __init__(
        self,
        monitor: Monitor,
        classifier: ContactClassifier | None = None,
        isolation: Isolation | None = None,
        *,
        at_once: bool = True,
    ):
        self.monitor = monitor
        self.isolation = isolation
        self._classifier = classifier
        self._at_once = at_once
        self._locate_after = max(1, round(LOCATING_DELAY / monitor.period))
        self._since = 0
        self._load: Load | None = None

    def reset(self) -> None:
        """Forget the past: the next step is the first one."""
        self.monitor.reset()
        if self._classifier:
            self._classifier.reset()
        self._since = 0
        self._load = None

    def step(self, observation: Observation) -> Detection:
        """Return what is known after a step."""
        reading = self.monitor.step(observation)
        if self._classifier is None:
            return Detection(False, 'none', reading)
        kind = self._classifier.step(reading)
        contact = reading.verdict == 'contact'
        self._since = self._since + 1 if kind != 'none' else 0
        if self.monitor.recognised is not self._load:
            self._load = self.monitor.recognised
            return Detection(contact, kind, reading, load=self._load)
        if self._since != self._locate_after or self.isolation is None:
            return Detection(contact, kind, reading)
        clue = Clue(observation.state.position, reading.torque, self.monitor.regime)
        if not self._at_once:
            return Detection(contact, kind, reading, due=clue)
        return Detection(contact, kind, reading, self.isolation.locate(clue))


def build_detector(
    config: MonitorConfig, model: RobotModel, period: float, *, at_once: bool = True
) -> CollisionDetector:
    """Return the detector of a configuration.

    :param at_once: whether contacts are located within the step.
    :raises ConfigError: the calibration does not fit, or a reaction has none.
    """
    if is_class_name(config.kind):
        custom = build_custom(
            'monitor.kind', config.kind, Monitor, config.parameters, model, period
        )
        return CollisionDetector(custom, ContactClassifier(model.effort_limit, period))
    if not config.calibration:
        if config.reacts:
            raise ConfigError(
                'monitor.reaction: without thresholds nothing counts as a contact; run simloop '
                'calibrate and give its file as monitor.calibration'
            )
        if config.adapt:
            raise ConfigError(
                'monitor.adapt: nothing was calibrated that could adapt; run simloop calibrate '
                'and give its file as monitor.calibration'
            )
        return CollisionDetector(build_monitor(config.kind, model, period))
    calibration = load_calibration(find_calibration(config.calibration, period), model, period)
    if calibration.signal != config.signal:
        raise ConfigError(
            f'monitor.signal: {config.signal}, but {config.calibration} was calibrated with '
            f'{calibration.signal}; calibrate again with monitor.signal={config.signal}'
        )
    drift = config.drift if config.adapt else None
    monitor = build_monitor(config.kind, model, period, calibration, drift, config.payload)
    return calibrated_detector(monitor, calibration, at_once=at_once)


def calibrated_detector(
    monitor: Monitor, calibration: Calibration, *, at_once: bool = True
) -> CollisionDetector:
    """Return the detector that classifies and locates the contacts of a calibrated monitor.

    :param at_once: whether contacts are located within the step.
    """
    model = monitor.model
    classifier = ContactClassifier(model.effort_limit, monitor.period)
    isolation = Isolation(model, np.array(calibration.noise[monitor.kind]))
    return CollisionDetector(monitor, classifier, isolation, at_once=at_once)


def find_calibration(name: str, period: float) -> Path:
    """Return the file of a calibration, given as a path or by the name of a shipped one.

    :param period: of the loop [s]: those that are shipped have it in their names.
    :raises ConfigError: there is no such file.
    """
    folder = resource_folder('config') / 'calibrations'
    for path in (Path(name), folder / f'{name}_{period:g}.yaml'):
        if path.is_file():
            return path
    periods = [each.stem.rpartition('_')[2] for each in folder.glob(f'{name}_*.yaml')]
    known = f'; there is one for a period of {" or ".join(sorted(periods))} s' if periods else ''
    raise ConfigError(
        f'monitor.calibration: no {name} for a period of {period:g} s{known}: run simloop '
        'calibrate and give its file, or none to monitor without thresholds'
    )
