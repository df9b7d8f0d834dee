// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.common;

import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonWriter;
import java.util.Locale;
import java.util.stream.Collectors;

/** What commands print for {@code --json}. Stateless. */
public final class Json {
    private Json() {
    }

    /** {@return the object on one line, in ASCII alone, whatever the terminal's encoding} */
    public static String line(JsonObject object) {
        return JsonWriter.string(object).chars()
                .mapToObj(c -> c > '~' ? String.format(Locale.ROOT, "\\u%04x", c) : String.valueOf((char) c))
                .collect(Collectors.joining());
    }
}
