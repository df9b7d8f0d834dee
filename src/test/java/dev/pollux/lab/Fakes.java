// SPDX-License-Identifier: Apache-2.0
package dev.pollux.lab;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;

/** Objects of a user's own that stand in for ours, and the names of the methods that were called on them. */
public final class Fakes {
    private final List<String> calls = new ArrayList<>();

    public List<String> calls() {
        return calls;
    }

    /** {@return one whose methods return this result where it is of their type, else null} */
    public <T> T fake(Class<T> type, Object result) {
        Class<?>[] types = {type};
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), types, (self, method, arguments) -> {
            calls.add(method.getName());
            return method.getReturnType().isInstance(result) ? result : null;
        }));
    }
}
