"""Simulation in the control loop of collaborative robot arms."""

__version__ = '0.1.0'
