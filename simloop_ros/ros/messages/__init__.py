"""ROS messages to values and back."""
