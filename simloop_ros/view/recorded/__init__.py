"""A recorded run, which is played again: at any time, at any speed."""
