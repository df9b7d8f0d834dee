// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import dev.pollux.loading.program.Probe;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The library for the C library of this machine comes first, the one for the other C library second. */
class LibcIT {

    private static final byte[] GARBAGE = "no library".getBytes(StandardCharsets.UTF_8);

    @TempDir
    Path folder;

    @Test
    void theLibraryForTheOtherOneIsTaken() throws Exception {
        run(PolluxJar.doctored(folder, (jar, name, library) -> PolluxJar.store(jar, other(name), library)))
                .succeeds().says("selected 1");
    }

    @Test
    void theLibraryForTheOtherOneIsTakenIfTheFirstDoesNotLoad() throws Exception {
        run(PolluxJar.doctored(folder, (jar, name, library) -> {
            PolluxJar.store(jar, name, GARBAGE);
            PolluxJar.store(jar, other(name), library);
        })).succeeds().says("selected 1");
    }

    @Test
    void theLibraryForTheOtherOneIsNotTouchedIfTheFirstLoads() throws Exception {
        run(PolluxJar.doctored(folder, (jar, name, library) -> {
            PolluxJar.store(jar, name, library);
            PolluxJar.store(jar, other(name), GARBAGE);
        })).succeeds().says("selected 1");
    }

    @Test
    void bothFailuresAreTold() throws Exception {
        run(PolluxJar.doctored(folder, (jar, name, library) -> {
            PolluxJar.store(jar, name, GARBAGE);
            PolluxJar.store(jar, other(name), GARBAGE);
        })).fails().says("-musl/libpollux-jni.so: the file is corrupt", "; could not load ");
    }

    private static String other(String name) {
        return name.contains("-musl/") ? name.replace("-musl/", "/") : name.replaceFirst("/([^/]+)$", "-musl/$1");
    }

    private static Vm.Result run(Path jar) throws Exception {
        return Vm.on(Jdk.running()).classPath(jar, PolluxJar.programs()).provider("EPollSelectorProvider")
                .run(Probe.class);
    }
}
