"""When and with what the blocks step in a graph; objects without ROS, which the nodes drive."""
