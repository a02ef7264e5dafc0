"""A simulated robot that runs now: in a process of its own, steered by a person at a page."""
