// SPDX-License-Identifier: Apache-2.0
package dev.pollux.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pollux.internal.batch.Streams;
import java.lang.reflect.Method;
import java.util.List;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/** Closes a test's {@link Workbench} and then checks, where it can be seen, that the test left no descriptor open. */
public final class WorkbenchExtension implements InvocationInterceptor {

    /** A closed selector leaves the ring of its batch to the next one. */
    private static final boolean BATCHES =
            !System.getProperty(Streams.PROPERTY, Streams.DEFAULT).equals(Streams.DEFAULT);

    @Override
    public void interceptTestTemplateMethod(Invocation<Void> test,
            ReflectiveInvocationContext<Method> call, ExtensionContext context) throws Throwable {
        Workbench bench = (Workbench) call.getArguments().get(0);
        bench.warmUp();
        List<String> before = open();
        try (bench) {
            test.proceed();
        }
        assertEquals(List.of(), leakedSince(before), "descriptors left open by the test");
    }

    /** Other threads may still be closing theirs (reaped processes, pollers), so it asks again for a while. */
    private static List<String> leakedSince(List<String> before) throws Exception {
        for (int tries = 0; ; tries++) {
            List<String> leaked = Descriptors.more(before, open());
            if (leaked.isEmpty() || tries == 150) {
                return leaked;
            }
            Thread.sleep(20);
        }
    }

    private static List<String> open() {
        List<String> open = Descriptors.VISIBLE ? Descriptors.open() : List.of();
        return BATCHES ? open.stream().filter(each -> !each.endsWith(":[io_uring]")).toList() : open;
    }
}
