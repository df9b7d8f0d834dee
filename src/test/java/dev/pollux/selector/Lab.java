// SPDX-License-Identifier: Apache-2.0
package dev.pollux.selector;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pollux.PolluxSelectorProvider;
import dev.pollux.Providers;
import dev.pollux.lab.Loop;
import dev.pollux.lab.LoopLab;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.nio.channels.Selector;
import java.nio.channels.spi.SelectorProvider;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * A workbench of a provider under test.
 * The system property {@code pollux.test.providers} names the providers, and the JDK's own can be among them; else
 * it is those of all mechanisms here.
 */
final class Lab extends LoopLab {

    /** Comma-separated class names of the providers under test. */
    static final String PROVIDERS = "pollux.test.providers";

    private Lab(SelectorProvider provider) {
        super(provider);
    }

    static Stream<Lab> all() {
        String named = System.getProperty(PROVIDERS);
        return (named == null ? Providers.all() : Arrays.stream(named.split(",")).map(Lab::instantiate)).map(Lab::new);
    }

    static Lab of(String providerName) {
        return new Lab(instantiate(providerName));
    }

    private static SelectorProvider instantiate(String name) {
        try {
            Constructor<?> constructor = Class.forName(name).getDeclaredConstructor();
            constructor.setAccessible(true);
            return (SelectorProvider) constructor.newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("provider under test: " + name, e);
        }
    }

    String providerName() {
        return provider().getClass().getName();
    }

    @Override
    protected Lab another() {
        return new Lab(provider());
    }

    /** By the name of the provider's class. */
    @Override
    public String mechanism() {
        String name = provider().getClass().getSimpleName().replace("SelectorProvider", "").toLowerCase(Locale.ROOT);
        return name.equals("devpoll") ? "/dev/poll" : name;
    }

    @Override
    public Loop open() throws IOException {
        return new SelectorLoop(provider().openSelector());
    }

    @Override
    public Loop openBest() throws IOException {
        return new SelectorLoop(new PolluxSelectorProvider().openSelector());
    }

    /** Skips a test of keys that are armed for one event. */
    void needsOneShot() {
        assumeTrue(isEPoll(), "the mechanism has no event that disarms a whole descriptor");
    }

    /** Skips a test of the kernel's object being replaced: only epoll keeps what lives on under another descriptor. */
    void needsReplacement() {
        assumeTrue(isEPoll(), "only epoll's object is replaced");
    }

    /** Skips a test of refused registrations that poll(2) stands in for, beside the mechanism's own descriptor. */
    void needsFallback() {
        assumeTrue(!isPoll() && !isWEPoll() && !isDevPoll(),
                "the mechanism refuses nothing, or has no descriptor that can be polled");
    }

    /** Skips a test of refused registrations that nothing stands in for. */
    void needsThrownRefusals() {
        assumeTrue(isDevPoll(), "poll(2) stands in for what the mechanism refuses, or there is nothing to refuse");
    }

    /**
     * The system call that a change of a registration ends in. An emulated /dev/poll has one in the place of its write,
     * an emulated kqueue is made of epolls.
     */
    String changeCall() {
        return isDevPoll() ? "getppid" : "epoll_ctl";
    }

    /** Whether a selector on this mechanism gets to know of out-of-band data, and drops them. */
    boolean reportsOutOfBandData() {
        return isKQueue() || isWEPoll();
    }

    Selector selector() throws IOException {
        return opened(provider().openSelector());
    }

    @Override
    public String toString() {
        return providerName();
    }
}
