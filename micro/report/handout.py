# SPDX-License-Identifier: Apache-2.0
"""Draws what handout.sh measured.

usage: handout.py FOLDER FILE...    files that handout.sh wrote; makes FOLDER/handout-jdk<version>.svg
"""
import json
import re
import sys
from pathlib import Path

from colours import OTHER, POLLER
from plots import draw_each, plt, save, thousands
from results import Spread

LOOKS = {"ONE": ("one at a time", POLLER, "o"), "BATCH": ("batches of {}", OTHER, "s")}
STYLES = {"SHORT": "-", "LONG": "--"}
TITLES = {"SHORT": "short handlers", "LONG": "every 16th blocks for 5 ms"}


def lines(axes, content, figure, label):
    """A figure over the number of threads, one line for each way and load."""
    plan = content["plan"]
    for load in plan["loads"]:
        for way, (name, colour, marker) in LOOKS.items():
            spreads = [Spread.of([figure(each["sample"]) for each in content["results"]
                                  if (each["way"], each["load"], each["threads"]) == (way, load, threads)])
                       for threads in plan["threads"]]
            around = [[spread.middle - spread.low for spread in spreads],
                      [spread.high - spread.middle for spread in spreads]]
            axes.errorbar(plan["threads"], [spread.middle for spread in spreads], yerr=around, capsize=2, linewidth=1.3,
                          markersize=4, color=colour, marker=marker, linestyle=STYLES[load],
                          label=f"{name.format(plan['batch'])}, {TITLES[load]}")
    axes.set_xscale("log", base=2)
    axes.set_xticks(plan["threads"])
    axes.xaxis.set_major_formatter(thousands)
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(thousands)
    axes.minorticks_off()
    axes.set_xlabel("threads in await")
    axes.set_ylabel(label)


def draw(content, folder):
    plan, kernel = content["plan"], re.match(r"\D+\d+\.\d+", content["os"]).group()
    figure, (speed, work, wait) = plt.subplots(1, 3, figsize=(12.6, 4.3), layout="constrained")
    lines(speed, content, lambda sample: sample["events"] / sample["seconds"], "events per second")
    lines(work, content, lambda sample: sample["events"] / sample["cpuSeconds"], "events per second of processor time")
    lines(wait, content, lambda sample: sample["p99"], "p99 from ready to handled, µs")
    handles, labels = speed.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, fontsize=8)
    figure.suptitle(f"Hand-out of {plan['members']} one-shot members that are always ready: JDK "
                    f"{content['java'].split('+')[0]}, {kernel}, {content['processors']} processors; median, smallest "
                    "and greatest of the rounds", fontsize=9)
    save(figure, folder / f"handout-jdk{re.match(r'[0-9]+', content['java']).group()}.svg")


if __name__ == "__main__":
    draw_each(sys.argv[1:], __doc__, lambda file, folder: draw(json.loads(Path(file).read_text("utf-8")), folder))
