# SPDX-License-Identifier: Apache-2.0
"""Draws what handout.sh measured.

usage: handout.py FOLDER FILE...    files that handout.sh wrote; makes FOLDER/handout-jdk<version>.svg
"""
from colours import OTHER, POLLER
from plots import draw_each, error_bars, legend, over, plt, save
from results import Spread, numbers

LOOKS = {"ONE": ("one at a time", POLLER, "o"), "BATCH": ("batches of {}", OTHER, "s")}
STYLES = {"SHORT": "-", "LONG": "--"}
TITLES = {"SHORT": "short handlers", "LONG": "every 16th blocks for 5 ms"}


def lines(axes, content, figure, label):
    """A figure over the number of threads, one line for each way and load."""
    plan = content["plan"]
    for load in plan["loads"]:
        for way, (name, colour, marker) in LOOKS.items():
            spreads = [Spread.of(numbers(content, way, {"load": load, "threads": threads}, figure))
                       for threads in plan["threads"]]
            error_bars(axes, plan["threads"], spreads, color=colour, marker=marker, linestyle=STYLES[load],
                       label=f"{name.format(plan['batch'])}, {TITLES[load]}")
    axes.set_yscale("log")
    over(axes, plan["threads"], "threads in await", base=2)
    axes.set_ylabel(label)


def draw(content, folder):
    figure, (speed, work, wait) = plt.subplots(1, 3, figsize=(12.6, 4.3), layout="constrained")
    lines(speed, content, lambda sample: sample["events"] / sample["seconds"], "events per second")
    lines(work, content, lambda sample: sample["events"] / sample["cpuSeconds"], "events per second of processor time")
    lines(wait, content, lambda sample: sample["p99"], "p99 from ready to handled, µs")
    legend(figure, speed, f"Hand-out of {content['plan']['members']} one-shot members that are always ready: "
           f"{content['title']}; median, smallest and greatest of the rounds")
    save(figure, folder / f"handout-{content['jdk']}.svg")


if __name__ == "__main__":
    draw_each(__doc__, draw)
