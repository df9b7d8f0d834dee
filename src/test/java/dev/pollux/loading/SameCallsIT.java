// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading;

import dev.pollux.lab.Injection;
import dev.pollux.loading.calls.AsynchronousCalls;
import dev.pollux.loading.calls.BlockedCalls;
import dev.pollux.loading.calls.CallStress;
import dev.pollux.loading.calls.DatagramCalls;
import dev.pollux.loading.calls.FaultyCalls;
import dev.pollux.loading.calls.SocketStreamCalls;
import dev.pollux.loading.calls.StreamCalls;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Our native methods for sockets have the results of the JDK's, and throw what those throw. */
class SameCallsIT {
    private static final String JDKS = "dev.pollux.loading.Jdk#all";
    private static final String JDKS_WITH_VIRTUAL_THREADS = "dev.pollux.loading.Jdk#allWithVirtualThreads";

    @ParameterizedTest
    @MethodSource(JDKS)
    void channelsOfTcpTransferTheSame(Jdk jdk) throws Exception {
        SameCalls.compare(jdk, StreamCalls.class, "tcp");
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void channelsOfTheUnixDomainTransferTheSame(Jdk jdk) throws Exception {
        SameCalls.compare(jdk, StreamCalls.class, "unix");
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void pipesTransferTheSame(Jdk jdk) throws Exception {
        SameCalls.compare(jdk, StreamCalls.class, "pipe");
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void streamsOfSocketsTransferTheSame(Jdk jdk) throws Exception {
        SameCalls.compare(jdk, SocketStreamCalls.class);
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void datagramsAreTheSame(Jdk jdk) throws Exception {
        SameCalls.compare(jdk, DatagramCalls.class);
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void asynchronousChannelsTransferTheSame(Jdk jdk) throws Exception {
        SameCalls.compare(jdk, AsynchronousCalls.class);
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void closingAndInterruptingEndTheSameCalls(Jdk jdk) throws Exception {
        SameCalls.compare(jdk, BlockedCalls.class, "platform");
    }

    @ParameterizedTest
    @MethodSource(JDKS_WITH_VIRTUAL_THREADS)
    void closingAndInterruptingEndTheSameCallsOfVirtualThreads(Jdk jdk) throws Exception {
        SameCalls.compare(jdk.from(21), BlockedCalls.class, "virtual");
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void errorsOfStreamChannelsAreTheSame(Jdk jdk) throws Exception {
        compareFaults(jdk, "stream");
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void errorsOfSocketsAreTheSame(Jdk jdk) throws Exception {
        compareFaults(jdk, "socket");
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void errorsOfDatagramsAreTheSame(Jdk jdk) throws Exception {
        compareFaults(jdk, "datagram");
    }

    @ParameterizedTest
    @MethodSource(JDKS)
    void errorsOfPipesFilesAndEpollAreTheSame(Jdk jdk) throws Exception {
        compareFaults(jdk, "other");
    }

    @Tag("load")
    @ParameterizedTest
    @MethodSource(JDKS)
    void noByteIsLostOrChangedWhileOthersCloseAndInterrupt(Jdk jdk) throws Exception {
        Vm.Result result = SameCalls.replacing(jdk).run(CallStress.class, "100000").succeeds();
        SameCalls.requireReplaced(result.out());
        result.says("every byte was right");
    }

    private static void compareFaults(Jdk jdk, String kind) throws Exception {
        Injection.needed();
        SameCalls.compare(jdk, FaultyCalls.class, kind);
    }
}
