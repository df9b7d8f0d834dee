# SPDX-License-Identifier: Apache-2.0
"""Draws what the programs servers, interrupt and cache measured.

usage: servers.py FOLDER FILE...    files that they wrote; makes FOLDER/servers-jdk<version>.svg of those whose names
                                    begin so, and FOLDER/interrupt-<protocol>-jdk<version>.svg of others
"""
from plots import (FLOOR, JDK, OTHER, POLLER, POLLUX, VIRTUAL, Spread, draw_each, error_bars, legend, over, plt, save,
                   thousands)

FAST = "#c1121f"    # red: Interruptlets
NETTY = "#e5a23b"   # yellow: Netty
LOOKS = {   # name, colour, marker, line
    "threads": ("a thread for each connection", OTHER, "v", "-"),
    "virtual": ("a virtual thread for each", VIRTUAL, "v", "-"),
    "jdk": ("JDK's selector", JDK, "s", "-"),
    "pollux": ("Pollux's selector", POLLUX, "o", "-"),
    "poller": ("Poller", POLLER, "D", "-"),
    "gang": ("Poller, level-triggered, {} workers in a gang", POLLER, "X", ":"),
    "oneshot": ("Poller, one-shot, {} workers", POLLER, "*", "--"),
    "batches": ("Poller, one-shot, {} workers with batches", POLLER, "d", "--"),
    "netty-nio": ("Netty, NIO", NETTY, "s", ":"),
    "netty-pollux": ("Netty, Pollux's selector", NETTY, "o", "-."),
    "netty-epoll": ("Netty, epoll", NETTY, "^", "--"),
    "netty-uring": ("Netty, io_uring", NETTY, "P", "-"),
    "uring": ("Interruptlet, io_uring", FAST, "P", "-"),
    "epoll": ("Interruptlet, epoll", FAST, "^", "--"),
    "undertow": ("Undertow", OTHER, "s", "-."),
    "helidon": ("Helidon, virtual threads", VIRTUAL, "o", "-."),
    "handover": ("Interruptlet that hands connections to Netty", FAST, "X", ":"),
    "c-loop": ("C, epoll", FLOOR, "_", "-"),
    "c-uring": ("C on the arena, io_uring", FLOOR, "P", ":"),
    "c-epoll": ("C on the arena, epoll", FLOOR, "^", "--"),
}
MODES = {"full": "the server the bottleneck", "free": "nothing bound to a processor", "shared": "on one processor",
         "paced": "{} requests/s", "paced-free": "{} requests/s, nothing bound to a processor"}
WORK = "requests per second of the server's processor time"
P99 = "p99 of a request's latency, µs"


class Run:
    """One file: what each way showed at each number of connections and in each mode."""

    def __init__(self, content):
        self.plan = content["plan"]
        self.samples, self.starts = content["results"]["samples"], content["results"]["starts"]
        self.ways = list(dict.fromkeys(each["way"] for each in self.starts))
        self.connections = sorted(self.plan["connections"])
        self.modes = [mode.lower().replace("_", "-") for mode in self.plan["modes"]]
        self.protocol = self.starts[0]["server"]

    def spread(self, way, connections, mode, figure):
        return Spread.of([figure(each) for each in self.samples
                          if (each["way"], each["connections"], each["mode"]) == (way, connections, mode)])


def per_cpu_second(sample):
    return sample["requests"] / (sample["cpuSeconds"] + sample["softirqSeconds"])


def lines(axes, run, mode, figure, label):
    """A figure over the number of connections, one line for each way."""
    for way in run.ways:
        kind, _, workers = way.partition(" ")
        name, colour, marker, style = LOOKS[kind]
        error_bars(axes, run.connections, [run.spread(way, connections, mode, figure)
                                           for connections in run.connections],
                   color=colour, marker=marker, linestyle=style, label=name.format(workers))
    if figure is not per_cpu_second:
        axes.set_yscale("log")
    over(axes, run.connections, "open connections")
    if figure is per_cpu_second:
        axes.set_ylim(bottom=0)
    axes.set_ylabel(label)
    axes.set_title(MODES[mode].format(thousands(run.plan["rate"])), loc="left", fontsize=9)


def draw(content, folder):
    run = Run(content)
    panels = [(mode, lambda sample: sample["p99Micros"], P99) if mode.startswith("paced")
              else (mode, per_cpu_second, WORK) for mode in run.modes]
    if len(panels) == 1:
        panels.append((run.modes[0], lambda sample: sample["p99Micros"], P99))
    figure, axes = plt.subplots(1, len(panels), figsize=(4.3 * len(panels), 4.9), layout="constrained")
    for each, panel in zip(axes, panels):
        lines(each, run, *panel)
    legend(figure, axes[0], f"{run.protocol}: {content['title']}; {run.plan['outstanding']} requests outstanding, "
           "random order; median, smallest and greatest of the rounds")
    name = "servers" if content["file"].startswith("servers") else f"interrupt-{run.protocol}"
    save(figure, folder / f"{name}-{content['jdk']}.svg")


if __name__ == "__main__":
    draw_each(__doc__, draw)
