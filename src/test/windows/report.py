#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What came of the tests under Wine, out of JUnit's XML reports: report.py POLLUX JDK

POLLUX is the folder of the reports of the whole suite, JDK that of the same tests with the JDK's own provider; only what
fails with Pollux need be in it. A test that fails with both shows a difference of Wine and is counted as skipped, but
listed with what it said. --methods prints what failed with Pollux as options for the console launcher instead.
"""
import collections
import pathlib
import sys
import xml.etree.ElementTree


def results(folder):
    """Maps (class, test) to (outcome, what it said), where outcome is passed, failed or skipped."""
    found = {}
    for file in sorted(pathlib.Path(folder).rglob("TEST-*.xml")):
        for case in xml.etree.ElementTree.parse(file).getroot().iter("testcase"):
            bad = [case.find(tag) for tag in ("failure", "error") if case.find(tag) is not None]
            skipped = case.find("skipped")
            if bad:
                said = bad[0].get("message") or (bad[0].text or "").strip() or bad[0].get("type")
                outcome = "failed", " ".join(said.split())[:200]
            elif skipped is not None:
                lines = (skipped.text or "").strip().splitlines() or ["no reason given"]
                outcome = "skipped", lines[0].split("Assumption failed: ")[-1].split("TestAbortedException: ")[-1]
            else:
                outcome = "passed", ""
            found[case.get("classname"), case.get("name")] = outcome
    return found


def of(outcome, tests):
    return {test: said for test, (what, said) in tests.items() if what == outcome}


def methods(tests):
    """The console launcher's name of a test method: a parameterized one is selected as a whole."""
    for class_name, name in sorted(of("failed", tests)):
        yield f"--select-method={class_name}#{name.split('(')[0]}(dev.pollux.selector.Lab)"


def show(title, tests):
    print(f"\n{title}: {len(tests)}")
    for (class_name, name), said in sorted(tests.items()):
        print(f"  {class_name.split('.')[-1]}.{name.split('(')[0]}: {said}")


def main(arguments):
    pollux = results(arguments[-2])
    if arguments[0] == "--methods":
        print("\n".join(dict.fromkeys(methods(results(arguments[1])))))
        return
    jdk = results(arguments[-1])
    both = {test: said if said == jdk[test][1] else f"{said} -- the JDK's: {jdk[test][1]}"
            for test, said in of("failed", pollux).items() if jdk.get(test, ("", ""))[0] == "failed"}
    only = {test: said for test, said in of("failed", pollux).items() if test not in both}
    skipped = of("skipped", pollux)
    show("Failed with Pollux only", only)
    show("Failed with the JDK's selector too: Wine differs from Windows, or from what the test expects", both)
    print(f"\nSkipped: {len(skipped)}")
    for reason, count in collections.Counter(skipped.values()).most_common():
        names = sorted(f"{c.split('.')[-1]}.{n.split('(')[0]}" for (c, n), said in skipped.items() if said == reason)
        print(f"  {count}: {reason}\n      {', '.join(names)}")
    print(f"\n{len(of('passed', pollux))} passed, {len(only)} failed, {len(skipped) + len(both)} skipped")


main(sys.argv[1:])
