# SPDX-License-Identifier: Apache-2.0
"""Draws what interrupt.sh and cache.sh measured.

usage: interrupt.py FOLDER FILE...    files that they wrote; makes FOLDER/interrupt-<protocol>-jdk<version>.svg
"""
import json
import re
import sys
from pathlib import Path

from colours import FLOOR, JDK, OTHER, POLLER, POLLUX, VIRTUAL
from plots import draw_each, plt, save, thousands
from results import Spread

FAST = "#c1121f"    # red: Interruptlets
NETTY = "#e5a23b"   # yellow: Netty
LOOKS = {   # name, colour, marker, line
    "threads": ("a thread for each connection", OTHER, "v", "-"),
    "virtual": ("a virtual thread for each", VIRTUAL, "v", "-"),
    "jdk": ("JDK's selector", JDK, "s", "-"),
    "pollux": ("Pollux's selector", POLLUX, "o", "-"),
    "poller": ("Poller", POLLER, "D", "-"),
    "netty-nio": ("Netty, NIO", NETTY, "s", ":"),
    "netty-pollux": ("Netty, Pollux's selector", NETTY, "o", "-."),
    "netty-epoll": ("Netty, epoll", NETTY, "^", "--"),
    "netty-uring": ("Netty, io_uring", NETTY, "P", "-"),
    "uring": ("Interruptlet, io_uring", FAST, "P", "-"),
    "epoll": ("Interruptlet, epoll", FAST, "^", "--"),
    "uring-copied": ("Interruptlet, io_uring, copied replies", FAST, "p", "-"),
    "epoll-copied": ("Interruptlet, epoll, copied replies", FAST, "d", "-"),
    "handover": ("Interruptlet that hands connections to Netty", FAST, "X", ":"),
    "c-loop": ("C, epoll", FLOOR, "_", "-"),
    "c-uring": ("C on the arena, io_uring", FLOOR, "P", ":"),
    "c-epoll": ("C on the arena, epoll", FLOOR, "^", "--"),
}
MODES = {"full": "the server the bottleneck", "free": "nothing bound to a processor", "shared": "on one processor",
         "paced": "{} requests/s"}


class Run:
    """One file: what each way showed at each number of connections and in each mode."""

    def __init__(self, file):
        content = json.loads(Path(file).read_text(encoding="utf-8"))
        self.head, self.plan = content, content["plan"]
        self.samples = content["results"]["samples"]
        self.ways = list(dict.fromkeys(each["way"] for each in content["results"]["footprints"]))
        self.connections = sorted(self.plan["connections"])
        self.modes = [mode.lower() for mode in self.plan["modes"]]
        self.protocol = self.plan["protocol"].lower()
        self.version = re.match(r"\d+", content["java"]).group()

    def spread(self, way, connections, mode, figure):
        return Spread.of([figure(each) for each in self.samples
                          if (each["way"], each["connections"], each["mode"]) == (way, connections, mode)])

    def name(self, mode):
        return MODES[mode].format(thousands(self.plan["rate"]))

    @property
    def title(self):
        kernel = re.match(r"\D+\d+\.\d+", self.head["os"]).group()
        return (f"{self.protocol}: JDK {self.head['java'].split('+')[0]}, {kernel}, {self.head['processors']} "
                "processors; median, smallest and greatest of the rounds")


def per_cpu_second(sample):
    return sample["requests"] / (sample["cpuSeconds"] + sample["softirqSeconds"])


def lines(axes, run, mode, figure, label):
    """A figure over the number of connections, one line for each way."""
    for way in run.ways:
        name, colour, marker, style = LOOKS[way]
        spreads = [run.spread(way, connections, mode, figure) for connections in run.connections]
        around = [[spread.middle - spread.low for spread in spreads],
                  [spread.high - spread.middle for spread in spreads]]
        axes.errorbar(run.connections, [spread.middle for spread in spreads], yerr=around, capsize=2, linewidth=1.3,
                      markersize=4, color=colour, marker=marker, linestyle=style, label=name)
    axes.set_xscale("log")
    axes.set_xticks(run.connections)
    axes.xaxis.set_major_formatter(thousands)
    axes.minorticks_off()
    axes.set_xlabel("open connections")
    axes.set_ylabel(label)
    axes.set_title(run.name(mode), loc="left", fontsize=9)


def draw(run, folder):
    loaded = [mode for mode in run.modes if mode != "paced"]
    figure, axes = plt.subplots(1, len(run.modes), figsize=(4.3 * len(run.modes), 4.9), layout="constrained",
                                squeeze=False)
    for at, mode in enumerate(loaded):
        lines(axes[0][at], run, mode, per_cpu_second, "requests per second of the server's processor time")
        axes[0][at].yaxis.set_major_formatter(thousands)
        axes[0][at].set_ylim(bottom=0)
    if "paced" in run.modes:
        lines(axes[0][-1], run, "paced", lambda sample: sample["p99Micros"], "p99 of a request's latency, µs")
        axes[0][-1].set_yscale("log")
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, fontsize=8)
    figure.suptitle(run.title, fontsize=9)
    save(figure, folder / f"interrupt-{run.protocol}-jdk{run.version}.svg")


if __name__ == "__main__":
    draw_each(sys.argv[1:], __doc__, lambda file, folder: draw(Run(file), folder))
