// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.top;

import com.sun.tools.attach.AgentInitializationException;
import com.sun.tools.attach.AgentLoadException;
import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import dev.pollux.internal.count.Printable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The Attach API. The only class that needs the module {@code jdk.attach}; {@link Top} looks whether it is there. */
final class Attachment {
    /**
     * For how long the Attach API waits, in milliseconds. When its time is up it deletes the file that tells the VM why
     * it gets a signal, and a VM that comes later takes the signal for the wish for a dump of its threads.
     */
    private static final String TIMEOUT_PROPERTY = "sun.tools.attach.attachTimeout";

    private Attachment() {
    }

    /** A virtual machine that runs here. */
    record Vm(long pid, String program) {
    }

    /** {@return the virtual machines of this user, but this one} */
    static List<Vm> all() {
        return VirtualMachine.list().stream().map(vm -> new Vm(Long.parseLong(vm.id()), vm.displayName()))
                .filter(vm -> vm.pid != ProcessHandle.current().pid()).toList();
    }

    /** Has the virtual machine run our agent, which connects to the socket, and detaches again. */
    static void load(Target target, Path jar, Path socket) throws IOException {
        System.setProperty(TIMEOUT_PROPERTY, Long.toString(2 * Target.MAX_WAIT_MILLIS)); // ours ends before that
        try {
            VirtualMachine vm = VirtualMachine.attach(Long.toString(target.pid()));
            try {
                vm.loadAgent(jar.toString(), socket.toString());
            } finally {
                vm.detach();
            }
        } catch (AttachNotSupportedException | IOException e) {
            throw target.cannot("it does not let us attach: " + Printable.of(e.getMessage()));
        } catch (AgentLoadException e) {
            throw target.cannot("it loads no agent: " + Printable.of(e.getMessage())
                    + ". It needs the module java.instrument, and -XX:-EnableDynamicAgentLoading forbids it");
        } catch (AgentInitializationException e) {
            throw target.cannot("our agent failed there: " + Printable.of(e.getMessage()) + ", " + e.returnValue()
                    + ". What the process prints to its standard error says more");
        }
    }
}
