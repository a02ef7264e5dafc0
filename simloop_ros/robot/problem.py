"""A problem of a robot description, and the numbers in which it may lie."""

from __future__ import annotations

from dataclasses import dataclass
import math
import xml.etree.ElementTree as ET


@dataclass(frozen=True)
class Problem:
    """A problem of a robot description.

    :ivar where: name of the link or joint, or the key of the robot file.
    :ivar fatal: whether it makes control impossible.
    """

    where: str
    what: str
    remedy: str
    fatal: bool = True


def number(element: ET.Element | None, key: str) -> float:
    """Return a number of an element: 0 where it is not given, NaN where it is none."""
    try:
        return float('0' if element is None else element.get(key, '0'))
    except ValueError:
        return math.nan


def given(element: ET.Element | None, key: str) -> str:
    """Return what an element gives, as a message shows it."""
    text = None if element is None else element.get(key)
    return 'not given' if text is None else repr(text[:60])
