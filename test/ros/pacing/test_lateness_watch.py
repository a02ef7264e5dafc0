"""How late control states are, from their stamps and the clock."""

from __future__ import annotations

from simloop_ros.assembly.bearable_delay import BearableDelay
from simloop_ros.ros.messages.stamps import NANO
from simloop_ros.ros.pacing.lateness_watch import LatenessWatch
from simloop_ros.safety.config import SafetyConfig

H = 0.002  # s
PERIOD = round(H * NANO)
EPOCH = 1_700_000_000 * NANO


class Watched:
    """Control states at a rate, each with some delay [periods]; none is a lost one."""

    def __init__(self, bearable: float, lateness: str = 'adapt'):
        self.now = 0
        safety = SafetyConfig(lateness=lateness)  # type: ignore[arg-type]
        bears = BearableDelay('plan', bearable)
        self.watch = LatenessWatch(bears, H, safety, clock=lambda: self.now)
        self._step = 0

    def take(self, delays: list[float | None], held: int = 0) -> list[str]:
        """Return the levels that were entered, with torques that have been used before [ns]."""
        entered = []
        for delay in delays:
            self._step += 1
            if delay is not None:
                self.now = round((self._step + delay) * PERIOD)
                if self.watch.take(EPOCH + self._step * PERIOD, held):
                    entered.append(self.watch.level.name)
        return entered


def test_a_constant_delay_is_no_lateness() -> None:
    """Stamps and our clock have nothing to do with each other."""
    assert Watched(0.001).take([7.3] * 2000) == []


def test_states_that_come_late_or_not_at_all_use_the_budget_up() -> None:
    late: list[float | None] = [0.2] * 10 + [3.5] * 2000
    assert Watched(0.006).take(late) == ['slow']
    lost: list[float | None] = [0.2, None, None] * 700
    assert 'slow' in Watched(0.002).take(lost)


def test_less_than_a_period_is_in_time() -> None:
    assert Watched(0.001).take([0.1, 0.9] * 1000) == []


def test_a_motion_that_is_too_late_is_stopped_once_it_rests() -> None:
    watched = Watched(0.0005)
    assert watched.take([0.1] * 10 + [4.0] * 2000)[-1] == 'stop'
    rested = [watched.watch.rested() for _ in range(3)]
    watched.now += 10 * NANO
    rested += [watched.watch.rested() for _ in range(2)]
    assert rested.count(True) == 1
    assert 'plan bears 0.5 ms' in str(watched.watch)


def test_who_refuses_does_not_begin_on_a_late_machine() -> None:
    for lateness in ('adapt', 'refuse'):
        watched = Watched(0.002, lateness)
        assert watched.watch.refusal == ''
        watched.take([0.1] * 10 + [4.0] * 2000)
        assert watched.watch.refusal.startswith('not begun') == (lateness == 'refuse')


def test_what_real_time_needs_is_refused_if_nothing_may_be_adapted() -> None:
    refusal = Watched(0.4 * H, 'refuse').watch.refusal
    assert 'bears 0.8 ms, of 1 ms that real time needs' in refusal
    assert not Watched(0.4 * H).watch.refusal
    assert not Watched(0.6 * H, 'refuse').watch.refusal


def test_a_torque_that_is_used_again_adds_its_age() -> None:
    assert Watched(0.0028).take([0.2] * 2000, PERIOD) == ['slow']
    late: list[float | None] = [0.2] * 10 + [3.5] * 2000
    assert Watched(0.0028).take(late)[-1] == 'soft'
    assert Watched(0.0028).take(late, PERIOD)[-1] == 'stop'


def test_a_robot_that_is_led_by_hand_is_stopped_at_once() -> None:
    watched = Watched(0.0005)
    watched.take([0.1] * 10 + [4.0] * 2000)
    assert [watched.watch.rested(at_once=True) for _ in range(2)] == [True, False]
