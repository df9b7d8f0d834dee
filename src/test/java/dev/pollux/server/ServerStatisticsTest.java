// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.internal.server.LoopCounters;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class ServerStatisticsTest {
    private static List<Method> readers() {
        return Arrays.stream(ServerStatistics.class.getDeclaredMethods())
                .filter(method -> method.getReturnType() == long.class).toList();
    }

    private static long[] different() {
        long[] numbers = new long[LoopCounters.COUNT];
        Arrays.setAll(numbers, i -> 1L << i);
        return numbers;
    }

    @Test
    void eachNumberIsReadByItsOwnMethodAndShownUnderItsName() throws ReflectiveOperationException {
        ServerStatistics statistics = new ServerStatistics(different());
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
        ServerStatistics sum = new ServerStatistics(LoopCounters.sum(List.of(different(), different())));
        for (Method reader : readers()) {
            long one = (long) reader.invoke(new ServerStatistics(different()));
            assertEquals(2 * one, reader.invoke(sum), reader.getName());
        }
    }
}
