// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.count;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class PrintableTest {
    /** Control characters of both kinds, what turns text round, separators of lines, halves of characters. */
    private static final Pattern HARMFUL =
            Pattern.compile("[\\x00-\\x1f\\x7f-\\x9f\\u202a-\\u202e\\u2066-\\u2069\\u200e\\u200f\\u061c\\u2028\\u2029"
                    + "\\ud800-\\udfff]");

    @Test
    void whatIsReadInLogsStaysAsItIs() {
        String name = "io-1 \"caf\u00e9\" \u4e2d\u6587 \ud83d\ude00 [a=b]";
        assertEquals(name, Printable.of(name));
        assertEquals("null", Printable.of(null));
        assertEquals("", Printable.of(""));
    }

    @Test
    void lineBreaksAndCommandsForATerminalAreNumbers() {
        assertEquals("a\\u000aWARNING: b\\u001b[31m\\u009b0m", Printable.of("a\nWARNING: b\u001b[31m\u009b0m"));
        assertEquals("\\u202e\\u2028\\ud800x\\u{e0001}", Printable.of("\u202e\u2028\ud800x\udb40\udc01"));
    }

    @Test
    void noCharacterCanDoHarm() {
        for (int c = 0; c <= Character.MAX_CODE_POINT; c++) {
            String shown = Printable.of(Character.toString(c));
            assertFalse(HARMFUL.matcher(shown).find(), shown);
        }
    }

    @Test
    void aTextIsNotLongerThanItMayBe() {
        String longest = "x".repeat(Printable.MAX_LENGTH);
        assertEquals(longest, Printable.of(longest));
        assertEquals(longest + "...", Printable.of(longest + "x".repeat(1 << 20)));
        assertEquals(6 * Printable.MAX_LENGTH, Printable.of("\n".repeat(Printable.MAX_LENGTH)).length());
    }
}
