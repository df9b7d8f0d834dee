// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.startup;

import java.util.List;

/**
 * Loads the classes that the first connection needs, while another thread still copies the library. Without an archive
 * of classes this takes a VM longer than all else of the start, and other processors have nothing to do yet.
 *
 * <p>It is a hint: no initialiser runs here, and the thread that needs a class meets what is wrong with it. Subclasses
 * of {@code sun.nio.ch} are left out, since they can't be loaded before that package is open. One thread runs it.
 */
final class ClassPreloader extends Thread {
    /**
     * Each behind {@code dev.pollux.internal}. What is needed last comes first: so the two threads meet at one class,
     * where the other order has them wait for each other at each.
     */
    private static final List<String> NAMES = List.of("selector.SelectedKeySet$KeyIterator", "verdict.WatchThread$1",
            "verdict.WatchThread", "verdict.ProcessorTimes", "verdict.FirstWait", "tell.Insight$FirstUse",
            "verdict.Detectors", "loop.Interruption", "loop.Deadline", "pollset.Cookie", "selector.NetEvents",
            "count.LoopObserver$Moment", "verdict.SelectorWatch", "loop.PollFirst", "selector.EventDelivery",
            "selector.SelectedKeySet$View", "selector.SelectedKeySet", "selector.SelectedKeys",
            "selector.WriteInterest", "selector.OtherWay", "selector.KeyRegistrar", "selector.KeyRemoval",
            "selector.Refusals", "registration.PollFallback", "selector.UpdateQueue", "pollset.PollSet$Kind",
            "count.BusyTimes", "pollset.EventBuffer", "pollset.PollSet", "jdk.SocketCalls", "batch.Streams",
            "tell.Insight", "loop.AdaptiveBackoff", "count.LoopStatistics", "count.Counter", "count.LoopObserver$1",
            "count.Loops", "pollset.EntryMerger", "pollset.WritableNow", "selector.KeyState", "selector.BusyPoll",
            "selector.KeyTable", "jdk.VirtualThreads", "jdk.SelectionKeyFields", "jdk.SelectorImplFields",
            "loop.WakeupGate", "loop.WaitStrategy", "selector.SelectorFactory", "jdk.JdkMembers", "jdk.JdkChannels",
            "jdk.JdkNatives", "jdk.JdkAccess", "jni.Natives", "jni.AbandonedCopies", "jni.LibraryFormat",
            "jni.LibraryCopy");

    private ClassPreloader() {
        super(null, null, "Pollux-preload", 0, false);
        setDaemon(true);
    }

    /** Starts the thread, if it can be had. */
    static void begin() {
        try {
            new ClassPreloader().start();
        } catch (RuntimeException | Error e) {
            return; // at a limit of threads, say: the classes are loaded when they are needed
        }
    }

    @Override
    public void run() {
        // A tool that moves our packages changes the names of classes, and no text.
        String here = ClassPreloader.class.getPackageName();
        String internal = here.substring(0, here.lastIndexOf('.') + 1);
        try {
            for (String name : NAMES) {
                Class.forName(internal + name, false, ClassPreloader.class.getClassLoader());
            }
        } catch (ClassNotFoundException | RuntimeException | Error e) {
            return; // as above
        }
    }
}
