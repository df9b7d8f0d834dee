// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.grack.nanojson.JsonObject;
import dev.pollux.tools.compare.WorkerProcess.Measurement;
import org.junit.jupiter.api.Test;

/** What is said of measurements. */
class RowTest {
    @Test
    void aLineSaysWhatPolluxDoesInTheSameTime() {
        assertEquals("x                                       100       80  more by 25 to 25 %"
                + "                   32      0", Row.TABLE.row(row(100, 80)));
        assertEquals(100, Row.TABLE.width());
    }

    /** A pair whose two turns were both disturbed has the ratio of the others. */
    @Test
    void ratiosAreThoseOfPairs() {
        Row row = new Row("x");
        for (int disturbance = 1; disturbance <= 10; disturbance++) {
            row.add(new Measurement(79 * disturbance, 0), new Measurement(50 * disturbance, 0));
        }
        assertEquals("more by 58 to 58 %", row.work().verdict());
    }

    @Test
    void anEventLoopIsToldWhatItGainsHere() {
        assertEquals("In the same time an event loop of 32 connections answers on this machine: by default no"
                + " difference beyond noise.", Compare.gains(row(100, 100), null, row(100, 100)));
        assertEquals("In the same time an event loop of 32 connections answers on this machine: by default more by 25"
                        + " to 25 %; with -Ddev.pollux.batch=all more by 100 to 100 %, and beside the default less by"
                        + " 20 to 20 %.", Compare.gains(row(100, 80), row(100, 50), row(100, 125)));
    }

    @Test
    void scriptsGetAVerdictInOneWord() {
        JsonObject json = row(100, 80).json();
        assertEquals("faster", json.getString("verdict"));
        assertEquals("more by 25 to 25 %", json.getString("sentence"));
        assertEquals(0.8, json.getDouble("ratio"), 1e-9);
        assertEquals("slower", row(100, 115).json().getString("verdict"));
        assertEquals("same", row(100, 100).json().getString("verdict"));
    }

    @Test
    void bytesThatCanNotBeCountedAreNotTold() {
        Row row = new Row("x");
        row.add(new Measurement(10, -1), new Measurement(5, -1));
        assertTrue(Row.TABLE.row(row).endsWith(" ?      ?"), () -> Row.TABLE.row(row));
        assertTrue(row.json().isNull("jdkBytes"), () -> row.json().toString());
    }

    private static Row row(double jdk, double pollux) {
        Row row = new Row("x");
        for (int i = 0; i < 10; i++) {
            row.add(new Measurement(jdk, 32), new Measurement(pollux, 0));
        }
        return row;
    }
}
