"""Joint states in bags of rosbag2, sqlite3 and MCAP, without ROS."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
import re
import sqlite3
import struct

from mcap.exceptions import McapError
from mcap.records import Channel, Message, Schema
from mcap.stream_reader import StreamReader
import msgspec
import numpy as np
import zstandard

from ..core.errors import LogError, UnknownNameError
from ..core.values import NANO, Array
from ..record.joint_state_cdr import FIELDS, JointStateScan, scan_joint_state
from .mapping import LogMapping
from .recording import RawLog

JOINT_STATE_TYPE = 'sensor_msgs/msg/JointState'
SQLITE, MCAP = '.db3', '.mcap'
"""Endings of the names of bag files."""
_DAMAGE = (McapError, struct.error, zstandard.ZstdError, RuntimeError, ValueError, EOFError)
"""Exceptions of the library for a file that is cut or damaged."""


class BagMessages(msgspec.Struct):
    """The messages of one topic, as they are read.

    :ivar received: stamps of the recorder [ns].
    :ivar data: in CDR.
    :ivar notes: what is missing, one line each.
    """

    received: list[int] = []
    data: list[bytes] = []
    notes: list[str] = []


def is_bag(path: Path) -> bool:
    """Return whether a file or folder is a bag."""
    return bool(bag_files(path))


def bag_files(path: Path) -> list[Path]:
    """Return the files of a bag, in their order: itself, or those in a folder."""
    if path.suffix.lower() in (SQLITE, MCAP) and not path.is_dir():
        return [path]
    if not path.is_dir():
        return []
    for ending in (SQLITE, MCAP):
        found = [each for each in path.iterdir() if each.suffix.lower() == ending]
        if found:
            return sorted(found, key=_number)
    return []


def _number(path: Path) -> tuple[int, str]:
    """Return the key of a part: ``bag_10`` comes after ``bag_9``."""
    found = re.search(r'_(\d+)$', path.stem)
    return int(found[1]) if found else -1, path.name


def read_bag(path: Path, mapping: LogMapping) -> RawLog:
    """Read the joint states of a bag.

    A bag that ends too early is read up to there, and a note says so.

    :raises LogError: it is no bag, or has no such topic or message.
    """
    found = BagMessages()
    topic = mapping.topic
    for file in bag_files(path):
        if not file.is_file():
            raise LogError(f'{file}: not there; name a bag (.db3, .mcap, or its folder)')
        if not file.stat().st_size:
            raise LogError(f'{file}: empty (0 bytes): the recording was never written')
        reader = _read_sqlite if file.suffix.lower() == SQLITE else _read_mcap
        topic = reader(file, topic, found)
    if not found.data:
        raise LogError(f'{path}: no message on {topic}: the log is empty')
    return _decoded(path, topic, found, mapping)


def _choose(topics: Iterable[tuple[str, str]], asked: str, source: Path) -> str:
    """Return the topic of joint states.

    :param topics: name and type of each.
    :param asked: the one of the mapping, or empty.
    """
    of_type = {name for name, kind in topics if kind == JOINT_STATE_TYPE}
    if asked:
        if asked not in of_type and f'/{asked}' not in of_type:
            raise LogError(f'{source}: {UnknownNameError("topic of JointState", asked, of_type)}')
        return asked if asked in of_type else f'/{asked}'
    if not of_type:
        every = ', '.join(sorted(name for name, _ in topics)) or 'nothing'
        raise LogError(f'{source}: no topic with {JOINT_STATE_TYPE}; it has {every}')
    if len(of_type) == 1 or '/joint_states' in of_type:
        return '/joint_states' if '/joint_states' in of_type else of_type.pop()
    raise LogError(
        f'{source}: several topics with JointState: {", ".join(sorted(of_type))}; name one in the '
        'mapping (topic: ...)'
    )


def _read_sqlite(path: Path, asked: str, found: BagMessages) -> str:
    """Add the messages of a file; return the topic."""
    try:
        bag = sqlite3.connect(f'{path.resolve().as_uri()}?mode=ro', uri=True)
    except sqlite3.Error as error:
        raise LogError(f'{path}: cannot be opened: {error}') from error
    before, topic = len(found.data), asked
    try:
        # Else SQLite opens no file that is shorter than its first page says.
        bag.execute('PRAGMA writable_schema=ON')
        topics = bag.execute('SELECT id, name, type FROM topics').fetchall()
        topic = _choose([(name, kind) for _, name, kind in topics], asked, path)
        ids = [id_ for id_, name, _ in topics if name == topic]
        places = ', '.join('?' * len(ids))
        query = f'SELECT timestamp, data FROM messages WHERE topic_id IN ({places}) ORDER BY id'
        for received, data in bag.execute(query, ids):
            found.received.append(received)
            found.data.append(data)
    except sqlite3.Error as error:
        if not found.data:
            raise LogError(
                f'{path}: not a readable bag ({error}): it is cut off or damaged; '
                'copy it again, or try sqlite3 .recover'
            ) from error
        _forget_torn_page(path, bag, before, found)
        found.notes.append(
            f'{path.name} is cut off or damaged ({error}): only its first '
            f'{len(found.data) - before} messages were read'
        )
    finally:
        bag.close()
    return topic


def _forget_torn_page(
    path: Path, bag: sqlite3.Connection, before: int, found: BagMessages
) -> None:
    """Forget the last messages, of a page that is in the file in part: the rest reads as zeros.

    :param before: number of messages that are of other files.
    """
    size = int(bag.execute('PRAGMA page_size').fetchone()[0])
    if not path.stat().st_size % size:
        return
    whole = found.data[before : (before + len(found.data)) // 2 + 1]
    kept = max(before, len(found.data) - size // max(1, min(map(len, whole), default=1)) - 1)
    del found.received[kept:], found.data[kept:]


def _read_mcap(path: Path, asked: str, found: BagMessages) -> str:
    """Add the messages of a file, in its order; return the topic."""
    kinds: dict[int, str] = {}
    channels: dict[int, Channel] = {}
    messages: dict[int, list[tuple[int, bytes]]] = {}
    damage = ''
    try:
        with path.open('rb') as file:
            for record in StreamReader(file, validate_crcs=True).records:
                if isinstance(record, Schema):
                    kinds[record.id] = record.name
                elif isinstance(record, Channel):
                    channels[record.id] = record
                elif isinstance(record, Message) and _is_joint_state(record, channels, kinds):
                    messages.setdefault(record.channel_id, []).append(
                        (record.log_time, record.data)
                    )
    except OSError as error:
        raise LogError(f'{path}: cannot be read: {error.strerror}') from error
    except _DAMAGE as error:
        damage = str(error) or type(error).__name__
    names = [(channel.topic, kinds.get(channel.schema_id, '')) for channel in channels.values()]
    if damage and not messages and not found.data:
        raise LogError(
            f'{path}: not a readable MCAP ({damage}): it is cut off before its first joint '
            'state, damaged, or of another kind; copy it again, or try mcap recover'
        )
    # Of a bag in several files, the last one may have nothing that can be read.
    topic = asked if damage and not messages else _choose(names, asked, path)
    ids = [id_ for id_, channel in channels.items() if channel.topic == topic]
    picked = sorted((m for id_ in ids for m in messages.get(id_, ())), key=lambda m: m[0])
    found.received.extend(received for received, _ in picked)
    found.data.extend(data for _, data in picked)
    if damage:
        found.notes.append(
            f'{path.name} is cut off or damaged ({damage}): only its first {len(picked)} '
            'messages were read'
        )
    return topic


def _is_joint_state(message: Message, channels: dict[int, Channel], kinds: dict[int, str]) -> bool:
    channel = channels.get(message.channel_id)
    return channel is not None and kinds.get(channel.schema_id) == JOINT_STATE_TYPE


def _decoded(path: Path, topic: str, found: BagMessages, mapping: LogMapping) -> RawLog:
    """Return the numbers of the messages that have the most joints."""
    groups: dict[tuple[str, ...], list[int]] = {}
    scans: list[JointStateScan] = []
    notes = list(found.notes)
    scan = None
    for i, data in enumerate(found.data):
        if scan is None or not _same_layout(data, found.data[i - 1], scan):
            try:
                scan = scan_joint_state(data)
            except ValueError as error:
                raise LogError(f'{path}: {topic}: message {i}: {error}') from error
        scans.append(scan)
        names = tuple(name.decode(errors='replace') for name in scan.joint_names)
        groups.setdefault(names, []).append(i)
    names = max(groups, key=len)
    rows = groups[names]
    if len(rows) < len(found.data):
        notes.append(
            f'{len(found.data) - len(rows)} of {len(found.data)} messages on {topic} have other '
            f'joints and were left out'
        )
    received = np.array(found.received, np.int64)[rows]
    stamps = _stamps(found, scans, rows) if mapping.stamps == 'header' else received
    if mapping.stamps == 'header' and not stamps.any():
        notes.append(
            f'the headers on {topic} have no stamps: the times of the recorder are taken, which '
            'jitter with the network'
        )
        stamps = received
    fields = {field: _numbers(found, scans, rows, field, len(names)) for field in FIELDS}
    position = fields['position']
    if position is None:
        raise LogError(f'{path}: {topic}: its messages have no positions')
    time = (stamps - stamps[0]) / NANO
    return RawLog(
        str(path), names, time, position, fields['velocity'], fields['effort'], None, tuple(notes)
    )


def _same_layout(data: bytes, known: bytes, scan: JointStateScan) -> bool:
    """Return whether a message has the layout of a known one."""
    return len(data) == len(known) and all(data[place] == known[place] for place in scan.fixed)


def _stamps(
    found: BagMessages, scans: list[JointStateScan], rows: list[int]
) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    pairs = [struct.unpack_from(f'{scans[i].byte_order}iI', found.data[i], 4) for i in rows]
    return np.array([sec * NANO + nanosec for sec, nanosec in pairs], np.int64)


def _numbers(
    found: BagMessages, scans: list[JointStateScan], rows: list[int], field: str, n: int
) -> Array | None:
    """Return a field of messages, shape ``(rows, n)``; NaN where a message does not have it."""
    values = np.full((len(rows), n), np.nan)
    there = False
    for row, i in zip(values, rows, strict=True):
        place = scans[i].values[field]
        if place.stop - place.start == 8 * n:
            row[:] = np.frombuffer(found.data[i][place], f'{scans[i].byte_order}f8')
            there = True
    return values if there else None
