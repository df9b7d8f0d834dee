# SPDX-License-Identifier: Apache-2.0
"""Draws what the programs ping, ring and handout measured.

usage: ways.py FOLDER FILE...    files that they wrote, whose names begin with the program's; makes
                                 FOLDER/<program>-jdk<version>.svg
"""
import re

from colours import FLOOR, JDK, OTHER, POLLER, POLLUX
from plots import draw_each, error_bars, legend, over, plt, save, thousands
from results import Spread

NAMES = {"blocking": "blocking SocketChannel", "busy": "non-blocking, busy loop", "selector-jdk": "JDK's selector",
         "selector-pollux": "Pollux, selector", "asynchronous": "AsynchronousSocketChannel", "poller": "Pollux, Poller"}
MODES = {"ONE": "in one thread", "TWO": "between two threads", "PINNED": "between two, on a processor each"}
RING = {   # name, colour, marker, line
    "c-epoll": ("C, epoll", FLOOR, "_", "--"),
    "c-epoll-raw": ("C, epoll by syscall(2)", FLOOR, "_", ":"),
    "c-poll": ("C, poll", FLOOR, "_", "-."),
    "c-pollux-epoll": ("C on Pollux, epoll", POLLUX, "s", "--"),
    "c-pollux-poll": ("C on Pollux, poll", POLLUX, "s", ":"),
    "java-poller": ("Java, Poller", POLLER, "D", "-"),
    "java-selector-pollux": ("Java, Pollux's selector", POLLUX, "o", "-"),
    "java-selector-jdk": ("Java, JDK's selector", JDK, "s", "-"),
}
RING_FLOOR = "c-epoll"
HANDOUT = {"ONE": ("one at a time", POLLER, "o"), "BATCH": ("batches of {}", OTHER, "s")}
LOADS = {"SHORT": ("short handlers", "-"), "LONG": ("every 16th blocks for 5 ms", "--")}


def ways(content):
    """The ways that were measured, in the order of the first round."""
    return list(dict.fromkeys(each["way"] for each in content["results"]))


def numbers(content, way, setting, figure):
    """A figure of the samples of a way in a setting, in the order of the rounds."""
    return [figure(each["sample"]) for each in content["results"] if (each["way"], each["setting"]) == (way, setting)]


def percentiles(axes, content, mode):
    """For each way a line from the 1st to the 99th percentile, a dot at the median and a tick at the 99.9th.

    Each is the median of the rounds.
    """
    names = [NAMES.get(way) or re.sub(r"selector-pollux-spin-(\d+)", r"Pollux, selector, spin \1 µs", way)
             for way in ways(content)]
    for at, way in enumerate(ways(content)):
        p1, p50, p99, p999 = (Spread.of(numbers(content, way, mode, lambda sample, name=name: sample[name])).middle
                              for name in ("p1", "p50", "p99", "p999"))
        colour = {"selector-jdk": JDK, "poller": POLLER}.get(way, OTHER)
        colour = POLLUX if way.startswith("selector-pollux") else colour
        axes.plot([p1, p99], [at, at], color=colour, linewidth=2.4, solid_capstyle="butt")
        axes.plot(p50, at, "o", color=colour, markersize=6)
        axes.plot(p999, at, "|", color=colour, markersize=9)
        axes.annotate(f"{p50:.1f}", (p50, at), xytext=(0, 6), textcoords="offset points", ha="center", fontsize=8)
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.7)
    axes.grid(axis="y", visible=False)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(thousands)
    axes.xaxis.set_minor_formatter(lambda at, _: thousands(at) if str(at)[0] in "25" else "")
    axes.set_xlabel("round trip, µs")
    axes.set_title(MODES[mode], loc="left")


def ping(content):
    modes = list(dict.fromkeys(each["setting"] for each in content["results"]))
    plan = content["plan"]
    figure, panels = plt.subplots(1, len(modes), figsize=(1.6 + 3.9 * len(modes), 1.5 + 0.34 * len(ways(content))),
                                  sharey=True, squeeze=False, layout="constrained")
    for axes, mode in zip(panels[0], modes):
        percentiles(axes, content, mode)
    figure.suptitle(f"{content['title']}; {plan['size']} bytes\n1st to 99th percentile, median (dot), 99.9th (tick); "
                    f"medians of {plan['rounds']} rounds", fontsize=9)
    return figure


def ring(content):
    plan, pipes = content["plan"], content["plan"]["pipes"]
    clock = "cpuSeconds" if plan["cpu"] else "seconds"

    def speeds(way, count):
        return numbers(content, way, count, lambda sample: sample["reads"] / sample[clock])

    def lines(axes, shown, figures):
        for way in shown:
            label, colour, marker, style = RING.get(way, (way, OTHER, "v", "-."))
            error_bars(axes, pipes, [Spread.of(figures(way, count)) for count in pipes], color=colour, marker=marker,
                       linestyle=style, label=label)
        over(axes, pipes, "pipes")

    figure, (all_ways, ratios) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
    all_ways.set_yscale("log")
    lines(all_ways, ways(content), speeds)
    all_ways.set_ylabel("reads per second" + (" of processor time" if plan["cpu"] else ""))
    if RING_FLOOR in ways(content):
        # Round by round: what disturbed one round disturbed both sides of it.
        lines(ratios, [way for way in ways(content) if not way.endswith("-poll")], lambda way, count: [
            one / floor for one, floor in zip(speeds(way, count), speeds(RING_FLOOR, count))])
        ratios.yaxis.set_major_formatter("{x:.1f}")
        ratios.set_ylim(bottom=0)
        ratios.set_ylabel("reads / reads of the C loop on epoll")
    legend(figure, all_ways, f"Ring of pipes, {plan['tokens']} running: {content['title']}; median, smallest and "
           "greatest of the rounds")
    return figure


def handout(content):
    plan = content["plan"]
    figure, panels = plt.subplots(1, 3, figsize=(12.6, 4.3), layout="constrained")
    for axes, label, number in zip(
            panels, ("events per second", "events per second of processor time", "p99 from ready to handled, µs"),
            (lambda sample: sample["events"] / sample["seconds"],
             lambda sample: sample["events"] / sample["cpuSeconds"], lambda sample: sample["p99"])):
        for load in plan["loads"]:
            for way, (name, colour, marker) in HANDOUT.items():
                spreads = [Spread.of(numbers(content, way, {"load": load, "threads": threads}, number))
                           for threads in plan["threads"]]
                error_bars(axes, plan["threads"], spreads, color=colour, marker=marker, linestyle=LOADS[load][1],
                           label=f"{name.format(plan['batch'])}, {LOADS[load][0]}")
        axes.set_yscale("log")
        over(axes, plan["threads"], "threads in await", base=2)
        axes.set_ylabel(label)
    legend(figure, panels[0], f"Hand-out of {plan['members']} one-shot members that are always ready: "
           f"{content['title']}; median, smallest and greatest of the rounds")
    return figure


def draw(content, folder):
    program = content["file"].partition("-")[0]
    save({"ping": ping, "ring": ring, "handout": handout}[program](content), folder / f"{program}-{content['jdk']}.svg")


if __name__ == "__main__":
    draw_each(__doc__, draw)
