// SPDX-License-Identifier: Apache-2.0
package dev.pollux.poller;

import dev.pollux.ClosedPollerException;
import dev.pollux.Poller;
import dev.pollux.lab.Loop;
import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.util.List;
import java.util.stream.Stream;

/** A Poller. */
record PollerLoop(Poller poller) implements Loop {

    @Override
    public List<Wait> waits() {
        return Stream.of(Form.HANDLER, Form.ITERABLE, Form.ARRAYS).map(this::in).toList();
    }

    private Wait in(Form form) {
        return (millis, action) -> form.await(poller, millis < 0 ? Awaits.FOR_EVER : Awaits.millis(millis),
                (member, events) -> action.run());
    }

    @Override
    public void watch(SelectableChannel channel) throws IOException {
        poller.add(channel, Poller.POLLIN);
    }

    @Override
    public void wakeup() {
        poller.wakeup();
    }

    @Override
    public boolean isOpen() {
        return poller.isOpen();
    }

    @Override
    public Class<ClosedPollerException> closedException() {
        return ClosedPollerException.class;
    }

    @Override
    public void close() {
        poller.close();
    }
}
