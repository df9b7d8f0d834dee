// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.check;

import com.grack.nanojson.JsonObject;
import dev.pollux.tools.common.TextTable;
import dev.pollux.tools.common.TextTable.Column;
import java.util.List;
import java.util.Locale;

/** The result of a check, with the reason if it is not OK. Immutable. */
record Outcome(String mechanism, String check, Result result, String detail, long millis) {
    /** The detail of a check that was skipped for this reason. */
    static final String NO_TIME = "no time was left: this machine is slow or busy";

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

    /** Whether it was not made, or not to its end, for lack of time. */
    boolean isOmitted() {
        return detail.equals(NO_TIME);
    }

    JsonObject json() {
        return JsonObject.builder().value("mechanism", mechanism).value("check", check)
                .value("result", result.name().toLowerCase(Locale.ROOT)).value("detail", detail)
                .value("milliseconds", millis).done();
    }
}
