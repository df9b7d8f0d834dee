// SPDX-License-Identifier: Apache-2.0

/** What a suite is run on. */
enum Side {
    JDK("the JDK", ""),
    POLLUX("Pollux", "-Djava.nio.channels.spi.SelectorProvider=dev.pollux.PolluxSelectorProvider"),
    BATCH("batch=all", POLLUX.options + " -Ddev.pollux.batch=all");

    final String label;
    /** For the virtual machines of the tests. Without its provider, a machine fails each test that opens a selector. */
    final String options;

    Side(String label, String options) {
        this.label = label;
        this.options = options;
    }
}
