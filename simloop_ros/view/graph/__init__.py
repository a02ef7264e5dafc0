"""A running ROS graph: what its topics say of the robot, and a hand that pulls it over them."""
