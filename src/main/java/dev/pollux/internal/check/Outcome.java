// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.check;

import dev.pollux.internal.command.JsonText;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * What a check came to. Immutable.
 *
 * @param mechanism what the selector ran on
 * @param check     the name of the check
 * @param result    whether the promise was kept
 * @param detail    why it was not, or what was seen; may be empty
 * @param millis    how long it took
 */
record Outcome(String mechanism, String check, Result result, String detail, long millis) {
    /** Whether a promise was kept. */
    enum Result {
        OK("ok"), FAILED("FAILED"), SKIPPED("skipped");

        private final String text;

        Result(String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    String line() {
        return String.format("%-10s %-22s %-8s%s", mechanism, check, result, detail.isEmpty() ? "" : ' ' + detail)
                .stripTrailing();
    }

    String json() {
        Map<String, String> members = new LinkedHashMap<>();
        members.put("mechanism", JsonText.quoted(mechanism));
        members.put("check", JsonText.quoted(check));
        members.put("result", JsonText.quoted(result.toString().toLowerCase(Locale.ROOT)));
        members.put("detail", JsonText.quoted(detail));
        members.put("milliseconds", Long.toString(millis));
        return JsonText.object(members);
    }
}
