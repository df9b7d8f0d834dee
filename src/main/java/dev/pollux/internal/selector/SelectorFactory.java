// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.selector;

import dev.pollux.internal.batch.Streams;
import dev.pollux.internal.count.Loops;
import dev.pollux.internal.jdk.SelectionKeyFields;
import dev.pollux.internal.jdk.SelectorImplFields;
import dev.pollux.internal.jdk.VirtualThreads;
import dev.pollux.internal.loop.AdaptiveBackoff;
import dev.pollux.internal.loop.VirtualWait;
import dev.pollux.internal.loop.WaitStrategy;
import dev.pollux.internal.loop.WakeupGate;
import dev.pollux.internal.pollset.PollSet;
import dev.pollux.internal.pollset.WritableNow;
import java.io.IOException;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.List;

/**
 * Opens selectors. Stands between the providers and {@link PolluxSelector} for the verifier's sake: a class with a
 * method that returned a PolluxSelector as an AbstractSelector would have it loaded when it is verified itself, before
 * the JDK's package is open.
 */
public final class SelectorFactory {
    private SelectorFactory() {
    }

    /** Has initialisers not fail: the classes that have one, and some that may be needed when none can be loaded. */
    public static List<Class<?>> prepare() {
        WaitStrategy.gateState();
        List<Class<?>> all = new ArrayList<>(List.of(SelectorImplFields.class, SelectionKeyFields.class,
                VirtualThreads.class, WakeupGate.class, KeyTable.class, BusyPoll.class, KeyState.class,
                PolluxSelector.class));
        if (VirtualThreads.exist()) {
            all.addAll(VirtualWait.classes());
        }
        all.addAll(WritableNow.classes());
        all.addAll(Loops.classes());
        return all;
    }

    /** Opens a selector on a mechanism, or on the best one of this platform if that is null. */
    public static AbstractSelector open(SelectorProvider provider, String mechanism) throws IOException {
        AdaptiveBackoff busyPoll = BusyPoll.configured();
        PollSet pollSet = PollSet.open(mechanism);
        try {
            pollSet.defer(Streams.open());
            PolluxSelector opened = new PolluxSelector(provider, pollSet, busyPoll);
            Streams.warnIfImpossible();
            return opened;
        } catch (RuntimeException | Error e) {
            pollSet.close();
            throw e;
        }
    }

    /** {@return whether a selector uses our set of selected keys, as it should, or one of the JDK or a framework} */
    public static boolean usesOwnKeySet(Selector selector) {
        return selector.selectedKeys() instanceof SelectedKeySet.View;
    }
}
