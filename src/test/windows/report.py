#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What came of the tests under Wine, out of JUnit's XML reports: report.py POLLUX JDK OTHER...

POLLUX is the folder of the reports of the selector's suite, JDK that of the same tests with the JDK's own provider;
only what fails with Pollux need be in it. A test that fails with both shows a difference of Wine and is counted as
skipped, but listed with what it said. OTHER are the folders of the suites of the Poller and of StreamServer. Of what
the JDK has nothing like, WINE and SAID tell what fails for Wine's sake. --methods POLLUX prints what failed with Pollux
as options for the console launcher instead.
"""
import collections
import pathlib
import sys
import xml.etree.ElementTree


# Tests by what Wine does otherwise than Windows. What blocking sockets show without any poller:
ENDS = "Wine ends a connection that is to be reset: read(2) finds its end"
# What a loop's own counters show:
SLOW = "Wine takes 15 to 200 microseconds for a wakeup: more than 5 count as the loop's work"
RECEIVES = "Wine's loop takes 0.6 s of processor time to receive 32 MB in parts, and this receives 48 within a second"
WINE = {
    "selector.WakeupStormTest.aThreadThatWakesItselfAllTheTimeIsTold": SLOW,
    "selector.WakeupStormTest.isNamedOnceWithTheThreadsThatSelectAndWake": SLOW,
    "selector.WakeupStormTest.theWakerThatIsNamedIsNotTheLoopsOwnThread": SLOW,
    "poller.EventBitsTest.aResetIsReportedAsAnError": ENDS,
    "poller.EventBitsTest.aDatagramThatNobodyTookIsAnError":
        "Wine does not tell a socket that a port was unreachable: receiving waits",
    "server.ConnectionLifeTest.eachReasonIsHeardOnce": ENDS,
    "server.ConnectionTest.abortingResetsTheConnectionIfBytesArePending": ENDS,
    "server.DeferredReplyTest.itIsDroppedWhenTheConnectionHasGone": ENDS + ", which waits for the deferred reply",
    "server.FailureTest.aHandlerThatDoesNotStopSendingHarmsItsConnectionOnly": ENDS,
    "server.LongRequestTest.aLongRequestCostsTimeForEachByteOnce": RECEIVES,
    "server.TlsFailureTest.aReplyThatIsLostEndsByAReset": ENDS,
    "server.TlsClosingTest.anAbortWithBytesThatWaitIsAReset": ENDS,
    "server.UnreadReplyTest.whoStopsReadingIsResetAndTheErrorHandlerTold": ENDS,
    "server.UnreadReplyTest.soIsWhoDoesSoWhileItIsClosed": ENDS,
    "server.UnreadReplyTest.aServerThatIsClosedResetsWhatItHasNotSent": ENDS,
    "server.WaitingMemoryTest.isMissedByThatConnectionAloneBehindACall": ENDS,
    "server.WaitingMemoryTest.isMissedByTheConnectionAloneThatIsSentSomething": ENDS,
}
# The same by what the failure says, whichever test it is.
SAID = {"Protocol family not supported": "Wine has no sockets of the Unix domain"}


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


def of_wine(test, said):
    """Why it fails for Wine's sake, or None."""
    return WINE.get(short(test)) or next((why for words, why in SAID.items() if words in said), None)


def short(test):
    class_name, name = test
    return f"{class_name.removeprefix('dev.pollux.')}.{name.split('(')[0]}"


def methods(tests):
    """The console launcher's name of a test method: a parameterized one is selected as a whole."""
    for class_name, name in sorted(of("failed", tests)):
        lab = "dev.pollux.lab.LoopLab" if ".waiting." in class_name else "dev.pollux.selector.Lab"
        yield f"--select-method={class_name}#{name.split('(')[0]}({lab})"


def show(title, tests):
    print(f"\n{title}: {len(tests)}")
    for test, said in sorted(tests.items()):
        print(f"  {short(test)}: {said}")


def main(arguments):
    if arguments[0] == "--methods":
        print("\n".join(dict.fromkeys(methods(results(arguments[1])))))
        return
    pollux, jdk, *others = map(results, arguments)
    both = {test: said if said == jdk[test][1] else f"{said} -- the JDK's: {jdk[test][1]}"
            for test, said in of("failed", pollux).items() if jdk.get(test, ("", ""))[0] == "failed"}
    for other in others:
        pollux |= other
    wine = {test: f"{said} -- {of_wine(test, said)}" for test, said in of("failed", pollux).items()
            if test not in both and of_wine(test, said)}
    only = {test: said for test, said in of("failed", pollux).items() if test not in both and test not in wine}
    skipped = of("skipped", pollux)
    show("Failed with Pollux only", only)
    show("Failed with the JDK's selector too: Wine differs from Windows, or from what the test expects", both)
    show("Failed where the JDK has nothing to compare with, because Wine differs from Windows", wine)
    print(f"\nSkipped: {len(skipped)}")
    for reason, count in collections.Counter(skipped.values()).most_common():
        names = sorted(short(test) for test, said in skipped.items() if said == reason)
        print(f"  {count}: {reason}\n      {', '.join(names)}")
    print(f"\n{len(of('passed', pollux))} passed, {len(only)} failed, {len(skipped) + len(both) + len(wine)} skipped")


main(sys.argv[1:])
