# SPDX-License-Identifier: Apache-2.0
"""Prints a table in Markdown that says of each wanted figure whether it was reached, and draws the plots.

usage: bench.py FOLDER FILE...    files of bench; makes FOLDER/select-one-<jdk>.svg and FOLDER/ratios-<jdk>.svg
"""
from colours import FLOOR, JDK, LIMIT, POLLUX
from plots import draw_each, error_bars, plt, save, thousands
from results import Spread, read

COLUMNS = ["benchmark", "JDK, ns", "Pollux, ns", "Pollux / JDK, wanted",
           "C, ns", "Pollux / C, wanted", "JDK, bytes", "Pollux, bytes, wanted"]

# No object has fewer than 16 bytes: less than one per operation is not the operation's, but the harness's.
NO_BYTES = 1
LONGEST = 4     # where a bar is cut, so that one outlier does not press the others together


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


def cells(row, target):
    to_jdk = Spread.of_ratios(row.other, row.base)
    to_floor = Spread.of_ratios(row.other, row.floor)
    return [row.label,
            number(Spread.of(row.base)), number(Spread.of(row.other)), ratio(to_jdk) + verdict(to_jdk, target.jdk),
            number(Spread.of(row.floor)), ratio(to_floor) + verdict(to_floor, target.floor),
            number(row.base_bytes, "{:.1f}"),
            number(row.other_bytes, "{:.1f}") + verdict(row.other_bytes, target.bytes, NO_BYTES)]


def growth(rows, row, target):
    """One line: what a size costs more than the smallest one of the same benchmark; none if that was not measured."""
    small = min((each for each in rows if each.benchmark == row.benchmark and not each.option),
                key=lambda each: int(each.value))
    if small is row:
        return None
    spread = Spread.of_ratios(row.other, small.other)
    base = Spread.of_ratios(row.base, small.base)
    return (f"Pollux: {row.label} / {small.label} = {ratio(spread)}{verdict(spread, target.growth)} "
            f"(JDK: {ratio(base)})")


def markdown(lines):
    widths = [max(len(line[at]) for line in lines) for at in range(len(lines[0]))]
    rule = ["-" * widths[0]] + ["-" * (width - 1) + ":" for width in widths[1:]]
    for line in [lines[0], rule] + lines[1:]:
        numbers = [cell.rjust(width) for cell, width in zip(line[1:], widths[1:])]
        print("| " + " | ".join([line[0].ljust(widths[0])] + numbers) + " |")


def show(run, providers):
    rows = run.of(providers)
    print(f"\n**{providers[1]} beside {providers[0]}**: {run.title}; {run.clock} time of one operation, "
          "medians; [smallest..greatest ratio of a round], what is wanted, and whether it is reached.\n")
    markdown([COLUMNS] + [cells(row, run.target(row)) for row in rows])
    notes = [growth(rows, row, run.target(row)) for row in rows if run.target(row).growth]
    notes = [note for note in notes if note]
    missed = [row.label for row in rows if "✗" in "".join(cells(row, run.target(row)))]
    missed += ["growth" for note in notes if "✗" in note]
    notes.append(f"Missed: {', '.join(missed)}." if missed else "No figure was missed.")
    print("\n" + "\n\n".join(notes))


def line(axes, rows, numbers, **look):
    """Medians over the number of channels, the rounds' smallest and greatest as bars."""
    points = sorted((int(row.value), Spread.of(numbers(row))) for row in rows)
    error_bars(axes, [size for size, _ in points], [spread for _, spread in points], capsize=3, linewidth=1.4, **look)


def select_one(run, folder):
    """SelectOne over the number of channels: epoll on a plain scale, poll beside it on a logarithmic one."""
    rows = {mechanism: [row for row in run.rows.values()
                        if (row.benchmark, row.mechanism, row.option) == ("SelectOne", mechanism, "")]
            for mechanism in ("epoll", "poll")}
    if not rows["epoll"]:
        return
    figure, (plain, log) = plt.subplots(1, 2, figsize=(9.2, 3.9), layout="constrained", width_ratios=(1, 1))
    for axes in (plain, log):
        line(axes, rows["epoll"], lambda row: row.base, color=JDK, marker="s", label="JDK (epoll)")
        line(axes, rows["epoll"], lambda row: row.other, color=POLLUX, marker="o", label="Pollux, epoll")
        line(axes, rows["epoll"], lambda row: row.floor, color=FLOOR, marker="_", linestyle="--",
             label="C loop, epoll_wait")
        axes.set_xscale("log")
        axes.set_xlabel("registered channels, 1 of them ready")
        axes.xaxis.set_major_formatter(thousands)
        axes.set_ylabel(f"{run.clock} time per select(Consumer), ns")
        axes.minorticks_off()
    plain.set_ylim(bottom=0)
    plain.yaxis.set_major_formatter(thousands)
    plain.set_title("epoll", loc="left")
    if rows["poll"]:
        line(log, rows["poll"], lambda row: row.other, color=POLLUX, marker="D", linestyle="--", label="Pollux, poll")
        line(log, rows["poll"], lambda row: row.floor, color=FLOOR, marker="_", linestyle=":", label="C loop, poll")
    log.set_yscale("log")
    log.minorticks_off()
    log.yaxis.set_major_formatter(thousands)
    log.set_title("with poll, logarithmic scale", loc="left")
    handles, labels = log.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=5)
    figure.suptitle(f"SelectOne: {run.title}; median, smallest and greatest of the rounds", fontsize=9)
    save(figure, folder / f"select-one-{run.name}.svg")


def bars(axes, rows, above, below, limit):
    """Ratios of one column: a bar with its spread, a mark for the wanted limit, the median in figures at the right."""
    widest = 1.0
    for at, (row, target) in enumerate(rows):
        spread = Spread.of_ratios(above(row), below(row))
        if spread is None:
            continue
        wanted = limit(target)
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


def ratios(run, providers, folder):
    rows = [(row, run.target(row)) for row in run.of(providers) if row.benchmark != "SelectOne"]
    if not rows:
        return
    mechanism = rows[0][0].mechanism
    figure, (jdk, floor) = plt.subplots(1, 2, figsize=(9.2, 1.3 + 0.27 * len(rows)), sharey=True, layout="constrained")
    bars(jdk, rows, lambda row: row.other, lambda row: row.base, lambda target: target.jdk)
    bars(floor, rows, lambda row: row.other, lambda row: row.floor, lambda target: target.floor)
    jdk.set_yticks(range(len(rows)), [row.label.replace("-Ddev.pollux.", "") for row, _ in rows])
    jdk.set_xlabel("time of Pollux / time of the JDK (1 = the same)")
    floor.set_xlabel("time of Pollux / time of the same system calls in C")
    figure.suptitle(f"{mechanism}: {run.title}\nmedian, smallest and greatest ratio of the rounds; "
                    "red: the greatest that is wanted, and what missed it", fontsize=9)
    save(figure, folder / f"ratios-{mechanism}-{run.name}.svg")


def draw(run, folder):
    select_one(run, folder)
    for providers in run.pairs():
        show(run, providers)
        ratios(run, providers, folder)


if __name__ == "__main__":
    draw_each(__doc__, draw, read)
