"""Numbers in text and numpy files: tables with or without names of their columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
import re
from typing import Any
import warnings
from zipfile import BadZipFile
import zlib

import msgspec
import numpy as np

from ..core.errors import ConfigError, LogError, UnknownNameError
from ..core.values import Array
from .mapping import JOINT, Columns, LogMapping, SignalMapping
from .recording import RawLog

NUMPY = ('.npz', '.npy')
"""Endings of the names of numpy files."""
SIGNALS = ('position', 'velocity', 'effort', 'command')
"""Names of the signals with a number for each joint."""
DEFAULT = LogMapping(
    time=SignalMapping(columns=('time',)),
    position=SignalMapping(columns=JOINT),
    velocity=SignalMapping(columns=f'{JOINT}.velocity'),
    effort=SignalMapping(columns=f'{JOINT}.effort'),
    command=SignalMapping(columns=f'{JOINT}.command'),
)
"""Of a table without a mapping: ``time``, then each joint by its name."""


class Table(msgspec.Struct, frozen=True):
    """A table of numbers.

    :ivar source: its file, for messages.
    :ivar names: of the columns; empty where they have none.
    :ivar values: shape ``(rows, columns)``.
    """

    source: str
    names: tuple[str, ...]
    values: Array

    def column(self, name: str | int, what: str) -> Array:
        """Return a column by its name or number, shape ``(rows,)``.

        :param what: signal that it is for, for messages.
        :raises LogError: there is none.
        """
        if isinstance(name, str):
            if name not in self.names:
                raise LogError(
                    f'{self.source}: {what}: {UnknownNameError("column", name, self.names)}'
                    if self.names
                    else f'{self.source}: {what}: its columns have no names; give their numbers '
                    f'instead of {name!r}, the first is 0'
                )
            name = self.names.index(name)
        if not 0 <= name < self.values.shape[1]:
            raise LogError(
                f'{self.source}: {what}: there is no column {name}; it has '
                f'{self.values.shape[1]}, from 0 to {self.values.shape[1] - 1}'
            )
        column: Array = self.values[:, name]
        return column


def read_tables(path: Path, mapping: LogMapping | None, model_joints: Sequence[str]) -> RawLog:
    """Read a log of text or numpy files.

    :param mapping: without one, as ``DEFAULT``, or as the arrays of a numpy file are called.
    :param model_joints: of the robot, in its order, where neither log nor mapping has names.
    :raises LogError: a file, a column or the number of rows is not as the mapping says.
    """
    if mapping is None:
        mapping = _default(path)
    tables = _Tables(path, mapping)
    if mapping.position is None:
        raise ConfigError(
            'the mapping does not say where the positions are: add position: {columns: [...]}'
        )
    joints = mapping.joints or tables.joints(mapping.position) or tuple(model_joints)
    signals = {name: tables.signal(name, joints) for name in SIGNALS}
    position = signals['position']
    if position is None:
        raise LogError(f'{path}: no positions: {JOINT} stands for no column')
    time = tables.time(len(position))
    for name, values in {**signals, 'time': time}.items():
        if values is not None and len(values) != len(position):
            raise LogError(
                f'{path}: {len(values)} samples of {name} for {len(position)} of position: '
                'a file is cut, or of another log'
            )
    return RawLog(
        str(path),
        joints,
        time,
        position,
        velocity=signals['velocity'],
        effort=signals['effort'],
        command=signals['command'],
    )


def _default(path: Path) -> LogMapping:
    if path.suffix.lower() != '.npz':
        return DEFAULT
    names = set(_arrays(path))
    for needed in ('time', 'position'):
        if needed not in names:
            raise LogError(
                f'{path}: no array {needed}; it has {", ".join(sorted(names)) or "none"}: name '
                'them in a mapping (--map)'
            )
    given = {name: SignalMapping(columns=name) for name in ('time', *SIGNALS) if name in names}
    joints = tuple(str(name) for name in np.ravel(_arrays(path).get('joint_names', ())))
    return LogMapping(**given, joints=joints)  # type: ignore[arg-type]


class _Tables:
    """The files of a log, each read once."""

    def __init__(self, log: Path, mapping: LogMapping):
        self._log, self._mapping = log, mapping
        self._folder = log if log.is_dir() else log.parent
        self._read: dict[Path, Table | Mapping[str, Array]] = {}

    def joints(self, signal: SignalMapping) -> tuple[str, ...]:
        """Return the joints that the names of columns have, in their order."""
        pattern = signal.columns
        if not isinstance(pattern, str) or JOINT not in pattern:
            return ()
        table = self._table(signal)
        before, _, after = pattern.partition(JOINT)
        form = re.compile(f'{re.escape(before)}(.+){re.escape(after)}')
        found = [match[1] for name in table.names if (match := form.fullmatch(name))]
        if self._mapping is DEFAULT:
            found = [name for name in found if name != 'time' and '.' not in name]
        return tuple(found)

    def signal(self, name: str, joints: Sequence[str]) -> Array | None:
        """Return a signal in SI units, shape ``(rows, joints)``; ``None`` where it has none."""
        where = self._mapping.signal(name)
        if where is None:
            return None
        values = self._values(name, where, joints)
        if values is None:
            return None
        if where.layout == 'stacked':
            values = self._unstacked(name, where, values.ravel(), len(joints))
        if values.shape[1] != len(joints):
            raise LogError(
                f'{self._file(where)}: {name}: {values.shape[1]} columns for {len(joints)} '
                f'joints ({", ".join(joints)}): name the columns, or the joints that it has'
            )
        return values * self._mapping.scale(name)

    def time(self, rows: int) -> Array:
        """Return the stamps [s], shape ``(rows,)``."""
        where = self._mapping.time
        if where is None:
            if self._mapping.rate is None:
                raise ConfigError(
                    'the mapping has no stamps: add time: {columns: [...]}, or the rate of the '
                    'samples [Hz]'
                )
            return np.arange(rows) / self._mapping.rate
        names = self._table(where).names if where is DEFAULT.time else ()
        if names and 'time' not in names:
            raise LogError(
                f'{self._file(where)}: no column time, so the log has no stamps; name the column '
                'that has them in a mapping (--map, time: {columns: [...]}), or give the rate of '
                'the samples (rate: ...)'
            )
        values = self._values('time', where, ('time',))
        if values is None or values.shape[1] != 1:
            raise LogError(
                f'{self._file(where)}: time: one column is needed; name it with columns: [...]'
            )
        return values[:, 0] * self._mapping.scale('time')

    def _unstacked(self, name: str, where: SignalMapping, values: Array, n: int) -> Array:
        if values.size % n:
            raise LogError(
                f'{self._file(where)}: {name}: {values.size} numbers are no whole number of '
                f'samples of {n} joints: the file is cut, or has other joints'
            )
        return values.reshape(-1, n)

    def _values(self, name: str, where: SignalMapping, joints: Sequence[str]) -> Array | None:
        content = self._content(where)
        if not isinstance(content, Table):
            return self._array(name, where, content)
        columns = _columns(where.columns, joints)
        if not columns:
            return content.values
        optional = self._mapping is DEFAULT and name != 'position'
        if optional and not set(map(str, columns)) <= set(content.names) and name != 'time':
            return None
        return np.column_stack([content.column(each, name) for each in columns])

    def _array(self, name: str, where: SignalMapping, content: Mapping[str, Array]) -> Array:
        key = where.columns if isinstance(where.columns, str) else ''
        key = key or (str(where.columns[0]) if where.columns else name)
        if key not in content:
            raise LogError(
                f'{self._file(where)}: {name}: {UnknownNameError("array", key, content)}'
            )
        values = np.asarray(content[key])
        if values.ndim > 2 or not np.issubdtype(values.dtype, np.number):
            raise LogError(
                f'{self._file(where)}: {name}: the array {key} is no table of numbers: '
                f'{values.dtype}, shape {values.shape}'
            )
        return values.astype(np.float64).reshape(len(values), -1)

    def _file(self, where: SignalMapping) -> Path:
        return self._folder / where.file if where.file else self._log

    def _table(self, where: SignalMapping) -> Table:
        content = self._content(where)
        if not isinstance(content, Table):
            raise ConfigError(f'{self._file(where)}: {JOINT} is for tables with names of columns')
        return content

    def _content(self, where: SignalMapping) -> Table | Mapping[str, Array]:
        path = self._file(where)
        if path not in self._read:
            if path.is_dir():
                raise LogError(f'{path}: a folder; the mapping has to name the file (file: ...)')
            if path.suffix.lower() == '.npz':
                self._read[path] = _arrays(path)
            elif path.suffix.lower() == '.npy':
                self._read[path] = _numpy_table(path)
            else:
                self._read[path] = read_table(path, self._mapping.delimiter, self._mapping.skip)
        return self._read[path]


def _columns(columns: Columns, joints: Sequence[str]) -> tuple[str | int, ...]:
    if not isinstance(columns, str):
        return columns
    return tuple(columns.replace(JOINT, joint) for joint in joints) if columns else ()


def read_table(path: Path, delimiter: str = '', skip: int = 0) -> Table:
    """Read a text file of numbers; its first line may have the names of the columns.

    An empty cell is NaN.

    :param delimiter: between two columns; a comma, semicolon, tab or spaces where none is given.
    :param skip: lines that are left out at the beginning.
    :raises LogError: it is something else, or its lines have different lengths.
    """
    try:
        with path.open(encoding='utf-8-sig') as file:
            head = [file.readline() for _ in range(skip + 1)][-1]
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else 'not a text file in UTF-8'
        raise LogError(f'{path}: cannot be read: {reason}') from error
    head = head.lstrip('#').strip('\r\n ')
    sign = delimiter or next((each for each in ',;\t' if each in head), '')
    cells = [cell.strip().strip('"') for cell in (head.split(sign) if sign else head.split())]
    named = any(not _is_number(cell) for cell in cells)
    try:
        values = _parse(path, sign, skip + named)
    except ValueError as error:
        text = ' '.join(str(error).split()).partition('; use `usecols`')[0]
        raise LogError(
            f'{path}: not a table of numbers: {text} (rows counted after the first '
            f'{skip + named} lines): the log is cut or damaged there, or has another delimiter'
        ) from error
    if not values.size:
        raise LogError(f'{path}: no line of numbers: the log is empty')
    if named and len(cells) != values.shape[1]:
        raise LogError(
            f'{path}: {len(cells)} names of columns for {values.shape[1]} columns of numbers'
        )
    return Table(str(path), tuple(cells) if named else (), values)


def _parse(path: Path, delimiter: str, skip: int) -> Array:
    options: dict[str, Any] = {
        'delimiter': delimiter or None,
        'skiprows': skip,
        'ndmin': 2,
        'encoding': 'utf-8-sig',
    }
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', UserWarning)  # an empty file has an error of its own
        try:
            return np.loadtxt(path, **options)
        except ValueError as error:
            if "string ''" not in str(error):
                raise
            return np.loadtxt(path, converters=lambda cell: float(cell or 'nan'), **options)


def _is_number(text: str) -> bool:
    try:
        float(text or 'nan')
    except ValueError:
        return False
    return True


def _arrays(path: Path) -> dict[str, Array]:
    try:
        with path.open('rb') as file, np.load(file, allow_pickle=False) as content:
            return {name: content[name] for name in content.files}
    except (OSError, ValueError, EOFError, KeyError, BadZipFile, zlib.error) as error:
        raise _no_numpy(path, error) from error


def _numpy_table(path: Path) -> Table:
    try:
        values = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise _no_numpy(path, error) from error
    names: tuple[str, ...] = values.dtype.names or ()
    if names:
        values = np.column_stack([values[name] for name in names])
    if values.ndim != 2 or not np.issubdtype(values.dtype, np.number):
        raise LogError(
            f'{path}: not a table of numbers: {values.dtype}, shape {values.shape}; two axes are '
            'needed, rows and columns'
        )
    return Table(str(path), names, values.astype(np.float64))


def _no_numpy(path: Path, error: Exception) -> LogError:
    if isinstance(error, OSError) and error.strerror:
        return LogError(f'{path}: cannot be read: {error.strerror}')
    return LogError(f'{path}: not a numpy file, or cut off: {" ".join(str(error).split())[:120]}')
