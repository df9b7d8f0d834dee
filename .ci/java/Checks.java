// SPDX-License-Identifier: Apache-2.0
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Counts what a program finds, and prints a line for each check. Not thread-safe. */
final class Checks {
    private static final Pattern CLOSING_LINE = Pattern.compile(
            "^(\\d+) (?:passed|ok), (\\d+) failed(?:, (\\d+) skipped)?\\r?$", Pattern.MULTILINE);

    private int passed;
    private int failed;
    private int skipped;

    /** What is checked. It throws an exception or an assertion error if it does not hold. */
    interface Check {
        void run() throws Exception;
    }

    void check(String sentence, Check check) {
        try {
            check.run();
            passed++;
            System.out.println("ok: " + sentence);
        } catch (Exception | AssertionError e) {
            failed++;
            System.out.println("WRONG: " + sentence + "\n" + e);
        }
    }

    void skip(String why) {
        skipped++;
        System.out.println("skipped: " + why);
    }

    /** Adds what the last line "N passed, N failed[, N skipped]" says. Without such a line, one check has failed. */
    void add(String output) {
        String last = "0 passed, 1 failed";
        for (Matcher line = CLOSING_LINE.matcher(output); line.find();) {
            last = line.group();
        }
        Matcher line = CLOSING_LINE.matcher(last);
        line.find();
        passed += Integer.parseInt(line.group(1));
        failed += Integer.parseInt(line.group(2));
        skipped += line.group(3) == null ? 0 : Integer.parseInt(line.group(3));
    }

    static void expect(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }

    static void expectEqual(Object expected, Object actual) {
        expect(Objects.equals(expected, actual), "expected:\n" + expected + "\nbut it is:\n" + actual);
    }

    /** Prints the closing line, and ends this virtual machine with status 1 if a check has failed. */
    void finish() {
        System.out.println(passed + " passed, " + failed + " failed, " + skipped + " skipped");
        System.exit(failed == 0 ? 0 : 1);
    }
}
