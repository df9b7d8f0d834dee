// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import dev.pollux.loading.program.InterruptedStart;
import dev.pollux.loading.program.TwoLoaders;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Who loads Pollux: several class loaders of one VM, a thread that was interrupted. */
class ClassLoadersIT {

    private static final String JDKS = "dev.pollux.loading.Jdk#all";

    @TempDir
    Path folder;

    @ParameterizedTest
    @MethodSource(JDKS)
    void twoClassLoadersEachHaveTheirOwnCopy(Jdk jdk) throws Exception {
        Vm.on(jdk).classPath(PolluxJar.programs()).run(TwoLoaders.class, PolluxJar.path().toString())
                .succeeds().says("different true", "selected 1\nselected 1");
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void twoClassLoadersMayNameOneFolderWithTheLibrary(Jdk jdk) throws Exception {
        Vm.on(jdk).with("-Ddev.pollux.library.path=" + PolluxJar.libraryIn(folder)).classPath(PolluxJar.programs())
                .run(TwoLoaders.class, PolluxJar.path().toString())
                .succeeds().says("different true", "selected 1\nselected 1");
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void anInterruptedThreadMayOpenTheFirstSelector(Jdk jdk) throws Exception {
        Vm.on(jdk).classPath(PolluxJar.path(), PolluxJar.programs()).provider("EPollSelectorProvider")
                .run(InterruptedStart.class).succeeds()
                .says("provider dev.pollux.EPollSelectorProvider", "interrupted true");
    }
}
