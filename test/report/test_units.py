import pytest

from simloop_ros.report.units import period_text, run_title, scale_for


@pytest.mark.parametrize(
    ('largest', 'unit'),
    [
        (0.0, 'rad'),
        (0.3, 'rad'),
        (150.0, 'rad'),
        (0.05, 'mrad'),
        (2e-5, 'µrad'),
        (5e-7, 'µrad'),
        (5e-8, 'nrad'),
        (4000.0, 'krad'),
        (1e-30, 'frad'),
        (float('nan'), 'rad'),
    ],
)
def test_prefix(largest, unit):
    assert scale_for(largest, 'rad').unit == unit


@pytest.mark.parametrize('exponent', range(-14, 9))
def test_scaled_values_have_few_digits(exponent):
    largest = 3.0 * 10.0**exponent
    assert 0.1 <= largest / scale_for(largest, 'N').factor < 1000.0


def test_period_as_a_person_says_it():
    assert period_text(1 / 200) == 'h = 1/200 s'
    assert period_text(1 / 3000) == 'h = 1/3000 s'
    assert period_text(0.003) == 'h = 0.003 s'
    assert period_text(1.0) == 'h = 1 s'


def test_title_names_the_mass_bias_if_there_is_one():
    assert run_title('yumi_step', 0.0005, 0.1) == 'yumi_step, h = 1/2000 s, plant mass +10 %'
    assert run_title('yumi_step', 0.005) == 'yumi_step, h = 1/200 s'
