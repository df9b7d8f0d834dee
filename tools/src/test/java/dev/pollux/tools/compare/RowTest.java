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
    void theMedianIsInTheMiddle() {
        assertEquals(2, samples(3, 1, 2).median());
        assertEquals(2.5, samples(4, 1, 2, 3).median());
    }

    /** Of 16 numbers, the 5th and the 12th: 0.5 * (16 - 1.96 * 4), counted from both ends. */
    @Test
    void theIntervalIsThatOfOrderStatistics() {
        Samples samples = samples(16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1);
        assertEquals(5, samples.low());
        assertEquals(12, samples.high());
        assertEquals(12, samples.farthestFromOne());
        assertEquals(2, samples(0.5, 0.5, 1.5).farthestFromOne());
    }

    @Test
    void fewNumbersHaveAnIntervalFromTheLeastToTheMost() {
        assertEquals(1, samples(2, 1, 3).low());
        assertEquals(3, samples(2, 1, 3).high());
    }

    @Test
    void aDifferenceLargerThanNoiseIsTold() {
        Row faster = row(100, 60, 102);
        assertEquals(-1, faster.difference());
        assertTrue(faster.sentence().startsWith("Pollux takes 0.60 of the JDK's time (noise: "), faster::sentence);
        Row slower = row(100, 115, 98);
        assertEquals(1, slower.difference());
        assertTrue(slower.sentence().startsWith("Pollux is slower here: it takes 1.15 "), slower::sentence);
    }

    @Test
    void aDifferenceWithinNoiseIsNone() {
        Row row = row(100, 92, 110);
        assertEquals(0, row.difference());
        assertTrue(row.sentence().startsWith("no difference beyond noise (noise: the JDK beside itself 1.10 "),
                row::sentence);
        assertEquals(0, row(100, 108, 91).difference());
        assertEquals(0, row(100, 100, 100).difference());
    }

    @Test
    void anEventLoopIsToldWhatItGainsHere() {
        assertEquals("What an event loop of 32 connections gains on this machine: by default nothing.",
                Compare.gains(row(100, 100, 100), null, row(100, 100, 100)));
        assertEquals("What an event loop of 32 connections gains on this machine: by default 40 % [40..40] of the time;"
                        + " with -Ddev.pollux.batch=all 50 % [50..50] of the time, and beside the default nothing: it"
                        + " takes 15 % more.",
                Compare.gains(row(100, 60, 102), row(100, 50, 101), row(100, 115, 98)));
    }

    @Test
    void anIntervalThatIncludesOneIsNoGain() {
        Row row = new Row("x");
        for (double ours : new double[]{80, 80, 80, 80, 80, 80, 101, 101, 101, 101}) {
            row.add(new Measurement(100, 0), new Measurement(ours, 0), new Measurement(100, 0));
        }
        assertEquals("nothing", row.gain());
    }

    @Test
    void scriptsGetAVerdictInOneWord() {
        assertEquals("faster", row(100, 60, 102).verdict());
        assertEquals("slower", row(100, 115, 98).verdict());
        assertEquals("same", row(100, 100, 100).verdict());
        JsonObject json = row(100, 60, 102).json();
        assertEquals("faster", json.getString("verdict"));
        assertTrue(json.getString("sentence").startsWith("Pollux takes 0.60 of"), json::toString);
    }

    /** On a very busy machine, too: what takes a fifth of the time is told though the JDK differs from itself by 2. */
    @Test
    void aLargeDifferenceIsToldDespiteLargeNoise() {
        assertEquals(-1, row(100, 20, 220).difference());
        assertEquals(1, row(100, 500, 220).difference());
        assertEquals(0, row(100, 50, 220).difference());
    }

    @Test
    void bytesThatCanNotBeCountedAreNotTold() {
        Row row = new Row("x");
        row.add(new Measurement(10, -1), new Measurement(5, -1), new Measurement(10, -1));
        assertTrue(Row.TABLE.row(row).endsWith(" ?       ?"), () -> Row.TABLE.row(row));
        assertTrue(row.json().isNull("jdkBytes"), () -> row.json().toString());
    }

    private static Row row(double jdk, double pollux, double again) {
        Row row = new Row("x");
        for (int i = 0; i < 10; i++) {
            row.add(new Measurement(jdk, 32), new Measurement(pollux, 0), new Measurement(again, 32));
        }
        return row;
    }

    private static Samples samples(double... numbers) {
        Samples samples = new Samples();
        for (double number : numbers) {
            samples.add(number);
        }
        return samples;
    }
}
