// SPDX-License-Identifier: Apache-2.0
package dev.pollux.interrupt;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.internal.interrupt.LoopCounters;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class InterruptStatisticsTest {
    private static List<Method> readers() {
        return Arrays.stream(InterruptStatistics.class.getDeclaredMethods())
                .filter(method -> method.getReturnType() == long.class).toList();
    }

    private static long[] different() {
        long[] numbers = new long[LoopCounters.COUNT];
        Arrays.setAll(numbers, i -> 1L << i);
        return numbers;
    }

    @Test
    void eachNumberIsReadByItsOwnMethodAndShownUnderItsName() throws ReflectiveOperationException {
        InterruptStatistics statistics = new InterruptStatistics(different());
        long all = 0;
        for (Method reader : readers()) {
            long number = (long) reader.invoke(statistics);
            all |= number;
            String shown = reader.getName() + '=' + number;
            assertTrue(statistics.toString().matches(".*[\\[ ]" + shown + "[,\\]].*"), statistics + " lacks " + shown);
        }
        assertEquals(LoopCounters.COUNT, readers().size());
        assertEquals((1L << LoopCounters.COUNT) - 1, all);
    }

    @Test
    void theNumbersOfLoopsAreAddedUp() throws ReflectiveOperationException {
        InterruptStatistics sum = new InterruptStatistics(LoopCounters.sum(List.of(different(), different())));
        for (Method reader : readers()) {
            long one = (long) reader.invoke(new InterruptStatistics(different()));
            assertEquals(2 * one, reader.invoke(sum), reader.getName());
        }
    }
}
