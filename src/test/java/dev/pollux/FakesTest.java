// SPDX-License-Identifier: Apache-2.0
package dev.pollux;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.pollux.lab.Fakes;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A user tests handlers with members of the user's own: no Poller is open. */
class FakesTest {
    private final Fakes fakes = new Fakes();

    @Test
    void aPollersHandlerIsGivenAMember() throws IOException {
        Poller.Handler handler = (member, events) -> {
            if ((events & Poller.POLLHUP) != 0) {
                member.remove();
            }
        };
        handler.ready(fakes.fake(Poller.Member.class, null), Poller.POLLHUP);
        assertEquals(List.of("remove"), fakes.calls());
    }
}
