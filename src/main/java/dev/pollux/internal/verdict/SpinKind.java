// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.verdict;

/** Why a key is ready again and again, and what to do about it. Loaded when the first spin is found. */
public enum SpinKind {
    LEFT_SELECTED("the key was left in the set of selected keys",
            "Handle it and remove it from selectedKeys() after each selection"),
    WRITE_INTEREST("interest in writing was left on",
            "Take OP_WRITE away when everything is written, and ask for it when a write is incomplete"),
    CONNECT_INTEREST("interest in connecting was left on",
            "Call finishConnect(), then take OP_CONNECT away"),
    END_OF_STREAM("the stream has ended, or there is no connection",
            "Close the channel or take OP_READ away when read() returns -1 or throws"),
    DATA_NOT_READ("data has arrived that is not read",
            "Read it, or take OP_READ away until it can be read"),
    REGISTERED_AGAIN("the channel is registered again and again, and what it is ready for is not done",
            "Keep the key and change its interest, and register the channel when it can be read or written"),
    NOT_ACCEPTED("connections have arrived that are not accepted",
            "Accept them, or take OP_ACCEPT away until they can be accepted"),
    DESCRIPTOR_LIMIT("accept fails, since no descriptor is left",
            "Close what is not needed, raise the limit (ulimit -n), and take OP_ACCEPT away for a while when accept "
                    + "fails");

    private final String cause;
    private final String advice;

    SpinKind(String cause, String advice) {
        this.cause = cause;
        this.advice = advice;
    }

    public String cause() {
        return cause;
    }

    /** {@return what to do, in a sentence without a full stop} */
    public String advice() {
        return advice;
    }
}
