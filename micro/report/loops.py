# SPDX-License-Identifier: Apache-2.0
"""Draws what a recording of JFR says of the loops on Pollux: how busy each one was, and where it was busy for long.

usage: loops.py FOLDER RECORDING...    makes FOLDER/<name of the recording>.svg; JFR is the jfr command, default: jfr
"""
import json
import os
import re
import subprocess
from collections import defaultdict
from datetime import datetime, timedelta
from pathlib import Path

from plots import JDK, OTHER, POLLER, POLLUX, VIRTUAL, draw_each, plt, save, thousands

COLOURS = (POLLUX, OTHER, POLLER, VIRTUAL, JDK)
STATISTICS, BUSY = "dev.pollux.SelectorStatistics", "dev.pollux.Busy"


def moment(text):
    """A time of JFR's, whose fractions have up to nine digits."""
    return datetime.fromisoformat(re.sub(r"(\.\d{1,6})\d*", r"\1", text).replace("Z", "+00:00"))


def seconds(text):
    """A duration as ISO 8601 has it: PT1M2.5S."""
    parts = dict((unit, float(number)) for number, unit in re.findall(r"([\d.]+)([HMS])", text))
    return 3600 * parts.get("H", 0) + 60 * parts.get("M", 0) + parts.get("S", 0)


def events(file):
    command = [os.environ.get("JFR", "jfr"), "print", "--json", "--events", f"{STATISTICS},{BUSY}", str(file)]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    for event in json.loads(printed)["recording"]["events"]:
        yield event["type"], event["values"]


class Loop:
    """The reports of one loop, each of which is about the time since the one before."""

    def __init__(self):
        self.name, self.reports, self.busy = "", [], []

    def add(self, values):
        thread = values["thread"]
        self.name = self.name or f'{values["kind"]} {values["loop"]}: {thread["javaName"] if thread else "no thread"}'
        self.reports.append((moment(values["startTime"]), seconds(values["elapsedNanos"]), values["utilization"],
                             values["selections"]))

    def steps(self, start):
        """Seconds since the start, utilization, selections a second: for each stretch between two reports."""
        self.reports.sort()
        opened = self.reports[0][0] - timedelta(seconds=self.reports[0][1])
        before, counted = opened, 0
        for at, _, utilization, selections in self.reports:
            passed = (at - before).total_seconds()
            if passed > 0:
                yield (before - start).total_seconds(), passed, utilization, (selections - counted) / passed
            before, counted = at, selections


def draw(file, folder):
    loops = defaultdict(Loop)
    for kind, values in events(file):
        if kind == STATISTICS:
            loops[values["loop"]].add(values)
        else:
            loops[values["loop"]].busy.append((moment(values["startTime"]), seconds(values["duration"])))
    loops = {number: loop for number, loop in sorted(loops.items()) if len(loop.reports) > 1}
    start = min(loop.reports[0][0] for loop in loops.values())

    figure, rows = plt.subplots(len(loops), 1, figsize=(9.2, 0.8 + 1.1 * len(loops)), sharex=True, squeeze=False,
                                layout="constrained")
    for (axes,), loop, colour in zip(rows, loops.values(), COLOURS * len(loops)):
        steps = list(loop.steps(start))
        axes.stairs([utilization for _, _, utilization, _ in steps],
                    [at for at, _, _, _ in steps] + [steps[-1][0] + steps[-1][1]], fill=True, color=colour)
        for at, lasted in loop.busy:
            axes.axvspan((at - start).total_seconds(), (at - start).total_seconds() + lasted, color="#c1121f",
                         linewidth=0.6, alpha=0.55)
        axes.set_ylim(0, 1)
        axes.set_yticks((0, 0.5, 1), ("0", "", "1"))
        most = max(rate for _, _, _, rate in steps)
        axes.set_title(f"{loop.name}: up to {thousands(most)} selections/s, {len(loop.busy)} times busy for long",
                       loc="left", fontsize=8)
    rows[-1][0].set_xlabel("seconds")
    figure.suptitle("Utilization of each loop; red: not waited for 100 ms or longer", fontsize=9)
    save(figure, folder / f"{file.stem}.svg")


if __name__ == "__main__":
    draw_each(__doc__, draw, read=Path)
