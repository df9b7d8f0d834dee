// SPDX-License-Identifier: Apache-2.0
package dev.pollux.lab;

/** As a framework's attachment: what it leads to is some references away, and some lead back. */
public final class Registration {
    @SuppressWarnings("unused") // read by reflection
    private final Registration self = this;
    @SuppressWarnings("unused") // read by reflection
    private final Object next;

    public Registration(Object next) {
        this.next = next;
    }
}
