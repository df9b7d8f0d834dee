// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller.program;

import static java.util.concurrent.TimeUnit.SECONDS;

import dev.pollux.Poller;

/** Awaits a descriptor that this process was started with, and prints what is reported of it. */
public final class AwaitDescriptor {

    private AwaitDescriptor() {
    }

    /** @param arguments the mechanism, and the number of the descriptor */
    public static void main(String[] arguments) throws Exception {
        try (Poller poller = Poller.open(arguments[0], 1)) {
            poller.add(Integer.parseInt(arguments[1]), Poller.POLLIN);
            poller.await((member, events) -> System.out.println(member.descriptor() + " reported " + events),
                    30, SECONDS);
        }
    }
}
