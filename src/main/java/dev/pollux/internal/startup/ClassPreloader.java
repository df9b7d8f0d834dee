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
    /** In the order in which they are needed, each behind {@code dev.pollux.internal}. */
    private static final List<String> NAMES = List.of("jni.LibraryCopy", "jni.LibraryFormat", "jni.AbandonedCopies",
            "jni.Natives", "jdk.JdkAccess", "jdk.JdkNatives", "jdk.JdkChannels", "jdk.JdkMembers",
            "selector.SelectorFactory", "loop.WaitStrategy", "loop.WakeupGate", "jdk.SelectorImplFields",
            "jdk.SelectionKeyFields", "jdk.VirtualThreads", "selector.KeyTable", "selector.BusyPoll",
            "selector.KeyState", "pollset.WritableNow", "pollset.EntryMerger", "count.Loops", "count.LoopObserver$1",
            "count.Counter", "count.LoopStatistics", "loop.AdaptiveBackoff", "tell.Insight", "batch.Streams",
            "jdk.SocketCalls", "pollset.PollSet", "pollset.EventBuffer", "count.BusyTimes", "pollset.PollSet$Kind",
            "selector.UpdateQueue", "registration.PollFallback", "selector.Refusals", "selector.KeyRemoval",
            "selector.KeyRegistrar", "selector.OtherWay", "selector.WriteInterest", "selector.SelectedKeys",
            "selector.SelectedKeySet", "selector.SelectedKeySet$View", "selector.EventDelivery", "loop.PollFirst",
            "verdict.SelectorWatch", "count.LoopObserver$Moment", "selector.NetEvents", "pollset.Cookie",
            "loop.Deadline", "loop.Interruption", "verdict.Detectors", "tell.Insight$FirstUse", "verdict.FirstWait",
            "verdict.ProcessorTimes", "verdict.WatchThread", "verdict.WatchThread$1",
            "selector.SelectedKeySet$KeyIterator");

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
