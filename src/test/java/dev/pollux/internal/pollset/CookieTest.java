// SPDX-License-Identifier: Apache-2.0
package dev.pollux.internal.pollset;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Descriptor and generation come back from a cookie as they went in. */
class CookieTest {
    @ParameterizedTest
    @CsvSource({"0, 0", "3, 1", "2147483647, 1", "5, 8388607", "5, 2147483647", "5, -1", "-1, 7", "-1, -1"})
    void bothPartsComeBack(int fd, int generation) {
        long cookie = Cookie.of(fd, generation);
        assertEquals(fd, Cookie.fd(cookie));
        assertEquals(generation, Cookie.generation(cookie));
    }
}
