// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.handout;

/** The ways of being given what is ready. */
enum Way {
    /** A handler is given one member at a time. */
    ONE("one at a time"),

    /** A thread takes several into arrays, and holds them until it has dealt with each. */
    BATCH("batch");

    private final String label;

    Way(String label) {
        this.label = label;
    }

    String label() {
        return label;
    }
}
