# SPDX-License-Identifier: Apache-2.0
"""Draws what ping.sh measured.

usage: ping.py FOLDER FILE...    files that ping.sh wrote; makes FOLDER/ping-jdk<version>.svg
"""
import re
from operator import itemgetter

from colours import JDK, OTHER, POLLER, POLLUX
from plots import draw_each, plt, save, thousands
from results import Spread, numbers, ways

NAMES = {"blocking": "blocking SocketChannel", "busy": "non-blocking, busy loop", "selector-jdk": "JDK's selector",
         "selector-pollux": "Pollux, selector", "asynchronous": "AsynchronousSocketChannel", "poller": "Pollux, Poller"}
TITLES = {"ONE": "in one thread", "TWO": "between two threads", "PINNED": "between two, on a processor each"}


def name(way):
    return NAMES.get(way) or re.sub(r"selector-pollux-spin-(\d+)", r"Pollux, selector, spin \1 µs", way)


def colour(way):
    if way.startswith("selector-pollux"):
        return POLLUX
    return {"selector-jdk": JDK, "poller": POLLER}.get(way, OTHER)


def percentiles(axes, content, mode):
    """For each way a line from the 1st to the 99th percentile, a dot at the median and a tick at the 99.9th.

    Each is the median of the rounds.
    """
    for at, way in enumerate(ways(content)):
        p1, p50, p99, p999 = (Spread.of(numbers(content, way, mode, itemgetter(figure))).middle
                              for figure in ("p1", "p50", "p99", "p999"))
        axes.plot([p1, p99], [at, at], color=colour(way), linewidth=2.4, solid_capstyle="butt")
        axes.plot(p50, at, "o", color=colour(way), markersize=6)
        axes.plot(p999, at, "|", color=colour(way), markersize=9)
        axes.annotate(f"{p50:.1f}", (p50, at), xytext=(0, 6), textcoords="offset points", ha="center", fontsize=8)
    axes.set_yticks(range(len(ways(content))), [name(way) for way in ways(content)])
    axes.set_ylim(len(ways(content)) - 0.4, -0.7)
    axes.grid(axis="y", visible=False)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(thousands)
    axes.xaxis.set_minor_formatter(lambda at, _: thousands(at) if str(at)[0] in "25" else "")
    axes.set_xlabel("round trip, µs")
    axes.set_title(TITLES[mode], loc="left")


def draw(content, folder):
    modes = list(dict.fromkeys(each["setting"] for each in content["results"]))
    plan = content["plan"]
    figure, panels = plt.subplots(1, len(modes), figsize=(1.6 + 3.9 * len(modes), 1.5 + 0.34 * len(ways(content))),
                                  sharey=True, squeeze=False, layout="constrained")
    for axes, mode in zip(panels[0], modes):
        percentiles(axes, content, mode)
    figure.suptitle(f"{content['title']}; {plan['size']} bytes\n1st to 99th percentile, median (dot), 99.9th (tick); "
                    f"medians of {plan['rounds']} rounds", fontsize=9)
    save(figure, folder / f"ping-{content['jdk']}.svg")


if __name__ == "__main__":
    draw_each(__doc__, draw)
