"""Single messages of the log: the description of the robot, and what belongs to no row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import struct

from mcap.data_stream import RecordBuilder
from mcap.records import Message
import numpy as np

from .joint_state_cdr import CDR_LITTLE_ENDIAN, HEADER
from .live_log import LiveMessage
from .log_topics import COLLISION, CONTACTS, SAFETY
from .mcap_chunks import ChunkWriter, MessageBlock

_SEPARATOR = '=' * 80
_STATUS = """byte OK=0
byte WARN=1
byte ERROR=2
byte STALE=3
byte level
string name
string message
string hardware_id
diagnostic_msgs/KeyValue[] values
"""
_KEY_VALUE = f"""{_SEPARATOR}
MSG: diagnostic_msgs/KeyValue
string key
string value
"""
STATUS = 'diagnostic_msgs/msg/DiagnosticStatus', _STATUS + _KEY_VALUE
ARRAY = (
    'diagnostic_msgs/msg/DiagnosticArray',
    f"""std_msgs/Header header
diagnostic_msgs/DiagnosticStatus[] status
{_SEPARATOR}
MSG: diagnostic_msgs/DiagnosticStatus
{_STATUS}{_KEY_VALUE}{HEADER}""",
)
TYPES = {COLLISION: ARRAY, CONTACTS: ARRAY, SAFETY: STATUS}
"""Topic -> name and definition of its message."""
_TEXT_LENGTH = struct.Struct('<I')  # of a string in CDR, its final zero included
_BLOCK_MESSAGES = 4096


def text_message(text: str) -> bytes:
    """Return a std_msgs/String in CDR."""
    data = text.encode() + b'\0'
    return CDR_LITTLE_ENDIAN + _TEXT_LENGTH.pack(len(data)) + data


def text_of(data: bytes) -> str:
    """Return the text of a std_msgs/String in CDR."""
    return bytes(data[len(CDR_LITTLE_ENDIAN) + _TEXT_LENGTH.size : -1]).decode()


def single_block(channel: int, stamp: int, data: bytes) -> MessageBlock:
    """Return the record of one message, which is the first of its channel."""
    return _block([(channel, stamp, 0, data)])


def write_messages(
    writer: ChunkWriter,
    messages: Sequence[LiveMessage],
    names: Mapping[str, str],
    latched: Mapping[str, str],
) -> None:
    """Write messages that belong to no row, in chunks of their own.

    :param names: topic -> its name in the file.
    :param latched: metadata of the channel of ``SAFETY``, whose last message is for late readers.
    """
    schemas: dict[str, int] = {}
    channels: dict[str, int] = {}
    for topic in dict.fromkeys(message.topic for message in messages):
        kind, definition = TYPES[topic]
        if kind not in schemas:
            schemas[kind] = writer.add_schema(kind, 'ros2msg', definition.encode())
        metadata = latched if topic == SAFETY else {}
        channels[topic] = writer.add_channel(
            names.get(topic, topic), 'cdr', schemas[kind], metadata
        )
    records = [(channels[m.topic], m.stamp, k, m.data) for k, m in enumerate(messages)]
    for first in range(0, len(records), _BLOCK_MESSAGES):
        writer.add_chunk(_block(records[first : first + _BLOCK_MESSAGES]))


def _block(messages: Sequence[tuple[int, int, int, bytes]]) -> MessageBlock:
    """Return records of messages: channel, stamp [ns], sequence, data of each."""
    builder = RecordBuilder()
    index: dict[int, list[tuple[int, int]]] = {}
    for channel, stamp, sequence, data in messages:
        index.setdefault(channel, []).append((stamp, builder.count))
        Message(channel, stamp, data, stamp, sequence).write(builder)
    places = {channel: np.array(sorted(of), np.uint64) for channel, of in index.items()}
    return MessageBlock(builder.end(), places)
