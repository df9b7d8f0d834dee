# SPDX-License-Identifier: Apache-2.0
"""Draws what servers.sh measured.

usage: servers.py FOLDER FILE...    files that servers.sh wrote; makes FOLDER/servers-jdk<version>.svg
"""
import json
import re
import sys
from pathlib import Path

from colours import FLOOR, JDK, OTHER, POLLER, POLLUX, VIRTUAL
from plots import draw_each, plt, save, thousands
from results import Spread

COLOURS = {"threads": OTHER, "virtual": VIRTUAL, "jdk": JDK, "pollux": POLLUX}
STYLES = {"gang": ":", "oneshot": "--"}
NAMES = {"threads": "a thread for each connection", "virtual": "a virtual thread for each",
         "jdk": "JDK's selector", "pollux": "Pollux, selector", "poller": "Pollux, Poller",
         "gang": "Poller, level-triggered, {} workers in a gang",
         "oneshot": "Poller, one-shot, {} workers"}
HEAP = 0.45     # the heap's part of a bar is paler
MARKS = "osD^vP*X<>"


def name(way):
    kind, _, workers = way.partition(" ")
    return NAMES[kind].format(workers)


def colour(way):
    """Those of the Poller share one, and differ in the line."""
    return COLOURS.get(way, POLLER)


def style(way):
    return STYLES.get(way.partition(" ")[0], "-")


class Run:
    """One file: what each way showed at each number of connections, in the order of measuring."""

    def __init__(self, file):
        content = json.loads(Path(file).read_text(encoding="utf-8"))
        self.head, self.plan = content, content["plan"]
        self.samples, self.footprints = content["results"]["samples"], content["results"]["footprints"]
        self.connections = sorted(self.plan["connections"])
        self.ways = list(dict.fromkeys(footprint["way"] for footprint in self.footprints))
        self.version = re.match(r"\d+", content["java"]).group()

    @staticmethod
    def spread(entries, way, connections, figure):
        return Spread.of([figure(entry) for entry in entries
                          if (entry["way"], entry["connections"]) == (way, connections)])

    @property
    def title(self):
        kernel = re.match(r"\D+\d+\.\d+", self.head["os"]).group()
        return (f"JDK {self.head['java'].split('+')[0]}, {kernel}, {self.head['processors']} processors; "
                f"{self.plan['outstanding']} requests outstanding, random order, "
                f"{self.plan['sizes']['request']} bytes; "
                "median, smallest and greatest of the rounds")


def lines(axes, run, figure, label):
    """A figure over the number of connections, one line for each way."""
    for at, way in enumerate(run.ways):
        spreads = [run.spread(run.samples, way, connections, figure) for connections in run.connections]
        around = [[spread.middle - spread.low for spread in spreads],
                  [spread.high - spread.middle for spread in spreads]]
        axes.errorbar(run.connections, [spread.middle for spread in spreads], yerr=around, capsize=2, linewidth=1.3,
                      markersize=4, color=colour(way), marker=MARKS[at % len(MARKS)], linestyle=style(way),
                      label=name(way))
    axes.set_xticks(run.connections)
    axes.xaxis.set_major_formatter(thousands)
    axes.yaxis.set_major_formatter(thousands)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("open connections")
    axes.set_ylabel(label)


def memory(axes, run):
    """Memory per connection where there are most."""
    for at, way in enumerate(run.ways):
        outside, heap = (max(run.spread(run.footprints, way, run.connections[-1],
                                        lambda each: each[what] / 1024).middle, 0)
                         for what in ("nativeBytes", "heapBytes"))
        axes.barh(at, outside, height=0.62, color=colour(way))
        axes.barh(at, heap, left=outside, height=0.62, color=colour(way), alpha=HEAP)
        axes.annotate(f"{outside + heap:.1f}", (outside + heap, at), xytext=(3, 0), textcoords="offset points",
                      va="center", fontsize=8)
    axes.set_yticks(range(len(run.ways)), run.ways)
    axes.set_ylim(len(run.ways) - 0.4, -0.6)
    axes.margins(x=0.15)
    axes.grid(axis="y", visible=False)
    axes.set_xlabel(f"server's memory per connection, KiB, {thousands(run.connections[-1])} open")
    patches = [plt.Rectangle((0, 0), 1, 1, color=FLOOR, alpha=alpha) for alpha in (1, HEAP)]
    axes.legend(patches, ["outside of the heap", "heap"], loc="lower right")


def draw(run, folder):
    figure, (work, latency, space) = plt.subplots(1, 3, figsize=(12.6, 4.3), layout="constrained")
    lines(work, run, lambda sample: sample["requests"] / sample["cpuSeconds"],
          "requests per second of the server's processor time")
    lines(latency, run, lambda sample: sample["p99Micros"] / 1000, "p99 of a request's latency, ms")
    memory(space, run)
    handles, labels = work.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=5, fontsize=8)
    figure.suptitle(run.title, fontsize=9)
    save(figure, folder / f"servers-jdk{run.version}.svg")


if __name__ == "__main__":
    draw_each(sys.argv[1:], __doc__, lambda file, folder: draw(Run(file), folder))
