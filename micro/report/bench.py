# SPDX-License-Identifier: Apache-2.0
"""Prints a table in Markdown that says of each wanted figure whether it was reached, and draws the plots.

usage: bench.py FOLDER FILE...    files of bench; makes FOLDER/select-one-<jdk>.svg and FOLDER/ratios-<jdk>.svg
"""
import csv
import json
import re
from collections import defaultdict
from pathlib import Path

from rich.box import MARKDOWN
from rich.console import Console
from rich.table import Table

from plots import FLOOR, JDK, LIMIT, POLLUX, Spread, draw_each, error_bars, figures, legend, over, plt, save

COLUMNS = ["benchmark", "JDK, ns", "Pollux, ns", "Pollux / JDK, wanted", "C, ns", "Pollux / C, wanted", "JDK, bytes",
           "Pollux, bytes, wanted"]

# No object has fewer than 16 bytes: less than one per operation is not the operation's, but the harness's.
NO_BYTES = 1
LONGEST = 4     # where a bar is cut, so that one outlier does not press the others together

with open(Path(__file__).with_name("targets.csv"), newline="", encoding="utf-8") as lines:
    TARGETS = list(csv.DictReader(lines))


def natural(label):
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", label)]


class Row:
    """A benchmark with its value, its figure and its option: what each side took, one number for each round."""

    def __init__(self, setting, figure, sides, virtual):
        self.benchmark, self.value = setting["what"]["method"].split(".")[-2], setting["what"]["value"]
        self.pair, self.option = setting["pair"], setting["option"]
        percentile = figure if figure.startswith("p") else ""
        self.label = " ".join(filter(None, [self.benchmark, self.value, percentile, self.option]))
        self.base, self.other, self.floor = ([sample["nanos"].get(figure) for sample in sides[side]]
                                             for side in ("BASE", "OTHER", "FLOOR"))
        self.bytes = [Spread.of([sample.get("bytes") for sample in sides[side]]) for side in ("BASE", "OTHER")]
        # The wanted figures are those of platform threads; beside them nothing may be slower than the JDK.
        self.target = next((each for each in TARGETS if not virtual and each["mechanism"] == self.pair["mechanism"]
                            and re.fullmatch(each["benchmark"], self.label)), {"jdk": "1"})
        place = next((at for at, each in enumerate(TARGETS) if each["benchmark"].startswith(self.benchmark)),
                     len(TARGETS))
        self.order = place, natural(self.label)

    def limit(self, name):
        """The upper limit of a ratio or of bytes; None where nothing is wanted."""
        return float(self.target[name]) if self.target.get(name) else None

    def cells(self):
        to_jdk, to_floor = Spread.of_ratios(self.other, self.base), Spread.of_ratios(self.other, self.floor)
        return [self.label, number(Spread.of(self.base)), number(Spread.of(self.other)),
                ratio(to_jdk) + verdict(to_jdk, self.limit("jdk")),
                number(Spread.of(self.floor)), ratio(to_floor) + verdict(to_floor, self.limit("floor")),
                number(self.bytes[0], "{:.1f}"),
                number(self.bytes[1], "{:.1f}") + verdict(self.bytes[1], self.limit("bytes"), NO_BYTES)]


def number(spread, form="{:.0f}"):
    return "-" if spread is None else form.format(spread.middle)


def ratio(spread):
    return "-" if spread is None else f"{spread.middle:.3f} [{spread.low:.2f}..{spread.high:.2f}]"


def verdict(spread, limit, slack=0.0):
    """The limit, and whether the median keeps it."""
    if limit is None or spread is None:
        return ""
    wanted = f"≤ {limit:.2f}" if limit else "0"
    return f", {wanted} {'✓' if spread.middle <= limit + slack else '✗'}"


def read(file):
    """The content of a file of bench, with its rows in the order of the wanted figures."""
    content = figures(file)
    plan = content["plan"]
    content["clock"], shown = ("processor", "cpu") if plan["cpu"] else ("elapsed", "wall")
    if plan["virtual"]:
        content["jdk"] += "-virtual"
        content["title"] += ", virtual threads"
    settings = defaultdict(lambda: defaultdict(list))
    for each in content["results"]:
        settings[json.dumps(each["setting"])][each["way"]].append(each["sample"])
    rows = [Row(json.loads(setting), figure, sides, plan["virtual"]) for setting, sides in settings.items()
            for figure in sides["BASE"][0]["nanos"] if figure not in ("wall", "cpu") or figure == shown]
    content["rows"] = sorted(rows, key=lambda row: row.order)
    return content


def show(content, rows):
    print(f"\n**{rows[0].pair['other']} beside {rows[0].pair['base']}**: {content['title']}; {content['clock']} time "
          "of one operation, medians; [smallest..greatest ratio of a round], what is wanted, and whether it is "
          "reached.\n")
    table = Table(box=MARKDOWN)
    for at, column in enumerate(COLUMNS):
        table.add_column(column, justify="right" if at else "left", no_wrap=True)
    cells = [row.cells() for row in rows]
    for each in cells:
        table.add_row(*(cell.replace("[", r"\[") for cell in each))
    Console(width=300).print(table)
    missed = [each[0] for each in cells if "✗" in "".join(each)]
    print(f"Missed: {', '.join(missed)}." if missed else "No figure was missed.")


def line(axes, rows, numbers, **look):
    """Medians over the number of channels, the rounds' smallest and greatest as bars."""
    points = sorted((int(row.value), Spread.of(numbers(row))) for row in rows)
    error_bars(axes, [size for size, _ in points], [spread for _, spread in points], **look)


def select_one(content, folder):
    """SelectOne over the number of channels: epoll on a plain scale, poll beside it on a logarithmic one."""
    epoll, poll = ([row for row in content["rows"] if (row.benchmark, row.pair["mechanism"], row.option)
                    == ("SelectOne", mechanism, "")] for mechanism in ("epoll", "poll"))
    if not epoll:
        return
    figure, (plain, log) = plt.subplots(1, 2, figsize=(9.2, 3.9), layout="constrained")
    for axes in (plain, log):
        line(axes, epoll, lambda row: row.base, color=JDK, marker="s", label="JDK (epoll)")
        line(axes, epoll, lambda row: row.other, color=POLLUX, marker="o", label="Pollux, epoll")
        line(axes, epoll, lambda row: row.floor, color=FLOOR, marker="_", linestyle="--", label="C loop, epoll_wait")
        axes.set_ylabel(f"{content['clock']} time per select(Consumer), ns")
    plain.set_ylim(bottom=0)
    plain.set_title("epoll", loc="left")
    if poll:
        line(log, poll, lambda row: row.other, color=POLLUX, marker="D", linestyle="--", label="Pollux, poll")
        line(log, poll, lambda row: row.floor, color=FLOOR, marker="_", linestyle=":", label="C loop, poll")
    log.set_yscale("log")
    log.set_title("with poll, logarithmic scale", loc="left")
    for axes in (plain, log):
        over(axes, sorted(int(row.value) for row in epoll), "registered channels, 1 of them ready")
    legend(figure, log, f"SelectOne: {content['title']}; median, smallest and greatest of the rounds")
    save(figure, folder / f"select-one-{content['jdk']}.svg")


def bars(axes, rows, below, name, label):
    """Ratios of one column: a bar with its spread, a mark for the wanted limit, the median in figures at the right."""
    widest = 1.0
    for at, row in enumerate(rows):
        spread, wanted = Spread.of_ratios(row.other, below(row)), row.limit(name)
        if spread is None:
            continue
        error = [[spread.middle - spread.low], [spread.high - spread.middle]]
        axes.barh(at, spread.middle, height=0.62, color=POLLUX,
                  xerr=error, error_kw={"ecolor": "#333333", "elinewidth": 0.9, "capsize": 2})
        if wanted is not None:
            axes.plot([wanted] * 2, [at - 0.42, at + 0.42], color=LIMIT, linewidth=1.8)
        missed = wanted is not None and spread.middle > wanted
        axes.annotate(f"{spread.middle:.2f}", (1.01, at), xycoords=("axes fraction", "data"), va="center",
                      fontsize=8, color=LIMIT if missed else "#111111")
        widest = max(widest, spread.middle, wanted or 0)
    axes.axvline(1, color="#333333", linewidth=0.8)
    axes.grid(axis="y", visible=False)
    axes.set_xlim(0, min(1.15 * widest, LONGEST))
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xlabel(label)


def ratios(content, rows, folder):
    rows = [row for row in rows if row.benchmark != "SelectOne"]
    if not rows:
        return
    mechanism = rows[0].pair["mechanism"]
    figure, (jdk, floor) = plt.subplots(1, 2, figsize=(9.2, 1.3 + 0.27 * len(rows)), sharey=True, layout="constrained")
    bars(jdk, rows, lambda row: row.base, "jdk", "time of Pollux / time of the JDK (1 = the same)")
    bars(floor, rows, lambda row: row.floor, "floor", "time of Pollux / time of the same system calls in C")
    jdk.set_yticks(range(len(rows)), [row.label.replace("-Ddev.pollux.", "") for row in rows])
    figure.suptitle(f"{mechanism}: {content['title']}\nmedian, smallest and greatest ratio of the rounds; "
                    "red: the greatest that is wanted, and what missed it", fontsize=9)
    save(figure, folder / f"ratios-{mechanism}-{content['jdk']}.svg")


def draw(content, folder):
    select_one(content, folder)
    pairs = defaultdict(list)
    for row in content["rows"]:
        pairs[row.pair["base"], row.pair["other"]].append(row)
    for rows in pairs.values():
        show(content, rows)
        ratios(content, rows, folder)


if __name__ == "__main__":
    draw_each(__doc__, draw, read)
