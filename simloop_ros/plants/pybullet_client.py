"""A PyBullet simulation of its own, and its saved states."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
import os
from pathlib import Path
import tempfile
from typing import Any
import weakref
import xml.etree.ElementTree as ET

from ..core.errors import MissingDependencyError

NOT_INSTALLED = (
    'plant.engine pybullet is not installed: pip install simloop_ros[pybullet], or choose '
    'plant.engine mujoco'
)


class SavedSimulation:
    """All that a simulation holds at one moment, contacts included.

    PyBullet keeps it until this object is garbage.

    :ivar client: the simulation that was saved.
    :ivar id: PyBullet's number for it.
    """

    def __init__(self, client: PyBulletClient):
        self.client = client
        self.id: int = client.call('saveState')
        weakref.finalize(self, client.forget, self.id)


class PyBulletClient:
    """A connection without a window.

    Client numbers are used again after a disconnect, so nothing is called on a closed one.

    :raises MissingDependencyError: PyBullet is not installed.
    """

    def __init__(self) -> None:
        self.bullet = _import_pybullet()
        self._id: int = self.bullet.connect(self.bullet.DIRECT)
        self._open = True

    @property
    def id(self) -> int:
        """Return the number that every call names as its ``physicsClientId``."""
        return self._id

    def call(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """Call a function of PyBullet in this simulation."""
        return getattr(self.bullet, name)(*args, physicsClientId=self._id, **kwargs)

    def load_urdf(self, root: ET.Element) -> int:
        """Load a robot with a fixed base, with the inertias of its description."""
        # PyBullet breaks a line in two after 8 kB, be it in the middle of a number.
        ET.indent(root)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / 'robot.urdf'
            path.write_text(ET.tostring(root, encoding='unicode'))
            flags = self.bullet.URDF_USE_INERTIA_FROM_FILE
            body: int = self.call('loadURDF', str(path), useFixedBase=True, flags=flags)
        return body

    def forget(self, saved: int) -> None:
        """Free a saved state."""
        if self._open:
            self.call('removeState', saved)

    def close(self) -> None:
        """End the simulation; a second time is harmless."""
        if self._open:
            self._open = False
            with suppress(self.bullet.error):
                self.bullet.disconnect(physicsClientId=self._id)


def _import_pybullet() -> Any:
    try:
        with _quiet_stderr():
            import pybullet
    except ImportError as error:
        raise MissingDependencyError(NOT_INSTALLED) from error
    return pybullet


@contextmanager
def _quiet_stderr() -> Iterator[None]:
    """Keep PyBullet's build date, which C code prints at import, from the terminal."""
    saved, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)
        os.close(nowhere)
