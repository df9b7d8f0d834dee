// SPDX-License-Identifier: Apache-2.0
package dev.pollux;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A user tests handlers with members of the user's own: no Poller is open. */
class FakesTest {
    /** What was called. */
    private final List<String> calls = new ArrayList<>();

    private <T> T fake(Class<T> type, Object result) {
        Class<?>[] types = {type};
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), types, (self, method, arguments) -> {
            calls.add(method.getName());
            return method.getReturnType().isInstance(result) ? result : null;
        }));
    }

    @Test
    void aPollersHandlerIsGivenAMember() throws IOException {
        Poller.Handler handler = (member, events) -> {
            if ((events & Poller.POLLHUP) != 0) {
                member.remove();
            }
        };
        handler.ready(fake(Poller.Member.class, null), Poller.POLLHUP);
        assertEquals(List.of("remove"), calls);
    }
}
