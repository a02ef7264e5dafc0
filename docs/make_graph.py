"""Draw the graph of a scenario as it runs, as ROS tells it: ``python docs/make_graph.py``."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
import subprocess
import sys
import tempfile
import time

from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch
import matplotlib.pyplot as plt
import rclpy
from rclpy.node import Node

PICTURE = Path(__file__).parent / 'images' / 'graph.png'
PLACES = {
    'motion_planner': (0.0, 1.0),
    'control_simulation': (1.5, 1.0),
    'plant': (3.0, 1.0),
    'collision_monitor': (1.5, 0.0),
    'recorder': (3.0, 0.0),
}
HIDDEN = ('/parameter_events', '/rosout', '/diagnostics', '/resend', '/safety')
"""Topics that most nodes have; the text beside the picture tells of them."""
SETTLE = 4.0
"""Time until all nodes have found each other [s]."""
WIDTH, HEIGHT = 0.72, 0.24
APART = 0.07
"""Distance of an arrow from the line between two nodes."""
NEAR, FAR = 0.03, 0.15
"""How far from a box an arrow ends, and how much shorter a slanting one is."""


def edges(node: Node) -> dict[tuple[str, str], list[str]]:
    """Return the topics from each node to each other one, as ROS tells them now."""
    found = defaultdict(list)
    for topic, _ in node.get_topic_names_and_types():
        if topic in HIDDEN or topic.endswith('/transition_event'):
            continue
        for source in node.get_publishers_info_by_topic(topic):
            for target in node.get_subscriptions_info_by_topic(topic):
                if source.node_name != target.node_name:
                    found[source.node_name, target.node_name].append(topic.lstrip('/'))
    return {pair: sorted(set(topics)) for pair, topics in found.items()}


def draw(found: dict[tuple[str, str], list[str]]) -> None:
    """Draw the nodes as boxes and the topics as arrows."""
    figure, axes = plt.subplots(figsize=(12, 5))
    for name, (x, y) in PLACES.items():
        axes.add_patch(
            FancyBboxPatch(
                (x - WIDTH / 2, y - HEIGHT / 2),
                WIDTH,
                HEIGHT,
                boxstyle='round,pad=0.02',
                facecolor='#e8eef7',
                edgecolor='#33558b',
                linewidth=1.5,
            )
        )
        axes.text(x, y, name, ha='center', va='center', fontsize=11, weight='bold')
    for (source, target), topics in found.items():
        _arrow(axes, source, target, topics)
    axes.set_xlim(-0.5, 3.5)
    axes.set_ylim(-0.35, 1.5)
    axes.axis('off')
    figure.savefig(PICTURE, dpi=110, bbox_inches='tight')


def _arrow(axes: Axes, source: str, target: str, topics: list[str]) -> None:
    (x0, y0), (x1, y1) = PLACES[source], PLACES[target]
    along = 1.0 if (x1, y1) > (x0, y0) else -1.0
    if y0 == y1:
        edge = (WIDTH / 2 + NEAR) * along
        start, end = (x0 + edge, y0 + APART * along), (x1 - edge, y1 + APART * along)
        text = (0.5 * (x0 + x1), y0 + (APART + 0.025) * along)
        place = 'bottom' if along > 0 else 'top'
    else:
        edge = (HEIGHT / 2 + NEAR) * (1.0 if y1 > y0 else -1.0)
        beside = 0.2 * along if x0 == x1 else 0.0
        slant = FAR * (x1 - x0)
        start, end = (x0 + slant + beside, y0 + edge), (x1 - slant + beside, y1 - edge)
        # Nearer to the source: slanted arrows cross in their middles.
        part = 0.5 if x0 == x1 else 0.28
        text = (start[0] + part * (end[0] - start[0]), start[1] + part * (end[1] - start[1]))
        place = 'center'
    axes.annotate('', end, start, arrowprops={'arrowstyle': '-|>', 'color': '#555555'})
    axes.text(
        *text,
        '\n'.join(topics),
        ha='center',
        va=place,
        fontsize=8.5,
        bbox={'facecolor': 'white', 'edgecolor': 'none', 'pad': 1},
    )


def main() -> None:
    """Start a scenario, look at its graph, draw it, end it."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, '-m', 'simloop_ros.cli.main', 'launch', 'yumi_step']
        settings = ['--set', 'duration=600', '--set', 'plant.noise=1e-5', '--out', folder]
        launched = subprocess.Popen([*command, *settings], stdout=subprocess.DEVNULL)
        try:
            rclpy.init()
            node = Node('looking')
            found, changed = edges(node), time.monotonic()
            # Until all nodes are connected, and nothing new was discovered for a while.
            while (
                not set(PLACES) <= {name for pair in found for name in pair}
                or time.monotonic() < changed + SETTLE
            ):
                rclpy.spin_once(node, timeout_sec=0.5)
                if edges(node) != found:
                    found, changed = edges(node), time.monotonic()
            node.destroy_node()
            rclpy.shutdown()
        finally:
            launched.terminate()
            launched.wait()
    draw({pair: topics for pair, topics in found.items() if set(pair) <= set(PLACES)})


if __name__ == '__main__':
    main()
