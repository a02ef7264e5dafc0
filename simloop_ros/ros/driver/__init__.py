"""The two sides of a robot's driver: one that plays it, one that listens to it."""
