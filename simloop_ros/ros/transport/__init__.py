"""How messages get from node to node: quality of service, lost messages, one process."""
