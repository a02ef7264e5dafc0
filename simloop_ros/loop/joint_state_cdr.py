"""The bytes of a sensor_msgs/JointState: its definition, and where things lie in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import struct

import numpy as np

from .log import COLUMNS

FIELDS = ('position', 'velocity', 'effort')
CDR_LITTLE_ENDIAN = b'\x00\x01\x00\x00'
_SEPARATOR = '=' * 80
JOINT_STATE = f"""std_msgs/Header header
string[] name
float64[] position
float64[] velocity
float64[] effort
{_SEPARATOR}
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
{_SEPARATOR}
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec
"""


class JointStateLayout:
    """Where things lie in the CDR bytes of a JointState with these names and fields.

    CDR aligns each number to its own size, counted from the end of the 4-byte encapsulation
    header; an empty sequence is its length alone.
    """

    def __init__(self, joint_names: Sequence[str], fields: Mapping[str, str]):
        n = len(joint_names)
        body = bytearray(struct.pack('<iIIx', 0, 0, 1))  # stamp, empty frame_id
        self._append_length(body, n)
        for name in joint_names:
            text = name.encode() + b'\0'
            self._append_length(body, len(text))
            body += text
        offsets = [len(CDR_LITTLE_ENDIAN), len(CDR_LITTLE_ENDIAN) + 4]
        for field in FIELDS:
            self._append_length(body, n if field in fields else 0)
            if field in fields:
                body += bytes(-len(body) % 8)
                offsets.append(len(CDR_LITTLE_ENDIAN) + len(body))
                body += bytes(8 * n)
        self.template = CDR_LITTLE_ENDIAN + bytes(body)
        self.size = len(self.template)
        self.columns = {f: COLUMNS.index(fields[f]) for f in FIELDS if f in fields}
        self.dtype = np.dtype(
            {
                'names': ['sec', 'nanosec', *self.columns],
                'formats': ['<i4', '<u4', *[('<f8', (n,))] * len(self.columns)],
                'offsets': offsets,
                'itemsize': self.size,
            }
        )

    @staticmethod
    def _append_length(body: bytearray, length: int) -> None:
        body += bytes(-len(body) % 4) + struct.pack('<I', length)
