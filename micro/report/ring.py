# SPDX-License-Identifier: Apache-2.0
"""Draws what ring.sh measured.

usage: ring.py FOLDER FILE...    files that ring.sh wrote; makes FOLDER/ring-jdk<version>.svg
"""
import json
import re
import sys
from pathlib import Path

from colours import FLOOR, JDK, OTHER, POLLER, POLLUX
from plots import draw_each, plt, save, thousands
from results import Spread

LOOKS = {   # name, colour, marker, line
    "c-epoll": ("C, epoll", FLOOR, "_", "--"),
    "c-epoll-raw": ("C, epoll by syscall(2)", FLOOR, "_", ":"),
    "c-poll": ("C, poll", FLOOR, "_", "-."),
    "c-pollux-epoll": ("C on Pollux, epoll", POLLUX, "s", "--"),
    "c-pollux-poll": ("C on Pollux, poll", POLLUX, "s", ":"),
    "java-poller": ("Java, Poller", POLLER, "D", "-"),
    "java-selector-pollux": ("Java, Pollux's selector", POLLUX, "o", "-"),
    "java-selector-jdk": ("Java, JDK's selector", JDK, "s", "-"),
}
FLOOR_WAY = "c-epoll"


class Run:
    """One file: reads per second, by way and number of pipes, in the order of the rounds."""

    def __init__(self, file):
        self.content = json.loads(Path(file).read_text(encoding="utf-8"))
        self.plan = self.content["plan"]
        self.clock = "cpuSeconds" if self.plan["cpu"] else "seconds"

    def speeds(self, way, pipes):
        return [each["sample"]["reads"] / each["sample"][self.clock] for each in self.content["results"]
                if (each["way"], each["pipes"]) == (way, pipes)]

    @property
    def title(self):
        java, kernel = self.content["java"], re.match(r"\D+\d+\.\d+", self.content["os"]).group()
        return (f"Ring of pipes, {self.plan['tokens']} running: JDK {java.split('+')[0]}, {kernel}, "
                f"{self.content['processors']} processors; median, smallest and greatest of the rounds")


def lines(axes, run, ways, speeds):
    for way in ways:
        label, colour, marker, style = LOOKS.get(way, (way, OTHER, "v", "-."))
        spreads = [Spread.of(speeds(way, pipes)) for pipes in run.plan["pipes"]]
        around = [[spread.middle - spread.low for spread in spreads],
                  [spread.high - spread.middle for spread in spreads]]
        axes.errorbar(run.plan["pipes"], [spread.middle for spread in spreads], yerr=around, capsize=2, linewidth=1.3,
                      markersize=4, color=colour, marker=marker, linestyle=style, label=label)
    axes.set_xscale("log")
    axes.set_xticks(run.plan["pipes"])
    axes.xaxis.set_major_formatter(thousands)
    axes.minorticks_off()
    axes.set_xlabel("pipes")


def draw(run, folder):
    figure, (all_ways, ratios) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
    ways = run.plan["ways"]
    lines(all_ways, run, ways, run.speeds)
    all_ways.set_yscale("log")
    all_ways.yaxis.set_major_formatter(thousands)
    all_ways.minorticks_off()
    all_ways.set_ylabel("reads per second" + (" of processor time" if run.plan["cpu"] else ""))
    if FLOOR_WAY in ways:
        # Round by round: what disturbed one round disturbed both sides of it.
        lines(ratios, run, [way for way in ways if not way.endswith("-poll")],
              lambda way, pipes: [one / floor for one, floor
                                   in zip(run.speeds(way, pipes), run.speeds(FLOOR_WAY, pipes))])
        ratios.set_ylim(bottom=0)
        ratios.set_ylabel("reads / reads of the C loop on epoll")
    handles, labels = all_ways.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, fontsize=8)
    figure.suptitle(run.title, fontsize=9)
    save(figure, folder / f"ring-jdk{re.match(r'[0-9]+', run.content['java']).group()}.svg")


if __name__ == "__main__":
    draw_each(sys.argv[1:], __doc__, lambda file, folder: draw(Run(file), folder))
