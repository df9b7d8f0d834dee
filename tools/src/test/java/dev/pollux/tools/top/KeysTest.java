// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.top;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.StringReader;
import org.junit.jupiter.api.Test;

class KeysTest {
    /** {@return what has been pressed if this was sent} */
    private static String pressed(String sent, boolean areLines) throws InterruptedException {
        Keys keys = new Keys(new StringReader(sent), areLines);
        keys.read();
        StringBuilder all = new StringBuilder();
        for (char key = keys.await(System.nanoTime()); key != Keys.NONE; key = keys.await(System.nanoTime())) {
            all.append(key);
        }
        return all.toString();
    }

    @Test
    void arrowsAreOneKeyEach() throws Exception {
        assertEquals("a" + Keys.UP + Keys.DOWN + Keys.LEFT + 'q' + Keys.RIGHT,
                pressed("a\033[A\033OB\033[1;5Dq\033[C", false));
    }

    @Test
    void enterIsOneKeyWhateverTheTerminalSends() throws Exception {
        assertEquals("s" + Keys.ENTER + Keys.ENTER, pressed("s\r\n", false));
    }

    @Test
    void whatFollowsEscapeIsAKeyOfItsOwn() throws Exception {
        assertEquals(Keys.ESCAPE + "q", pressed("\033q", false));
    }

    @Test
    void otherSequencesMeanNothing() throws Exception {
        Keys keys = new Keys(new StringReader("\033[15~x"), false);
        keys.read();
        View view = new View(false, false);
        view.press(keys.await(System.nanoTime()));
        assertEquals('x', keys.await(System.nanoTime()));
    }

    @Test
    void aLineIsItsKeysAndEnterEndsATextOnly() throws Exception {
        assertEquals("sq/io" + Keys.ENTER + 'r', pressed("s\n q \n\n/io\nr\n", true));
    }
}
