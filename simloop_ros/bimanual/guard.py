"""The guard against single-arm commands while both arms hold the object."""

from __future__ import annotations

from ..core.errors import GoalError


class Guard:
    """A semaphore: whether the arms are bound to each other, 003 section 3.1.

    The task that binds the arms acquires it; until it is released, no task moves one arm by
    itself or binds them a second time.

    :ivar holder: who holds it, as it stands in messages, for instance ``task 2 (grasp)``; empty
        where the arms are free.
    """

    def __init__(self) -> None:
        self.holder = ''

    @property
    def held(self) -> bool:
        """Return whether the arms are bound to each other."""
        return bool(self.holder)

    def acquire(self, who: str) -> None:
        """Bind the arms to each other.

        :raises GoalError: they are already.
        """
        self._refuse_held(who, 'the hands cannot take a second one')
        self.holder = who

    def release(self, who: str) -> None:
        """Set the arms free.

        :raises GoalError: they are free already.
        """
        self.refuse_free(who)
        self.holder = ''

    def refuse_single(self, who: str) -> None:
        """Refuse a command to one arm while both are bound.

        :raises GoalError: they are.
        """
        self._refuse_held(who, 'no arm may move by itself')

    def refuse_free(self, who: str) -> None:
        """Refuse a command to the object while the hands do not hold it.

        :raises GoalError: the arms are free.
        """
        if not self.held:
            raise GoalError(
                f'{who}: the hands do not hold the object; put a grasp before it, or leave it out'
            )

    def _refuse_held(self, who: str, reason: str) -> None:
        if self.held:
            raise GoalError(
                f'{who}: both arms hold the object since {self.holder}, and {reason}; '
                'put a release before it, or leave it out'
            )
