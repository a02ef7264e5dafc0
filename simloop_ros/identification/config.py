"""Defaults of an identification. Importing it loads no engine."""

CUTOFF = 5.0
"""Default cut-off frequency of the low-pass filter of torque and regressor [Hz]."""
FIT_ON = '0:0.5'
"""Default share of a log that is fitted: the first half; the rest is judged."""
EXCITE_DURATION = 30.0
"""Default duration of an exciting motion [s]."""
EXCITE_SPEED = 0.7
"""Default share of the limits of velocity that an exciting motion uses."""
EXCITE_EFFORT = 0.8
"""Share of the effort limits that an exciting motion may need, by the model."""
