"""The bytes of a sensor_msgs/JointState: its definition and its layout."""

from __future__ import annotations

from collections.abc import Collection, Sequence
import struct

import msgspec
import numpy as np

FIELDS = ('position', 'velocity', 'effort')
CDR_LITTLE_ENDIAN = b'\x00\x01\x00\x00'
BYTE_ORDERS = {b'\x00\x00': '>', b'\x00\x01': '<'}
"""First two bytes of the encapsulation header, plain CDR -> byte order; two of options follow."""
STAMP_OFFSET, STAMP_SIZE = len(CDR_LITTLE_ENDIAN), 8
_SEPARATOR = '=' * 80
HEADER = f"""{_SEPARATOR}
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
{_SEPARATOR}
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec
"""
JOINT_STATE = f"""std_msgs/Header header
string[] name
float64[] position
float64[] velocity
float64[] effort
{HEADER}"""


class JointStateLayout:
    """Offsets in the CDR bytes of a JointState with these names and fields.

    CDR aligns each number to its own size, counted from the end of the 4-byte encapsulation
    header; an empty sequence is its length alone.
    """

    def __init__(self, joint_names: Sequence[str], fields: Collection[str], frame_id: str = ''):
        n = len(joint_names)
        body = bytearray(STAMP_SIZE)
        self._append_text(body, frame_id)
        self._append_length(body, n)
        for name in joint_names:
            self._append_text(body, name)
        offsets = [STAMP_OFFSET, STAMP_OFFSET + 4]
        for field in FIELDS:
            self._append_length(body, n if field in fields else 0)
            if field in fields:
                body += bytes(-len(body) % 8)
                offsets.append(len(CDR_LITTLE_ENDIAN) + len(body))
                body += bytes(8 * n)
        self.template = CDR_LITTLE_ENDIAN + bytes(body)
        self.size = len(self.template)
        present = [field for field in FIELDS if field in fields]
        self.dtype = np.dtype(
            {
                'names': ['sec', 'nanosec', *present],
                'formats': ['<i4', '<u4', *[('<f8', (n,))] * len(present)],
                'offsets': offsets,
                'itemsize': self.size,
            }
        )

    @classmethod
    def _append_text(cls, body: bytearray, text: str) -> None:
        data = text.encode() + b'\0'
        cls._append_length(body, len(data))
        body += data

    @staticmethod
    def _append_length(body: bytearray, length: int) -> None:
        body += bytes(-len(body) % 4) + struct.pack('<I', length)


class JointStateScan(msgspec.Struct, frozen=True):
    """Layout of a received JointState in CDR.

    :ivar byte_order: ``<`` or ``>``, as struct and numpy write it.
    :ivar joint_names: in the order of the message, in UTF-8.
    :ivar values: field -> bytes of its numbers.
    :ivar fixed: the bytes that make the layout: all but options, stamp, padding and numbers.
        Padding is not compared: Fast DDS does not initialise it.
    :ivar size: end of the message; what follows has no meaning.
    """

    byte_order: str
    frame_id: bytes
    joint_names: list[bytes]
    values: dict[str, slice]
    fixed: list[slice]
    size: int


def scan_joint_state(data: bytes) -> JointStateScan:
    """Find the layout of any bytes, in time and memory of the order of their length.

    :raises ValueError: they are no JointState in plain CDR, with the reason.
    """
    byte_order = BYTE_ORDERS.get(data[:2])
    if byte_order is None:
        raise ValueError(f'not in plain CDR (begins with {data[:2].hex() or "nothing"})')
    cursor = _Cursor(data, byte_order)
    frame_id = cursor.text()
    joint_names = [cursor.text() for _ in range(cursor.length())]
    values = {field: cursor.numbers() for field in FIELDS}
    fixed = [slice(0, 2), *cursor.fixed]
    return JointStateScan(byte_order, frame_id, joint_names, values, fixed, cursor.position)


class _Cursor:
    """Reads the bytes from frame_id to the end, and never beyond."""

    def __init__(self, data: bytes, byte_order: str):
        self._data = data
        self._length = struct.Struct(byte_order + 'I')
        self.position = STAMP_OFFSET + STAMP_SIZE
        self.fixed: list[slice] = []

    def length(self) -> int:
        """Read the length of a sequence, which may be wrong."""
        place = self._take(self._length.size, self._length.size)
        self.fixed.append(place)
        length: int = self._length.unpack_from(self._data, place.start)[0]
        return length

    def text(self) -> bytes:
        """Read a string, without the zero at its end."""
        place = self._take(self.length(), 1)
        self.fixed.append(place)
        text = self._data[place]
        if not text.endswith(b'\0'):
            raise ValueError('a string has no end')
        return text[:-1]

    def numbers(self) -> slice:
        """Skip a sequence of float64, which is aligned only if it is not empty."""
        length = self.length()
        return self._take(8 * length, 8 if length else 1)

    def _take(self, size: int, alignment: int) -> slice:
        start = self.position + (STAMP_OFFSET - self.position) % alignment
        self.position = start + size
        if self.position > len(self._data):
            raise ValueError(f'cut off or damaged ({len(self._data)} bytes)')
        return slice(start, self.position)
