// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.check;

import dev.pollux.internal.tool.JsonObject;
import dev.pollux.internal.tool.TextTable;
import dev.pollux.internal.tool.TextTable.Column;
import java.util.List;
import java.util.Locale;

/** The result of a check, with the reason if it is not OK. Immutable. */
record Outcome(String mechanism, String check, Result result, String detail, long millis) {
    static final TextTable<Outcome> TABLE = new TextTable<>(List.of(new Column<>("", -10, Outcome::mechanism),
            new Column<>("", -22, Outcome::check), new Column<>("", -8, Outcome::result),
            new Column<>("", -1, Outcome::detail)));

    /** Whether a promise was kept. */
    enum Result {
        OK, FAILED, SKIPPED;

        /** Failures shall catch the eye. */
        @Override
        public String toString() {
            return this == FAILED ? name() : name().toLowerCase(Locale.ROOT);
        }
    }

    JsonObject json() {
        return new JsonObject().put("mechanism", mechanism).put("check", check)
                .put("result", result.name().toLowerCase(Locale.ROOT)).put("detail", detail)
                .put("milliseconds", millis);
    }
}
