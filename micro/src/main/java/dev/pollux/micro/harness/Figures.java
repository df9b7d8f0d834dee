// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.harness;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonPrimitive;
import com.google.gson.JsonSerializer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Pattern;

/** The file of figures, from which tables and plots can be made without measuring again. Stateless. */
final class Figures {
    private static final Gson GSON = new GsonBuilder().setPrettyPrinting().registerTypeAdapter(Pattern.class,
            (JsonSerializer<Pattern>) (pattern, type, context) -> new JsonPrimitive(pattern.pattern())).create();

    /** The whole file: where it was measured, what was asked for, what came out. Records and lists become JSON. */
    private record Content(String java, String os, int processors, Map<String, Object> plan, Object results) {
    }

    private Figures() {
    }

    static void write(Path file, Map<String, Object> plan, Object results) throws IOException {
        Content content = new Content(Runtime.version().toString(),
                System.getProperty("os.name") + " " + System.getProperty("os.version"),
                Runtime.getRuntime().availableProcessors(), plan, results);
        Files.createDirectories(file.toAbsolutePath().getParent());
        Files.writeString(file, GSON.toJson(content) + "\n");
    }
}
