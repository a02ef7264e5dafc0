"""The view: a robot in the browser, live, recorded, or of a ROS graph."""
