# SPDX-License-Identifier: Apache-2.0
"""Reads what the benchmarks wrote, and the figures that are wanted."""
import csv
import json
import re
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from statistics import median

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Spread:
    """The median, the smallest and the greatest of some numbers, one per round; None if nothing was measured."""

    middle: float
    low: float
    high: float

    @staticmethod
    def of(numbers):
        known = [number for number in numbers if number is not None]
        return Spread(median(known), min(known), max(known)) if known else None

    @staticmethod
    def of_ratios(above, below):
        """Divides round by round: what disturbed one round disturbed both sides of it."""
        pairs = zip(above, below)
        return Spread.of([a / b for a, b in pairs if a is not None and b])


class Result:
    """One row: a benchmark with its value, its figure and its option, on both providers and in C."""

    def __init__(self, setting, figure, sides):
        def times(side):
            return [sample["nanos"].get(figure) for sample in sides[side]]

        self.benchmark = setting["what"]["method"].split(".")[-2]
        self.value = setting["what"]["value"]
        self.mechanism = setting["pair"]["mechanism"]
        self.figure = figure
        self.option = setting["option"]
        self.base, self.other, self.floor = (times(side) for side in ("BASE", "OTHER", "FLOOR"))
        self.base_bytes, self.other_bytes = (Spread.of([sample.get("bytes") for sample in sides[side]])
                                             for side in ("BASE", "OTHER"))
        self.providers = setting["pair"]["base"], setting["pair"]["other"]

    @property
    def label(self):
        percentile = self.figure if self.figure.startswith("p") else ""
        return " ".join(filter(None, [self.benchmark, self.value, percentile, self.option]))


@dataclass(frozen=True)
class Target:
    """What is wanted of a row: upper limits of ratios and of bytes; None where nothing is."""

    jdk: float
    floor: float
    bytes: float
    growth: float


class Run:
    """One JDK's results on one clock, of one file or of several; a later file replaces rows of an earlier one."""

    def __init__(self, head):
        self.head = head
        self.clock = "processor" if head.get("cpu") or head.get("clock") == "cpu" else "elapsed"
        self.rows = {}

    @property
    def key(self):
        return self.head["java"], self.head["virtual"], self.clock

    @property
    def name(self):
        """A word for file names, such as jdk17."""
        feature = self.head["java"].split(".")[0].split("+")[0]
        return f"jdk{feature}" + ("-virtual" if self.head["virtual"] else "")

    @property
    def title(self):
        kernel = re.match(r"\D+\d+\.\d+", self.head["os"]).group()
        threads = ", virtual threads" if self.head["virtual"] else ""
        return f"JDK {self.head['java'].split('+')[0]}{threads}, {kernel}, {self.head['processors']} processors"

    def add(self, setting, sides):
        for figure in sides["BASE"][0]["nanos"]:
            if figure not in ("wall", "cpu") or figure == ("cpu" if self.clock == "processor" else "wall"):
                result = Result(setting, figure, sides)
                self.rows[result.providers + (result.label,)] = result

    def of(self, providers):
        """The rows of two providers, in the order of the wanted figures."""
        rows = [row for row in self.rows.values() if row.providers == providers]
        return sorted(rows, key=lambda row: (place(row.benchmark), natural(row.label)))

    def pairs(self):
        return list(dict.fromkeys(row.providers for row in self.rows.values()))

    def target(self, row):
        """The figures are those of platform threads; beside them nothing may be slower than the JDK."""
        if not self.head["virtual"]:
            for target, mechanism, pattern in TARGETS:
                if mechanism == row.mechanism and re.fullmatch(pattern, row.label):
                    return target
        return Target(jdk=1, floor=None, bytes=None, growth=None)


def natural(label):
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", label)]


def place(benchmark):
    """The first row of the wanted figures that is about the benchmark."""
    return next((at for at, (_, _, pattern) in enumerate(TARGETS) if pattern.startswith(benchmark)), len(TARGETS))


def read(files):
    """Returns the runs in the files, one per JDK."""
    runs = {}
    for file in files:
        content = json.loads(Path(file).read_text(encoding="utf-8"))
        run = Run({name: content[name] for name in ("java", "os", "processors")} | content["plan"])
        run = runs.setdefault(run.key, run)
        rows = defaultdict(lambda: defaultdict(list))
        for each in content["results"]:
            rows[json.dumps(each["setting"])][each["way"]].append(each["sample"])
        for setting, sides in rows.items():
            run.add(json.loads(setting), sides)
    return list(runs.values())


def _targets():
    with open(HERE / "targets.csv", newline="", encoding="utf-8") as lines:
        for line in csv.DictReader(lines):
            limits = [float(line[name]) if line[name] else None for name in ("jdk", "floor", "bytes", "growth")]
            yield Target(*limits), line["mechanism"], line["benchmark"]


TARGETS = list(_targets())
