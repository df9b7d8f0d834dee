// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads JSON into maps, lists, texts, doubles and booleans. It is strict, so that what it reads is JSON. */
final class JsonReader {
    private final String text;
    private int at;

    private JsonReader(String text) {
        this.text = text.strip();
    }

    /** {@return what is at the end of this path of names and indexes} */
    static Object read(String text, Object... path) {
        JsonReader reader = new JsonReader(text);
        Object all = reader.value();
        if (reader.at != reader.text.length()) {
            throw new IllegalArgumentException("more after the end, at " + reader.at + ": " + text);
        }
        return in(all, path);
    }

    static Object in(Object value, Object... path) {
        Object found = value;
        for (Object step : path) {
            found = step instanceof Integer index ? ((List<?>) found).get(index) : ((Map<?, ?>) found).get(step);
        }
        return found;
    }

    private Object value() {
        return switch (text.charAt(at)) {
            case '{' -> object();
            case '[' -> array();
            case '"' -> string();
            default -> word();
        };
    }

    private Map<String, Object> object() {
        Map<String, Object> members = new LinkedHashMap<>();
        expect('{');
        while (text.charAt(at) != '}') {
            String name = string();
            expect(':');
            members.put(name, value());
            comma('}');
        }
        expect('}');
        return members;
    }

    private List<Object> array() {
        List<Object> elements = new ArrayList<>();
        expect('[');
        while (text.charAt(at) != ']') {
            elements.add(value());
            comma(']');
        }
        expect(']');
        return elements;
    }

    private void comma(char end) {
        if (text.charAt(at) != end) {
            expect(',');
        }
    }

    private String string() {
        StringBuilder string = new StringBuilder();
        expect('"');
        for (; text.charAt(at) != '"'; at++) {
            if (text.charAt(at) != '\\') {
                string.append(text.charAt(at));
            } else if (text.charAt(++at) == 'u') {
                string.append((char) Integer.parseInt(text.substring(at + 1, at + 5), 16));
                at += 4;
            } else {
                string.append(text.charAt(at));
            }
        }
        expect('"');
        return string.toString();
    }

    private Object word() {
        int begin = at;
        while (at < text.length() && ",]}".indexOf(text.charAt(at)) < 0) {
            at++;
        }
        String word = text.substring(begin, at);
        return word.equals("true") || word.equals("false") ? (Object) Boolean.valueOf(word) : Double.valueOf(word);
    }

    private void expect(char c) {
        if (text.charAt(at) != c) {
            throw new IllegalArgumentException("expected " + c + " at " + at + ": " + text);
        }
        at++;
    }
}
