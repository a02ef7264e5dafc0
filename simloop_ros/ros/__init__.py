"""ROS 2 around the loop: messages, parameters, wiring and the processes of the graph."""
