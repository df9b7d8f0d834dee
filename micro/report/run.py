# SPDX-License-Identifier: Apache-2.0
"""Prints a table in Markdown that says of each wanted figure whether it was reached.

usage: table.py FILE...    files that run.sh wrote
"""
import sys

from results import Spread, read

COLUMNS = ["benchmark", "JDK, ns", "Pollux, ns", "Pollux / JDK, wanted",
           "C, ns", "Pollux / C, wanted", "raw C, ns", "JDK, bytes", "Pollux, bytes, wanted"]

# No object has fewer than 16 bytes: less than one per operation is not the operation's, but the harness's.
NO_BYTES = 1


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
    to_floor = Spread.of_ratios(row.other, row.libc)
    return [row.label,
            number(Spread.of(row.base)), number(Spread.of(row.other)), ratio(to_jdk) + verdict(to_jdk, target.jdk),
            number(Spread.of(row.libc)), ratio(to_floor) + verdict(to_floor, target.floor), number(Spread.of(row.raw)),
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


def main(files):
    for run in read(files):
        for providers in run.pairs():
            show(run, providers)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1:])
