// SPDX-License-Identifier: Apache-2.0
package dev.pollux.server;

/**
 * What becomes of the two ways of a held connection, and nothing that can be derived.
 *
 * <p>The input:
 *
 * <pre>
 *            pause            resume
 *     OPEN --------> PAUSED ---------> RESUMED    what the handler has left is to come again
 *      ^               ^                 |  |
 *      |               '-----------------'  |
 *      |                     pause          |
 *      '------------------------------------'     the loop has looked
 *
 *     each of them ----> ENDED    the other side has ended, and its handler has heard so
 * </pre>
 *
 * A handler that has paused may be resumed by another thread before it returns: so the loop looks behind the call.
 *
 * <p>The output goes forward alone. What is further on contains what is before it, so to ask for that changes nothing
 * any more:
 *
 * <pre>
 *     OPEN        what is sent is accepted
 *       | shutdownOutput
 *     SHUTTING    nothing is accepted; what was is on its way
 *       | all of it was ordered
 *     SHUT        the other side was told that no more comes
 *       | and its input has ended
 *     FINISHED    neither side has more to say: it is closed
 *       | close
 *     CLOSING     it is closed when all that was accepted was ordered
 *       | a failure
 *     DROPPED     what was accepted is given up; TLS tells the other side why, if it can
 *       | abort
 *     ABORTED     it is closed at once, by a reset if something was not sent
 *       | something is lost
 *     CUT         by a reset in any case: what came must not look complete
 *       | it was closed, or handed over
 *     ENDED
 * </pre>
 *
 * Each step may be left out, but two: only what is SHUTTING becomes SHUT, and only that becomes FINISHED.
 *
 * <p>Guarded by the connection. Allocation: none.
 */
final class ConnectionState {
    private enum Input { OPEN, PAUSED, RESUMED, ENDED }

    enum Output { OPEN, SHUTTING, SHUT, FINISHED, CLOSING, DROPPED, ABORTED, CUT, ENDED }

    private Input input = Input.OPEN;
    private Output output = Output.OPEN;

    /** Has the output end in this way, unless it has ended, or is to, in a later one. */
    void advance(Output to) {
        if (output.compareTo(to) < 0) {
            output = to;
        }
    }

    void pause() {
        if (!isAtEnd()) {
            input = Input.PAUSED;
        }
    }

    void resume() {
        if (isPaused()) {
            input = Input.RESUMED;
        }
    }

    /** The loop looks whether it is paused, between two calls of its handler. */
    void onLook() {
        if (isResumed()) {
            input = Input.OPEN;
        }
    }

    /** The other side sends no more. Whether nothing is to be sent either, so that nothing can happen any more. */
    boolean endInput() {
        input = Input.ENDED;
        return isShuttingDown() || output == Output.SHUT;
    }

    /** All that was accepted was ordered, and the other side is told that no more comes. */
    void onShut() {
        if (isShuttingDown()) {
            advance(isAtEnd() ? Output.FINISHED : Output.SHUT);
        }
    }

    boolean isAccepting() {
        return output == Output.OPEN;
    }

    /** Its output is to be shut down, and was not yet. */
    boolean isShuttingDown() {
        return output == Output.SHUTTING;
    }

    /** It is not to be closed, as far as is known. */
    boolean isOpen() {
        return output.compareTo(Output.FINISHED) < 0;
    }

    boolean isFinished() {
        return output == Output.FINISHED;
    }

    boolean isDropped() {
        return output == Output.DROPPED;
    }

    boolean isAborted() {
        return output == Output.ABORTED || isCut();
    }

    boolean isCut() {
        return output == Output.CUT;
    }

    boolean hasEnded() {
        return output == Output.ENDED;
    }

    boolean isPaused() {
        return input == Input.PAUSED;
    }

    /** It was paused, and is no more, and the loop has not looked since. */
    boolean isResumed() {
        return input == Input.RESUMED;
    }

    boolean isAtEnd() {
        return input == Input.ENDED;
    }

    /** For messages of tests. */
    @Override
    public String toString() {
        return "input " + input + ", output " + output;
    }
}
