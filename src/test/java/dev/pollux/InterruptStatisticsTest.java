// SPDX-License-Identifier: Apache-2.0
package dev.pollux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class InterruptStatisticsTest {
    private static List<Method> readers() {
        return Arrays.stream(InterruptStatistics.class.getDeclaredMethods())
                .filter(method -> method.getReturnType() == long.class).toList();
    }

    private static InterruptStatistics different() {
        long[] numbers = new long[InterruptStatistics.COUNT];
        Arrays.setAll(numbers, i -> 1L << i);
        return new InterruptStatistics(numbers);
    }

    @Test
    void eachNumberIsReadByItsOwnMethodAndShownUnderItsName() throws ReflectiveOperationException {
        InterruptStatistics statistics = different();
        long all = 0;
        for (Method reader : readers()) {
            long number = (long) reader.invoke(statistics);
            all |= number;
            String shown = reader.getName() + '=' + number;
            assertTrue(statistics.toString().matches(".*[\\[ ]" + shown + "[,\\]].*"), statistics + " lacks " + shown);
        }
        assertEquals(InterruptStatistics.COUNT, readers().size());
        assertEquals((1L << InterruptStatistics.COUNT) - 1, all);
    }

    @Test
    void theNumbersOfLoopsAreAddedUp() throws ReflectiveOperationException {
        InterruptStatistics sum = different().plus(different());
        for (Method reader : readers()) {
            assertEquals(2 * (long) reader.invoke(different()), reader.invoke(sum), reader.getName());
        }
    }
}
