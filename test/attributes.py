"""Everything that an object holds, as plain values: what a snapshot must bring back."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
import enum
from functools import cached_property, partial
from pathlib import PurePath
import struct
from types import ModuleType
from typing import Any

import msgspec
import numpy as np
import pinocchio as pin

Value = bytes | int | str | None
"""Floats are bytes, so that NaN equals itself and zero differs from minus zero."""

OPAQUE = ('pinocchio', 'mujoco', 'pybullet', 'coal', 'ruckig', 'builtins', 'functools', 'weakref')
"""Modules whose objects are scratch memory or functions: only their class is compared."""
PINOCCHIO_VALUES = {
    pin.SE3: lambda pose: pose.homogeneous,
    pin.Motion: lambda motion: motion.vector,
    pin.Force: lambda force: force.vector,
    pin.Quaternion: lambda quaternion: quaternion.coeffs(),
}
"""Those of Pinocchio that are values, and the array that they consist of."""
PLAIN = {type(None), bool, int, str, bytes}
ARRAYS = (np.ndarray, np.generic)
NAMED = (enum.Enum, PurePath, type, ModuleType)


def attributes(thing: Any) -> dict[str, Value]:
    """Return every attribute of the whole object graph by its path, such as ``._plant._index``.

    Instances are read through ``__dict__``, ``__slots__`` and struct fields; containers by key or
    index; random generators by their state; functions, classes and the objects of ``OPAQUE``
    modules by their kind alone. Left out are the results of a ``cached_property``, and attributes
    called ``_scratch...`` (work memory, see ``poison``) or ``_cached...`` (recomputed at need). An
    instance that is met again is named by the path where it was met first.
    """
    found: dict[str, Value] = {}
    _walk('', thing, found, {})
    return found


def poison(*things: Any) -> None:
    """Fill the scratch arrays of objects, and of the objects that they hold, with NaN."""
    met: set[int] = set()

    def walk(thing: Any) -> None:
        if isinstance(thing, (type, ModuleType)) or id(thing) in met:
            return
        if not hasattr(thing, '__dict__'):
            return
        met.add(id(thing))
        for name, part in list(vars(thing).items()):
            if name.startswith('_scratch') and isinstance(part, np.ndarray):
                part.fill(np.nan)
            for item in list(part.values()) if isinstance(part, dict) else (part,):
                walk(item)

    for thing in things:
        walk(thing)


def differing(first: Mapping[str, Value], second: Mapping[str, Value]) -> list[str]:
    """Return the paths of the attributes that are not the same in two results."""
    paths = sorted(first.keys() | second.keys())
    return [path for path in paths if first.get(path, ...) != second.get(path, ...)]


def _walk(path: str, thing: Any, found: dict[str, Value], met: dict[int, Any]) -> None:
    """Add a thing and all its parts to what was found.

    :param met: instances and their paths, by id; held, so that no other object gets that id.
    """
    leaf = _leaf(thing)
    if leaf is not ...:
        found[path] = leaf
        return
    parts = _parts_of_value(thing)
    if parts is None:
        if id(thing) in met:
            found[path] = f'the same as {met[id(thing)][1] or "the root"}'
            return
        met[id(thing)] = thing, path
        parts = _parts_of_instance(thing)
    found[path] = f'{type(thing).__qualname__} of {len(parts)}'
    for name, part in parts.items():
        _walk(path + name, part, found, met)


def _leaf(thing: Any) -> Any:
    """Return the value of a thing without parts; an ellipsis for one that may have some."""
    kind = type(thing)
    if kind in PLAIN:
        return thing
    if kind is float:
        return struct.pack('dd', thing, 0.0)
    if isinstance(thing, ARRAYS) and not thing.dtype.hasobject:
        return f'{thing.dtype.str} {thing.shape} '.encode() + thing.tobytes()
    if isinstance(thing, NAMED):
        return repr(thing)
    if isinstance(thing, (bool, int, str, bytes)):
        return thing
    if isinstance(thing, tuple) and all(type(part) in (bool, int) for part in thing):
        return repr(thing)
    if isinstance(thing, (float, complex)):
        return struct.pack('dd', complex(thing).real, complex(thing).imag)
    if kind in PINOCCHIO_VALUES:
        return _leaf(np.asarray(PINOCCHIO_VALUES[kind](thing)))
    return ...


def _parts_of_value(thing: Any) -> dict[str, Any] | None:
    """Return what a value consists of; ``None`` for an instance with an identity."""
    if isinstance(thing, msgspec.Struct):
        return {f'.{name}': getattr(thing, name) for name in thing.__struct_fields__}
    if isinstance(thing, Mapping):
        return {f'[{key!r}]': value for key, value in thing.items()}
    if isinstance(thing, np.ndarray):
        thing = thing.ravel().tolist()
    if isinstance(thing, set | frozenset):
        thing = sorted(thing, key=repr)
    if isinstance(thing, list | tuple | deque):
        return {f'[{i}]': part for i, part in enumerate(thing)}
    if isinstance(thing, np.random.Generator):
        return {'.bit_generator.state': thing.bit_generator.state}
    if isinstance(thing, partial):
        return {'.func': thing.func, '.args': thing.args, '.keywords': thing.keywords}
    return {} if type(thing).__module__.partition('.')[0] in OPAQUE else None


def _parts_of_instance(thing: Any) -> dict[str, Any]:
    kind = type(thing)
    names = [*getattr(thing, '__dict__', ())]
    for base in kind.__mro__:
        slots = vars(base).get('__slots__', ())
        for name in (slots,) if isinstance(slots, str) else slots:
            private = name.startswith('__') and not name.endswith('__')
            names.append(f'_{base.__name__.lstrip("_")}{name}' if private else name)
    return {
        f'.{name}': getattr(thing, name)
        for name in names
        if name not in ('__dict__', '__weakref__')
        and not name.startswith(('_scratch', '_cached'))
        and hasattr(thing, name)
        and not isinstance(getattr(kind, name, None), cached_property)
    }
