"""Defaults of a calibration. Importing it loads no engine."""

DURATION = 360.0
"""Default duration of the free motion [s]."""
ALARMS_PER_HOUR = 0.1
"""Default rate of false alarms."""
