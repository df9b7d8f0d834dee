// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.command;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** What commands with {@code --json} print, put together from values that are JSON already. Stateless. */
public final class JsonText {
    private JsonText() {
    }

    /** {@return the object with these members, in their order} */
    public static String object(Map<String, String> members) {
        return members.entrySet().stream().map(member -> quoted(member.getKey()) + ':' + member.getValue())
                .collect(Collectors.joining(",", "{", "}"));
    }

    /** {@return the array of these values} */
    public static String array(List<String> values) {
        return '[' + String.join(",", values) + ']';
    }

    /** {@return the text as JSON, in ASCII alone, whatever the terminal's encoding} */
    public static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ' || c > '~') {
                quoted.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }
}
