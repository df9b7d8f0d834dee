// SPDX-License-Identifier: Apache-2.0
package dev.pollux.provider;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pollux.PolluxSelectorProvider;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.net.StandardProtocolFamily;
import java.nio.channels.spi.SelectorProvider;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.function.Executable;

/** A provider for a mechanism that this platform lacks opens nothing, and says what there is. */
class UnknownMechanismTest {

    @TestFactory
    Stream<DynamicTest> everyOpenFormNamesTheMechanismsThereAre() throws ReflectiveOperationException {
        SelectorProvider provider = provider("abacus");
        Pattern here = Pattern.compile("no mechanism abacus.*it has .*poll"); // every platform has poll(2), or wepoll
        StandardProtocolFamily family = StandardProtocolFamily.INET;
        Map<String, Executable> forms = Map.of(
                "selector", provider::openSelector,
                "socket", provider::openSocketChannel,
                "socket of a family", () -> provider.openSocketChannel(family),
                "server socket", provider::openServerSocketChannel,
                "server socket of a family", () -> provider.openServerSocketChannel(family),
                "datagram", provider::openDatagramChannel,
                "datagram of a family", () -> provider.openDatagramChannel(family),
                "pipe", provider::openPipe,
                "inherited channel", provider::inheritedChannel);
        return forms.entrySet().stream().map(form -> DynamicTest.dynamicTest(form.getKey(), () -> {
            String message = assertThrows(IOException.class, form.getValue()).getMessage();
            assertTrue(here.matcher(message).find(), message);
        }));
    }

    private static SelectorProvider provider(String mechanism) throws ReflectiveOperationException {
        Constructor<PolluxSelectorProvider> constructor =
                PolluxSelectorProvider.class.getDeclaredConstructor(String.class);
        constructor.setAccessible(true);
        return constructor.newInstance(mechanism);
    }
}
