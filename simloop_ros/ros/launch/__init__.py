"""From a scenario to its nodes, and how they are started."""
