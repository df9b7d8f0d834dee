// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.internal.count.Counter;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ServerStatisticsTest {
    private static List<Method> readers() {
        return Arrays.stream(ServerStatistics.class.getDeclaredMethods())
                .filter(method -> method.getReturnType() == long.class && Modifier.isPublic(method.getModifiers()))
                .toList();
    }

    private static ServerStatistics different() {
        long[] counts = new long[Counter.ALL];
        Arrays.setAll(counts, i -> 100 + i);
        return new ServerStatistics(counts, 99, 98, 97);
    }

    @Test
    void eachNumberIsReadByItsOwnMethodAndShownUnderItsName() throws ReflectiveOperationException {
        Set<Long> all = new HashSet<>();
        for (Method reader : readers()) {
            long number = (long) reader.invoke(different());
            all.add(number);
            String shown = reader.getName() + '=' + number;
            assertTrue(different().toString().matches(".*[\\[ ]" + shown + "[,\\]].*"),
                    () -> different() + " lacks " + shown);
        }
        assertEquals(Counter.ofServer().size() + 4, all.size());
    }
}
