"""Write and read sensor_msgs/JointState as CDR bytes, for raw publishers and subscriptions.

A typed message of rclpy costs several times as much as the bytes, which both
``Publisher.publish`` and a subscription with ``raw=True`` take and give as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
import struct
from typing import Literal

import msgspec
import numpy as np

from ...core.errors import MessageError
from ...core.values import Array
from ...record.joint_state_cdr import (
    BYTE_ORDERS,
    FIELDS,
    STAMP_OFFSET,
    STAMP_SIZE,
    JointStateLayout,
    JointStateScan,
    scan_joint_state,
)
from .stamps import NANO

_STAMP_END = NANO << 31  # seconds are an int32
_WIRE_FLOAT = np.dtype('<f8')
_KNOWN_LAYOUTS = 4  # message layouts that a decoder remembers
_INTEGER_ORDERS: dict[str, Literal['little', 'big']] = {'<': 'little', '>': 'big'}
_STAMP_READERS = {
    kind: struct.Struct(byte_order + 'iI').unpack_from for kind, byte_order in BYTE_ORDERS.items()
}
_EXPONENT, _EXPONENT_UNIT, _SIGN = 0x7FF << 52, 1 << 52, 1 << 63


def _require_valid(joint_names: Sequence[str], fields: tuple[str, ...]) -> None:
    if not joint_names or len(set(joint_names)) < len(joint_names):
        raise ValueError(f'joint names {list(joint_names)} are none, or not unique')
    if not fields or fields != tuple(field for field in FIELDS if field in fields):
        raise ValueError(f'fields {fields} are not some of {FIELDS}, in this order')


class JointStateEncoder:
    """Writes messages with always the same joints, fields and frame_id.

    :param fields: some of position, velocity and effort, in this order.
    """

    def __init__(self, joint_names: Sequence[str], fields: tuple[str, ...], frame_id: str = ''):
        _require_valid(joint_names, fields)
        layout = JointStateLayout(joint_names, fields, frame_id)
        self._size = layout.size
        self._pack_stamp = struct.Struct('<iI').pack
        self._pieces = [layout.template[:STAMP_OFFSET], bytes(STAMP_SIZE)]
        end = STAMP_OFFSET + STAMP_SIZE
        for field in fields:
            dtype, offset = layout.dtype.fields[field][:2]  # type: ignore[index]
            self._pieces += [layout.template[end:offset], bytes(dtype.itemsize)]
            end = offset + dtype.itemsize
        self._pieces.append(layout.template[end:])
        self._array_pieces = range(3, len(self._pieces), 2)

    def encode(self, stamp: int, *arrays: Array) -> bytes:
        """Return a message with a stamp [ns] and, for each field, its values, shape ``(n,)``.

        :raises ValueError: if the stamp, or number or size of the arrays, does not fit.
        """
        if not 0 <= stamp < _STAMP_END:
            raise ValueError(f'stamp {stamp} ns does not fit into a message')
        pieces = self._pieces.copy()
        pieces[1] = self._pack_stamp(stamp // NANO, stamp % NANO)
        for i, array in zip(self._array_pieces, arrays, strict=True):
            pieces[i] = np.asarray(array, _WIRE_FLOAT).tobytes()
        data = b''.join(pieces)
        if len(data) != self._size:
            raise ValueError(f'arrays of shape {[np.shape(array) for array in arrays]} do not fit')
        return data


ABSENT: Array = np.empty(0)
"""A field that was not asked for."""


class DecodedJointState(msgspec.Struct, frozen=True, gc=False):
    """A message in the receiver's order of joints; fields that it does not need are ``ABSENT``.

    Arrays have the shape ``(n,)`` [rad, rad/s, N m], the stamp is in ns.

    :ivar frame_id: kind of the message, where a topic has several.
    """

    stamp: int
    position: Array = ABSENT
    velocity: Array = ABSENT
    effort: Array = ABSENT
    frame_id: str = ''


class _KnownLayout:
    """A layout that was met before: how to recognise it, and how to read its numbers.

    The bytes of a message are one long integer. A message has this layout if the integer agrees
    in all bits of ``mask`` with ``fixed_bits``. A number is not finite if all bits of its exponent
    are set: then, and only then, adding one to the exponent carries into the place of the sign.

    :param data: the message that was scanned.
    :param index: place of each of our joints among those of the message.
    """

    def __init__(
        self, data: bytes, scan: JointStateScan, index: list[int], fields: tuple[str, ...]
    ):
        self.size = scan.size
        self.frame_id = scan.frame_id.decode(errors='replace')
        self.order = _INTEGER_ORDERS[scan.byte_order]
        mask = bytearray(self.size)
        for place in scan.fixed:
            mask[place] = b'\xff' * (place.stop - place.start)
        self.mask = self._integer(mask)
        self.fixed_bits = self._integer(data[: self.size]) & self.mask

        starts = [scan.values[field].start + 8 * i for field in fields for i in index]
        pack = struct.Struct(scan.byte_order + 'Q').pack
        self.exponents, self.units, self.signs = (
            self._integer(self._at(starts, pack(bits)))
            for bits in (_EXPONENT, _EXPONENT_UNIT, _SIGN)
        )

        self.dtype = np.dtype(scan.byte_order + 'f8')
        first, n = index[0], len(index)
        adjacent = index == list(range(first, first + n))
        self.plain = adjacent and self.dtype.isnative
        self.pick = slice(None) if adjacent else np.array(index)
        self.places: list[slice | None] = []
        for field in FIELDS:
            place = scan.values[field]
            if adjacent:
                place = slice(place.start + 8 * first, place.start + 8 * (first + n))
            self.places.append(place if field in fields else None)

    def _integer(self, data: bytes | bytearray) -> int:
        return int.from_bytes(data, self.order)

    def _at(self, starts: list[int], pattern: bytes) -> bytes:
        data = bytearray(self.size)
        for start in starts:
            data[start : start + len(pattern)] = pattern
        return bytes(data)

    def read(self, data: bytes, place: slice | None) -> Array:
        """Return the values at one of ``places`` in our order."""
        if place is None:
            return ABSENT
        values = np.frombuffer(data[place], self.dtype)
        return values if self.plain else values[self.pick].astype(np.float64, copy=False)


class JointStateDecoder:
    """Reads messages that contain these joints, in any order, with other joints or without.

    A layout is learned once, then recognised; a few are remembered.

    :param fields: what must be there, some of position, velocity and effort, in this order.
    :param topic: what the errors begin with.
    :param optional: what is read where it is there, else ``ABSENT``.
    :param kind: first word in the ``frame_id`` of the messages whose optional fields are read; any
        if it is empty.
    :param finite: whether all numbers that are read have to be.
    """

    def __init__(
        self,
        joint_names: Sequence[str],
        fields: tuple[str, ...],
        topic: str = 'JointState',
        optional: tuple[str, ...] = (),
        *,
        kind: str = '',
        finite: bool = True,
    ):
        _require_valid(joint_names, fields)
        self._joint_names = tuple(joint_names)
        self._fields = fields
        self._optional = optional
        self._kind = kind
        self._topic = topic
        self._finite = finite
        self._layouts: list[_KnownLayout] = []

    def stamp(self, data: bytes) -> int:
        """Return the stamp [ns] of a message, reading nothing else; else raise MessageError."""
        try:
            sec, nanosec = _STAMP_READERS[data[:2]](data, STAMP_OFFSET)
        except (KeyError, struct.error):
            raise self._refusal(
                f'no stamp in plain CDR ({len(data)} bytes, {data[:2].hex() or "nothing"}...)'
            ) from None
        if sec < 0 or nanosec >= NANO:
            raise self._refusal(f'the stamp of {sec} s and {nanosec} ns is not valid')
        return sec * NANO + nanosec

    def decode(self, data: bytes) -> DecodedJointState:
        """Return the content of a message for our joints; its arrays are read-only or new.

        :raises MessageError: it is malformed, lacks a joint or field, or a value is not finite.
        """
        stamp = self.stamp(data)
        for layout in self._layouts:
            if len(data) >= layout.size:
                bits = int.from_bytes(data[: layout.size], layout.order)
                if bits & layout.mask == layout.fixed_bits:
                    break
        else:
            layout = self._learn(data)
            bits = int.from_bytes(data[: layout.size], layout.order)
        read = layout.read
        position, velocity, effort = layout.places
        state = DecodedJointState(
            stamp, read(data, position), read(data, velocity), read(data, effort), layout.frame_id
        )
        if self._finite and ((bits & layout.exponents) + layout.units) & layout.signs:
            raise self._not_finite(state)
        return state

    def _learn(self, data: bytes) -> _KnownLayout:
        try:
            scan = scan_joint_state(data)
        except ValueError as error:
            raise self._refusal(str(error)) from None
        places = {name: i for i, name in enumerate(scan.joint_names)}
        if len(places) < len(scan.joint_names):
            twice = next(n for i, n in enumerate(scan.joint_names) if places[n] != i)
            raise self._refusal(f'joint {twice[:80].decode(errors="replace")!r} comes twice')
        missing = [name for name in self._joint_names if name.encode() not in places]
        if missing:
            n = len(self._joint_names)
            raise self._refusal(
                f'joint {missing[0]!r} is missing (got {n - len(missing)} of {n} joints)'
            )
        counts = {field: (place.stop - place.start) // 8 for field, place in scan.values.items()}
        wanted = not self._kind or scan.frame_id.partition(b' ')[0] == self._kind.encode()
        optional = self._optional if wanted else ()
        fields = (*self._fields, *(field for field in optional if counts[field]))
        for field in fields:
            if counts[field] != len(scan.joint_names):
                raise self._refusal(
                    f'{field} has {counts[field]} values for {len(scan.joint_names)} joints'
                )
        index = [places[name.encode()] for name in self._joint_names]
        layout = _KnownLayout(data, scan, index, fields)
        self._layouts = [layout, *self._layouts[: _KNOWN_LAYOUTS - 1]]
        return layout

    def _not_finite(self, state: DecodedJointState) -> MessageError:
        field, name, value = next(
            (field, name, value)
            for field in FIELDS
            for name, value in zip(self._joint_names, getattr(state, field), strict=False)
            if not np.isfinite(value)
        )
        return self._refusal(f'{field} of {name!r} is {value}')

    def _refusal(self, problem: str) -> MessageError:
        return MessageError(f'{self._topic}: {problem}')
