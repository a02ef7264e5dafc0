"""What a graph says can be read only where ROS is."""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec('rclpy') else ['test_*.py']
