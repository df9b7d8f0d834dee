// SPDX-License-Identifier: Apache-2.0
package dev.pollux.architecture;

import static java.util.Map.entry;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The arrows between the folders of the C files that {@code sources.mk} describes exist, and no others; no circle. */
class NativeArchitectureTest {
    private static final Path ROOT = Path.of("src/main/native");

    /** What is there for programs in C: any folder may include it. */
    private static final Set<String> INTERFACES = Set.of("pollux.h", "arena.h");

    /** From a folder to those below it that it may use. */
    private static final Map<String, Set<String>> ALLOWED = Map.ofEntries(
            entry("system", Set.of()),
            entry("mechanism", Set.of("system")),
            entry("arena", Set.of("system", "mechanism")),
            entry("selector", Set.of("system")),
            entry("batch", Set.of("system", "mechanism", "selector")),
            entry("calls", Set.of("system", "selector", "batch")),
            entry("jni", Set.of("system", "mechanism", "arena", "selector", "batch")));

    private static final NativeSources SOURCES = sources();

    @Test
    void noFileIncludesWhatIsInAFolderAboveIt() {
        assertEquals(Set.of(), offending(SOURCES.includes()));
    }

    @Test
    void noFileUsesWhatAFolderAboveItDefines() {
        assertEquals(Set.of(), offending(SOURCES.uses()));
    }

    @Test
    void noHeadersIncludeEachOther() {
        assertEquals(List.of(), NativeSources.circle(SOURCES.includes()));
    }

    @Test
    void noFilesUseEachOther() {
        assertEquals(List.of(), NativeSources.circle(SOURCES.uses()));
    }

    @Test
    void theArrowsThatMakeTheLibraryExist() {
        Map<String, Set<String>> uses = SOURCES.uses();
        assertTrue(uses.get("jni/jni.c").contains("mechanism/pollux.c"), uses::toString);
        assertTrue(uses.get("arena/readiness.c").contains("mechanism/pollux.c"), uses::toString);
        assertTrue(uses.get("arena/arena.c").contains("arena/uring.c"), uses::toString);
        assertTrue(uses.get("calls/calls_setup.c").contains("calls/calls_deferring.c"), uses::toString);
    }

    @Test
    void theMakefilesTakeTheseFolders() throws IOException {
        String list = Files.readString(ROOT.resolve("sources.mk"));
        Set<String> taken = new TreeSet<>();
        list.lines().filter(line -> line.matches("\\w+_FOLDERS +:=.*")).forEach(line -> taken.addAll(
                List.of(line.replaceFirst(".*:= *", "").replaceAll("\\$\\(.*?\\) *", "").split(" "))));
        assertEquals(new TreeSet<>(ALLOWED.keySet()), taken);
    }

    @Test
    void aCircleAndAnArrowUpwardAreFound() {
        NativeSources planted = new NativeSources(Map.of(
                "system/low.c", "#include \"system/low.h\"\n/* not plx_far() */\nint plx_low(int n)\n{\n"
                        + "    return plx_high(n, \"plx_far\");\n}\n",
                "system/low.h", "#include \"batch/high.h\"\nint plx_low(int n);\n",
                "batch/high.c", "static int plx_own;\n\nlong plx_high(int n,\n              const char *s)\n{\n"
                        + "    return n > 0 ? plx_low(n - 1) : plx_table[0];\n}\n",
                "batch/high.h", "#include \"system/low.h\"\nextern const int plx_table[1];\n",
                "batch/far.c", "const int plx_table[1] = { 1 };\nvoid plx_far(void)\n{\n    plx_own = 1;\n}\n"));
        assertEquals(Set.of("system/low.c -> batch/high.c"), offending(planted.uses()));
        assertEquals(Set.of("system/low.h -> batch/high.h"), offending(planted.includes()));
        assertEquals(List.of("batch/high.c", "system/low.c", "batch/high.c"), NativeSources.circle(planted.uses()));
        assertEquals(List.of("batch/high.h", "system/low.h", "batch/high.h"),
                NativeSources.circle(planted.includes()));
        assertEquals(Set.of("batch/far.c", "system/low.c"), planted.uses().get("batch/high.c"));
        assertEquals(Set.of(), planted.uses().get("batch/far.c"));
    }

    private static Set<String> offending(Map<String, Set<String>> arrows) {
        Set<String> found = new TreeSet<>();
        arrows.forEach((from, all) -> all.stream().filter(to -> !INTERFACES.contains(to) && !isAllowed(from, to))
                .forEach(to -> found.add(from + " -> " + to)));
        return found;
    }

    private static boolean isAllowed(String from, String to) {
        return folder(from).equals(folder(to)) || ALLOWED.get(folder(from)).contains(folder(to));
    }

    private static String folder(String file) {
        return file.replaceFirst("/.*", "");
    }

    private static NativeSources sources() {
        try {
            return NativeSources.in(ROOT, ALLOWED.keySet());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
