// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import dev.pollux.internal.arena.Arena;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/**
 * The arenas of a server's loops, all of one mechanism: connections are spread over the loops, and each is to be served
 * as well as any other.
 *
 * <p>For the thread that opens the server; {@link #features} are for any afterwards. Allocation: as it opens.
 */
final class LoopArenas {
    private final ServerSettings settings;
    private final List<Arena> arenas = new ArrayList<>();

    /** What they run on, and why not on io_uring. */
    String features;

    LoopArenas(ServerSettings settings) {
        this.settings = settings;
    }

    /**
     * Opens some. If the best mechanism does not do for all of them, say, because io_uring's memory is limited, all are
     * of the one that it does for the next; a warning tells so.
     */
    List<Arena> open(int count) throws IOException {
        open(count, settings.mechanism);
        List<String> order = List.of(Arena.mechanisms().split(","));
        Arena worst = Collections.max(arenas, Comparator.comparing(arena -> order.indexOf(arena.name())));
        long alike = arenas.stream().filter(arena -> arena.name().equals(worst.name())).count();
        features = worst.features();
        if (alike < count) {
            String told = (count - alike) + " of " + count + " loops could have a better one, and all run alike";
            System.getLogger("dev.pollux").log(Level.WARNING, "StreamServer at " + settings.address + " runs on "
                    + features + ". " + told + ". Raise the limit that it has met, mostly RLIMIT_MEMLOCK (ulimit -l),"
                    + " use fewer loops, or name a mechanism");
            features += " (" + told + ")";
            close();
            open(count, worst.name());
        }
        return arenas;
    }

    private void open(int count, String mechanism) throws IOException {
        for (int i = 0; i < count; i++) {
            arenas.add(Arena.open(mechanism, settings.maxConnections + 1,
                    Math.min(settings.maxRequest, LongRequests.SHORTEST)));
        }
    }

    /** Closes them: those of a server that could not be opened. */
    void close() {
        arenas.forEach(Arena::close);
        arenas.clear();
    }
}
