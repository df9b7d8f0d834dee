// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.tool;

import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;
import java.util.stream.Collectors;

/** An object that commands print for {@code --json}, with its members in the order they were put. For one thread. */
public final class JsonObject {
    private final StringJoiner members = new StringJoiner(",", "{", "}");

    /** Adds a member: a text, a number, a boolean, null, another object, or a list of these. */
    public JsonObject put(String name, Object value) {
        members.add(quote(name) + ':' + json(value));
        return this;
    }

    private static String json(Object value) {
        if (value instanceof List<?> list) {
            return list.stream().map(JsonObject::json).collect(Collectors.joining(",", "[", "]"));
        } else if (value instanceof String text) {
            return quote(text);
        }
        return value instanceof Double number ? String.format(Locale.ROOT, "%.4f", number) : String.valueOf(value);
    }

    /** {@return the text as JSON, in ASCII alone, whatever the terminal's encoding} */
    public static String quote(String text) {
        return text.chars().mapToObj(c -> c < ' ' || c > '~' ? String.format(Locale.ROOT, "\\u%04x", c)
                : (c == '"' || c == '\\' ? "\\" : "") + (char) c).collect(Collectors.joining("", "\"", "\""));
    }

    @Override
    public String toString() {
        return members.toString();
    }
}
