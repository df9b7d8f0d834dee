// SPDX-License-Identifier: Apache-2.0
package dev.pollux;

import dev.pollux.internal.poller.MemberState;
import dev.pollux.internal.poller.Multiplexer;
import java.io.IOException;

/** A member of a Poller. Safe for use by many threads. */
final class PollerMember implements Poller.Member {
    private final Multiplexer multiplexer;
    private final MemberState state;
    private volatile Object attachment;

    /** What shows this member in the iteration that came to it last. */
    private ReadyEntries.Entry shown;

    PollerMember(Multiplexer multiplexer, MemberState state, Object attachment) {
        this.multiplexer = multiplexer;
        this.state = state;
        this.attachment = attachment;
    }

    @Override
    public int descriptor() {
        return state.descriptor();
    }

    @Override
    public int events() {
        return multiplexer.changes().events(state);
    }

    @Override
    public Object attachment() {
        return attachment;
    }

    @Override
    public synchronized Object attach(Object other) {
        Object before = attachment;
        attachment = other;
        return before;
    }

    @Override
    public void events(int events) throws IOException {
        Poller.requireKnown(events, multiplexer);
        multiplexer.changes().modify(state, events, false);
    }

    @Override
    public void modify(int events) throws IOException {
        Poller.requireKnown(events, multiplexer);
        multiplexer.changes().modify(state, events, true);
    }

    @Override
    public void disable() throws IOException {
        multiplexer.changes().disable(state);
    }

    @Override
    public void enable() throws IOException {
        multiplexer.changes().enable(state);
    }

    @Override
    public void remove() throws IOException {
        ReadyEntries.Entry entry = shown;
        if (entry != null) {
            entry.keep(this, state);
        }
        multiplexer.changes().remove(state);
    }

    @Override
    public boolean isValid() {
        return state.handle() != null;
    }

    @Override
    public IOException refusal() {
        return multiplexer.changes().refusal(state);
    }

    void isShownBy(ReadyEntries.Entry entry) {
        shown = entry;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PollerMember member && member.state == state;
    }

    @Override
    public int hashCode() {
        return state.hashCode();
    }

    @Override
    public String toString() {
        return "descriptor " + descriptor() + " for " + ReadyEntries.names(events()) + ", " + attachment;
    }
}
