// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.verdict;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

/**
 * Finds the application's code behind a key: what its attachment leads to, and what the thread does that selects. A
 * framework's attachment is its own object, with listeners, a pipeline or handlers some references away; the nearest of
 * another product are those that an operator wants to know. Stateless. For a thread that has time: it takes some
 * milliseconds. It reads fields, and runs no code of the program.
 */
final class HandlerFinder {
    /** What every program has: the JDK, and logging. */
    private static final List<String> COMMON = List.of("java.", "javax.", "jdk.", "sun.", "com.sun.",
            "org.slf4j.", "ch.qos.logback.", "org.apache.logging.",
            "org.apache.commons.logging.", "org.jboss.logging.");

    private HandlerFinder() {
    }

    /** {@return the class of an attachment, and the nearest classes of other products that it refers to} */
    static String describe(Object attachment) {
        String own = attachment.getClass().getName();
        Set<String> names = new LinkedHashSet<>();
        Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        Queue<Object> next = new ArrayDeque<>(List.of(attachment));
        while (!next.isEmpty() && names.size() < Limits.MAX_NAMES && seen.size() < Limits.MAX_OBJECTS) {
            Object object = next.remove();
            if (seen.add(object)) {
                String name = object.getClass().getName();
                if (!isCommon(name) && !Caller.product(name).equals(Caller.product(own))) {
                    names.add(name);
                }
                next.addAll(referents(object));
            }
        }
        return names.isEmpty() ? own : own + " with " + String.join(", ", names);
    }

    private static boolean isCommon(String name) {
        return name.startsWith("[") || Caller.isOurs(name) || COMMON.stream().anyMatch(name::startsWith);
    }

    /** The objects that an object of the program refers to, or that are in a collection of the JDK's. */
    private static Collection<?> referents(Object object) {
        String name = object.getClass().getName();
        try {
            if (object instanceof Object[] array) {
                return present(Stream.of(array));
            }
            if (name.startsWith("java.util.")) {
                return object instanceof Collection<?> all ? present(all.stream())
                        : object instanceof Map<?, ?> map ? present(map.values().stream())
                        : object instanceof AtomicReference<?> one ? present(Stream.of(one.get())) : List.of();
            }
            return isCommon(name) ? List.of() : fields(object);
        } catch (RuntimeException e) {
            return List.of(); // another thread changes the collection, say
        }
    }

    private static List<?> present(Stream<?> objects) {
        return objects.filter(each -> each != null).toList();
    }

    private static List<Object> fields(Object object) {
        List<Object> values = new ArrayList<>();
        for (Class<?> type = object.getClass(); type != null && !type.getName().startsWith("java.");
                type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                Object value = field.getType().isPrimitive() || Modifier.isStatic(field.getModifiers()) ? null
                        : read(field, object);
                if (value != null) {
                    values.add(value);
                }
            }
        }
        return values;
    }

    private static Object read(Field field, Object object) {
        try {
            return field.trySetAccessible() ? field.get(object) : null;
        } catch (IllegalAccessException | RuntimeException e) {
            return null;
        }
    }

    /** {@return what the thread does when it does not select, or what calls its selections if it was not found so} */
    static ShownStack stack(Thread thread) {
        StackTraceElement[] deepest = thread.getStackTrace();
        int found = isSelecting(deepest) ? 0 : 1;
        for (int i = 0; i < Limits.MAX_SAMPLES && found < Limits.ENOUGH_SAMPLES && thread.isAlive(); i++) {
            StackTraceElement[] now = thread.getStackTrace();
            if (now.length != 0 && !isSelecting(now)) {
                deepest = found++ == 0 || now.length > deepest.length ? now : deepest;
            }
        }
        return ShownStack.of(thread.getName(), Caller.withoutOurs(deepest));
    }

    private static boolean isSelecting(StackTraceElement[] stack) {
        return Stream.of(stack).anyMatch(call -> call.getClassName().startsWith("sun.nio.ch.SelectorImpl"));
    }
}
