// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Whatever happens to a connection, in each order, is as {@link ServiceState} and {@link Phase} draw it. */
class LoopConnectionsTest {
    private static final long CONNECTION = (7L << 32) + 3;

    /** What can be asked of a connection. */
    private record Told(ServiceState state, CloseReason reason, boolean isServed, boolean isKnown, Phase phase,
            int open) {

        /** As it is drawn: none before it begins; else this state, this reason, and this phase of the input. */
        static Told of(ServiceState state, CloseReason reason, Phase input) {
            boolean isServed = state == ServiceState.SERVED || state == ServiceState.DEFERRED;
            return new Told(state, reason, isServed, input != Phase.HANDSHAKE,
                    state == ServiceState.LEAVING ? Phase.WRITING : input, state == ServiceState.NONE ? 0 : 1);
        }

        static Told by(LoopConnections connections) {
            return new Told(connections.state(CONNECTION), connections.reason(CONNECTION),
                    connections.isServed(CONNECTION), connections.isKnown(CONNECTION), connections.phase(CONNECTION),
                    connections.open());
        }
    }

    /** What a loop tells, and in which states it may. */
    private enum Event {
        BEGIN, KNOWN, BEGIN_REQUEST, END_REQUEST, MOVE, DEFER, GO_ON, LEAVE, LEAVE_AS_IDLE, FAIL, END;

        boolean mayFollow(Told now) {
            return switch (this) {
                case BEGIN -> now.state == ServiceState.NONE;
                case KNOWN -> now.isServed && !now.isKnown;
                case BEGIN_REQUEST -> now.state == ServiceState.SERVED && now.isKnown;
                case MOVE -> now.state == ServiceState.SERVED && !now.isKnown;
                case DEFER -> now.state == ServiceState.SERVED && now.isKnown;
                case GO_ON -> now.state == ServiceState.DEFERRED;
                default -> now.state != ServiceState.NONE;
            };
        }

        void tell(LoopConnections to) {
            switch (this) {
                case BEGIN -> to.begin(CONNECTION);
                case KNOWN -> to.setKnown(CONNECTION);
                case BEGIN_REQUEST -> to.beginRequest(CONNECTION);
                case END_REQUEST -> to.endRequest(CONNECTION);
                case MOVE -> to.move(CONNECTION);
                case DEFER -> to.defer(CONNECTION);
                case GO_ON -> to.goOn(CONNECTION);
                case LEAVE -> to.leave(CONNECTION, CloseReason.CLOSED);
                case LEAVE_AS_IDLE -> to.leave(CONNECTION, CloseReason.IDLE);
                case FAIL -> to.fail(CONNECTION);
                case END -> to.end(CONNECTION);
            }
        }

        /** Where the drawing leads. The phase of the input is what it was before the connection was to leave. */
        Drawn follow(Drawn now) {
            boolean isLeaving = now.state == ServiceState.LEAVING;
            return switch (this) {
                case BEGIN -> new Drawn(ServiceState.SERVED, CloseReason.SERVER, Phase.HANDSHAKE);
                case KNOWN -> new Drawn(now.state, now.reason, Phase.FIRST_BYTE);
                case BEGIN_REQUEST -> new Drawn(now.state, now.reason, Phase.REQUEST);
                case END_REQUEST -> now.input == Phase.HANDSHAKE ? now : new Drawn(now.state, now.reason, Phase.IDLE);
                case MOVE -> new Drawn(ServiceState.MOVING, now.reason, now.input);
                case DEFER -> new Drawn(ServiceState.DEFERRED, now.reason, now.input);
                case GO_ON -> new Drawn(ServiceState.SERVED, now.reason, now.input);
                case LEAVE -> isLeaving ? now : new Drawn(ServiceState.LEAVING, CloseReason.CLOSED, now.input);
                case LEAVE_AS_IDLE -> isLeaving ? now : new Drawn(ServiceState.LEAVING, CloseReason.IDLE, now.input);
                case FAIL -> new Drawn(ServiceState.LEAVING, CloseReason.FAILED, now.input);
                case END -> new Drawn(ServiceState.NONE, CloseReason.SERVER, now.input);
            };
        }
    }

    private record Drawn(ServiceState state, CloseReason reason, Phase input) {
        Told told() {
            return Told.of(state, reason, input);
        }
    }

    private static LoopConnections after(List<Event> events) {
        LoopTimeouts none = new LoopTimeouts(10, new long[Phase.values().length]);
        LoopConnections connections = new LoopConnections(null, 10, none, null);
        events.forEach(event -> event.tell(connections));
        return connections;
    }

    @Test
    void eachEventLeadsFromEachStateToWhereTheDrawingLeads() {
        Drawn first = new Drawn(ServiceState.NONE, CloseReason.SERVER, Phase.HANDSHAKE);
        Map<Drawn, List<Event>> ways = new HashMap<>(Map.of(first, List.of()));
        Deque<Drawn> next = new ArrayDeque<>(List.of(first));
        while (!next.isEmpty()) {
            Drawn now = next.remove();
            for (Event event : Event.values()) {
                if (event.mayFollow(now.told())) {
                    List<Event> way = new ArrayList<>(ways.get(now));
                    way.add(event);
                    Drawn then = event.follow(now);
                    assertEquals(then.told(), Told.by(after(way)), way::toString);
                    if (ways.putIfAbsent(then, way) == null) {
                        next.add(then);
                    }
                }
            }
        }
        for (ServiceState each : ServiceState.values()) {
            assertTrue(ways.keySet().stream().anyMatch(drawn -> drawn.state == each), each::name);
        }
    }
}
