"""Simulation in the control loop of collaborative robot arms."""

__version__ = '0.2.0'
