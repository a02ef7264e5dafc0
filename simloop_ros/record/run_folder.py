"""The results of a run: built aside, put in place by one rename when they are complete."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
import errno
import fcntl
import json
import os
from pathlib import Path
import shutil
import tempfile
from uuid import uuid4

from ..core.errors import ConfigError, StorageError
from .folder import LOG, NOTHING, RAW_LOG, SUMMARY

LOCK, RESERVE = '.lock', '.reserve'
"""Files of a folder aside: the lock of its run, and room for the summary on a full disk."""
RESERVED = 256 * 1024
"""Size of the reserve [bytes]; the summary of the longest shipped scenario has a tenth of it."""
DIGITS = 4
"""Of the number of a run, at least."""
TAKEN = frozenset({errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR, errno.EISDIR})
"""Errors of a rename to a name that is in use."""
FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
ATTEMPTS = 100
"""At most, where another process may come in between."""


class RunFolder:
    """The folder of a run that goes on; use it as a context, which removes what is not published.

    Results are built in a hidden folder beside their place, which is locked until they are there.
    What a killed run left is removed by the next run for the same place.

    :param place: where the results shall be. Those of an earlier run there are renamed to
        ``place-0001`` or the next number.
    :param numbered: the results shall be in ``place-0001`` or the next number, and ``place`` is a
        link to the newest of these.
    :ivar path: the folder aside.
    :ivar link: the link that leads to the published results; ``None`` if there is none.
    :ivar earlier: where the results are now that were in this place; ``None`` if none were.
    :ivar failure: why not all of the results could be written; empty if they could.
    :raises ConfigError: the place holds something else, or is in use by a run that goes on.
    """

    def __init__(self, place: Path, *, numbered: bool = False):
        self.place = place
        self.link: Path | None = None
        self.earlier: Path | None = None
        self.failure = ''
        self._numbered = numbered
        try:
            own = numbered or _leads_to_number(place)
            self._target = place if own else Path(os.path.realpath(place))
            if not numbered:
                _refuse(place, self._target)
            parents = (self._target.parent, *self._target.parent.parents)
            self._made = [parent for parent in parents if not parent.exists()]
            self._lock = self._claim()
            with open(self.path / RESERVE, 'wb') as reserve:
                os.posix_fallocate(reserve.fileno(), 0, RESERVED)
        except BlockingIOError as error:
            raise ConfigError(
                f'{place}: in use by a run that goes on: wait for its end, or name another folder'
            ) from error
        except (KeyboardInterrupt, OSError) as error:
            if hasattr(self, '_lock'):
                self.discard()
            if isinstance(error, KeyboardInterrupt):
                raise
            kind = StorageError if error.errno in FULL else ConfigError
            raise kind(
                f'{place}: cannot be written: {error.strerror}; name another folder'
            ) from error

    def __enter__(self) -> RunFolder:
        return self

    def __exit__(self, *_: object) -> None:
        self.discard()

    def _claim(self) -> int:
        """Make the folder aside and lock it; return the descriptor of the lock."""
        name = f'.{self._target.name}.run'
        folder = self._target.parent
        if self._numbered and folder.is_dir():
            for entry in folder.iterdir():
                if entry.name.startswith(f'{name}-'):
                    _remove_leftover(entry)
        for _ in range(ATTEMPTS):
            self.path = folder / (f'{name}-{uuid4().hex[:8]}' if self._numbered else name)
            # Gone again: another run takes it for a leftover, or had it and is complete.
            with suppress(FileNotFoundError, *((BlockingIOError,) if self._numbered else ())):
                self.path.mkdir(parents=True, exist_ok=True)
                lock = _lock(self.path)
                for entry in self.path.iterdir():
                    if entry.name != LOCK:
                        _remove(entry)
                return lock
        raise OSError(errno.ENOENT, NOTHING)

    @contextmanager
    def storing(self) -> Iterator[None]:
        """Note in ``failure`` that something cannot be written, instead of raising."""
        try:
            yield
        except StorageError as error:
            self.failure = self.failure or str(error)
        except OSError as error:
            self.failure = self.failure or (error.strerror or str(error))

    def release_reserve(self) -> None:
        """Give the reserved room free, for what has to be written now."""
        with suppress(OSError):
            (self.path / RESERVE).unlink(missing_ok=True)

    def publish(self) -> Path:
        """Put the results in place, and return where they are.

        :raises StorageError: they cannot be put there; they stay aside.
        """
        self.release_reserve()
        aside, target = self.path, self._target
        try:
            if self._numbered:
                if _is_run(target) and not target.is_symlink():  # of an older version
                    self.earlier = _rename_to_number(target, target)
                self.path = _rename_to_number(aside, target)
                self.place = target.with_name(self.path.name)
                self.link = target if _point_to_newest(target) else None
            else:
                self.path = self._replace()
                if self.path != target:
                    self.place = self.place.with_name(self.path.name)
            (self.path / LOCK).unlink(missing_ok=True)
        except OSError as error:
            raise StorageError(
                f'{self.place}: cannot be put in place: {error.strerror}; the results are in '
                f'{self.path}'
            ) from error
        finally:
            self._close()
        return self.place

    def _replace(self) -> Path:
        """Rename the folder aside to its place, where earlier results get a number."""
        aside, target = self.path, self._target
        for _ in range(ATTEMPTS):
            try:
                return aside.rename(target)
            except OSError as error:
                if error.errno not in TAKEN:
                    raise
            if _leads_to_number(target):
                target.unlink()
            elif _is_run(target):
                self.earlier = _rename_to_number(target, target)
            else:
                break
        return _rename_to_number(aside, target)  # something else came there during the run

    def error(self) -> StorageError:
        """Return the error for results that could not all be written, after they are published."""
        kept = [name for name in (SUMMARY, LOG, RAW_LOG) if (self.place / name).exists()]
        what = f'kept are {" and ".join(kept)}' if kept else 'nothing could be kept'
        hint = f'; once there is room, "simloop plot {self.place}" writes the rest'
        return StorageError(
            f'{self.place}: {self.failure}; {what}{hint if SUMMARY in kept else ""}'
        )

    def discard(self) -> None:
        """Remove what is aside, unless it was published."""
        if self._lock >= 0:
            shutil.rmtree(self.path, ignore_errors=True)
            with suppress(OSError):  # not empty: somebody else uses it
                for folder in self._made:
                    folder.rmdir()
            self._close()

    def _close(self) -> None:
        os.close(self._lock)
        self._lock = -1


def _lock(folder: Path) -> int:
    """Lock a folder and return the descriptor of the lock.

    :raises BlockingIOError: another process has it.
    :raises FileNotFoundError: the folder is gone.
    """
    file = folder / LOCK
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Whoever had it may have moved the folder, and another one has the name by now.
        if not os.path.samestat(os.fstat(descriptor), os.stat(file)):
            raise FileNotFoundError(file)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _remove_leftover(folder: Path) -> None:
    """Remove a folder aside if its run was killed."""
    with suppress(OSError):
        lock = _lock(folder)
        try:
            shutil.rmtree(folder)
        finally:
            os.close(lock)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def _refuse(place: Path, target: Path) -> None:
    """Raise ConfigError if the results must not be put there.

    :param place: as it was given, for the message.
    :param target: the same, without links.
    """
    if os.path.lexists(target) and not target.is_dir():
        raise ConfigError(f'{place}: is a file; name a folder for the results')
    if target == Path.cwd():
        raise ConfigError(f'{place}: is the working folder, which stays; {_inside(place)}')
    if target.is_mount():
        raise ConfigError(f'{place}: is a mount point, which stays; {_inside(place)}')
    if _is_run(target) or not target.is_dir():
        return
    try:
        others = sorted(entry.name for entry in target.iterdir() if entry.name != LOCK)
    except OSError as error:
        raise ConfigError(f'{place}: cannot be read: {error.strerror}') from error
    if others:
        some = ', '.join(others[:3]) + (', ...' if len(others) > 3 else '')
        raise ConfigError(f'{place}: holds something other than a run ({some}); {_inside(place)}')


def _inside(place: Path) -> str:
    """Return where results may be instead of in a folder that is to stay."""
    try:
        os.rmdir(tempfile.mkdtemp(dir=place))
    except OSError:
        return f'{NOTHING}, so name another folder'
    return f'name a folder in it, for instance {place / "run"}'


def _is_run(folder: Path) -> bool:
    """Return whether a folder holds the results of a run."""
    if (folder / RAW_LOG).is_file():
        return True
    try:
        summary = json.loads((folder / SUMMARY).read_text())
    except (OSError, ValueError):
        return False
    return isinstance(summary, dict) and {'scenario', 'digest'} <= summary.keys()


def _number(name: str, base: str) -> int:
    """Return the number of a folder that is called after another one; 0 if it is not."""
    digits = name.removeprefix(f'{base}-')
    is_number = digits != name and len(digits) >= DIGITS and digits.isdecimal()
    return int(digits) if is_number else 0


def _leads_to_number(link: Path) -> bool:
    """Return whether a path is the link to the newest of numbered folders."""
    return link.is_symlink() and _number(os.readlink(link), link.name) > 0


def _newest(base: Path) -> int:
    """Return the largest number of a folder that is called after another one; 0 for none."""
    return max((_number(entry.name, base.name) for entry in base.parent.iterdir()), default=0)


def _numbered(base: Path, number: int) -> Path:
    return base.with_name(f'{base.name}-{number:0{DIGITS}}')


def _rename_to_number(source: Path, base: Path) -> Path:
    """Rename a folder to the next number after those that there are, and return its new name."""
    while True:
        target = _numbered(base, _newest(base) + 1)
        try:
            return source.rename(target)
        except OSError as error:
            if error.errno not in TAKEN:  # else another run was faster
                raise


def _point_to_newest(link: Path) -> bool:
    """Make a link to the newest of the numbered folders; return whether there is one.

    Something else of that name stays, and some file systems have no links.
    """
    other = link.with_name(f'.{link.name}.link-{uuid4().hex[:8]}')
    try:
        while not os.path.lexists(link) or _leads_to_number(link):
            newest = _numbered(link, _newest(link)).name
            if link.is_symlink() and os.readlink(link) == newest:
                return True
            other.symlink_to(newest)
            other.replace(link)
    except OSError:
        with suppress(OSError):
            other.unlink(missing_ok=True)
    return False
