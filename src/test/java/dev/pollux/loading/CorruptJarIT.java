// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.pollux.loading.program.Probe;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A library in the jar that is not what was built ends in an error, never in a crash. */
class CorruptJarIT {

    /** Where an ELF header names the processor, and two processors. */
    private static final int MACHINE = 18;
    private static final byte X86_64 = 62;
    private static final byte AARCH64 = (byte) 183;

    @TempDir
    Path folder;

    @Test
    void aJarThatWasPackedAnewWorks() throws Exception {
        with(library -> library).succeeds().says("selected 1");
    }

    @Test
    void textInsteadOfALibrary() throws Exception {
        with(library -> "no library".getBytes(StandardCharsets.UTF_8)).fails().says("corrupt");
    }

    @Test
    void anEmptyFile() throws Exception {
        with(library -> new byte[0]).fails().says("corrupt");
    }

    @Test
    void theFirstHalfOfTheLibrary() throws Exception {
        with(library -> Arrays.copyOf(library, library.length / 2)).fails().says("corrupt");
    }

    @Test
    void theFirstHundredBytesOfTheLibrary() throws Exception {
        with(library -> Arrays.copyOf(library, 100)).fails().says("corrupt");
    }

    @Test
    void aLibraryForAnotherProcessor() throws Exception {
        with(library -> {
            library[MACHINE] = library[MACHINE] == X86_64 ? AARCH64 : X86_64;
            return library;
        }).fails().says("for another processor");
    }

    @Test
    void noLibraryAtAll() throws Exception {
        with(library -> null).fails().says("no native library for", "this jar has none");
    }

    @Test
    void aBitThatFellOverInTheJar() throws Exception {
        Path jar = PolluxJar.doctored(folder, library -> library);
        byte[] content = Files.readAllBytes(jar);
        byte[] start = Arrays.copyOf(PolluxJar.library(), 64);
        int at = indexOf(content, start);
        content[at + PolluxJar.library().length / 2] ^= 1;
        Files.write(jar, content);
        run(jar).fails().says("corrupt", "checksum");
    }

    private static int indexOf(byte[] content, byte[] part) {
        int at = 0;
        while (at + part.length < content.length && !Arrays.equals(content, at, at + part.length,
                part, 0, part.length)) {
            at++;
        }
        assertNotEquals(content.length - part.length, at, "the library lies in the jar as it is");
        return at;
    }

    private Vm.Result with(UnaryOperator<byte[]> change) throws Exception {
        return run(PolluxJar.doctored(folder, change));
    }

    private static Vm.Result run(Path jar) throws Exception {
        Vm.Result result = Vm.on(Jdk.running()).with("--enable-native-access=ALL-UNNAMED")
                .classPath(jar, PolluxJar.programs()).provider("EPollSelectorProvider").run(Probe.class);
        assertEquals("", result.err());
        return result;
    }
}
