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
from .unrest import Unrest

LOCATING_DELAY = 0.02
"""Time from the beginning of a contact until it is told where [s]: the torques have to rise."""
ESTIMATE_PERIOD = 0.002
"""Least time between two estimates of the location [s]."""
ESTIMATE_SHARE = 0.1
"""Time to the next estimate, as a part of the time since the contact began."""
LONGEST_WAIT = 0.05
"""Longest time between two estimates [s]."""


class Detection(msgspec.Struct, frozen=True, gc=False):
    """What is known after a step.

    :ivar contact: whether there is a contact now.
    :ivar kind: of the present contact, and for a while after it; ``none`` if there is none.
    :ivar reading: of the monitor.
    :ivar hit: where the contact is, in the step in which that is told, once for each contact.
    :ivar running: where it is by the last estimate, in every step of the contact.
    :ivar load: what the contact turned out to be, in the step in which it was recognised.
    """

    contact: bool
    kind: ContactNature
    reading: Reading
    hit: Hit | None = None
    running: Hit | None = None
    load: Load | None = None


class CollisionDetector(Remembering):
    """Judges every step of the loop: is there a contact, of which kind, and where?

    A contact is located from its first step on, every ``ESTIMATE_PERIOD``, and less and less often
    as it goes on; after ``LOCATING_DELAY`` the estimate is told as its location.

    :ivar monitor: computes the residuals.
    :param classifier: none where there are no thresholds, and so no contacts.
    :ivar isolation: locates contacts; none where nothing is known about the noise.
    """

    _remembered = ('monitor', '_classifier', '_unrest', '_since', '_due', '_running', '_load')

    def __init__(
        self,
        monitor: Monitor,
        classifier: ContactClassifier | None = None,
        isolation: Isolation | None = None,
    ):
        self.monitor = monitor
        self.isolation = isolation
        self._classifier = classifier
        self._unrest = Unrest(monitor.model.n, monitor.period)
        self._told_after = max(1, round(LOCATING_DELAY / monitor.period))
        self._shortest = max(1, round(ESTIMATE_PERIOD / monitor.period))
        self._longest = max(1, round(LONGEST_WAIT / monitor.period))
        self._load: Load | None = None
        self._forget()

    def reset(self) -> None:
        """Forget the past: the next step is the first one."""
        self.monitor.reset()
        if self._classifier:
            self._classifier.reset()
        self._unrest.reset()
        self._load = None
        self._forget()

    def step(self, observation: Observation) -> Detection:
        """Return what is known after a step."""
        reading = self.monitor.step(observation)
        if self._classifier is None:
            return Detection(False, 'none', reading)
        kind = self._classifier.step(reading)
        contact = reading.verdict == 'contact'
        load = self._recognised()
        if self.isolation is None:
            return Detection(contact, kind, reading, load=load)
        if kind == 'none':
            if self._since:
                self._forget()
            if reading.verdict == 'free':
                self._unrest.step(reading.torque)
            else:
                self._unrest.interrupt()
            return Detection(contact, kind, reading, load=load)
        self._unrest.interrupt()
        self._since += 1
        if self._since >= self._due:
            self._estimate(self.isolation, observation, reading)
        hit = self._running if self._since == self._told_after else None
        return Detection(contact, kind, reading, hit, self._running, load)

    def _recognised(self) -> Load | None:
        """Return the load that a contact turned out to be, once."""
        if self.monitor.recognised is self._load:
            return None
        self._load = self.monitor.recognised
        return self._load

    def _forget(self) -> None:
        """Wait for the next contact."""
        self._since = self._due = 0
        self._running: Hit | None = None

    def _estimate(self, isolation: Isolation, observation: Observation, reading: Reading) -> None:
        """Locate the present contact."""
        position, regime = observation.state.position, self.monitor.regime
        clue = Clue(position, reading.torque, regime, self._unrest.mean)
        self._running = isolation.locate(clue)
        wait = min(int(ESTIMATE_SHARE * self._since), self._longest)
        self._due = self._since + max(wait, self._shortest)


def build_detector(config: MonitorConfig, model: RobotModel, period: float) -> CollisionDetector:
    """Return the detector of a configuration.

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
    return calibrated_detector(monitor, calibration)


def calibrated_detector(monitor: Monitor, calibration: Calibration) -> CollisionDetector:
    """Return the detector that classifies and locates the contacts of a calibrated monitor."""
    model = monitor.model
    classifier = ContactClassifier(model.effort_limit, monitor.period)
    isolation = Isolation(model, np.array(calibration.noise[monitor.kind]))
    return CollisionDetector(monitor, classifier, isolation)


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
