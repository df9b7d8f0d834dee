// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools;

import static java.util.stream.Collectors.joining;

import dev.pollux.DevPollSelectorProvider;
import dev.pollux.EPollSelectorProvider;
import dev.pollux.KQueueSelectorProvider;
import dev.pollux.PollSelectorProvider;
import dev.pollux.PolluxSelectorProvider;
import dev.pollux.WEPollSelectorProvider;
import dev.pollux.tools.check.Check;
import dev.pollux.tools.compare.Compare;
import dev.pollux.tools.tool.Command;
import dev.pollux.tools.tool.Extract;
import dev.pollux.tools.top.Top;
import java.nio.channels.spi.SelectorProvider;
import java.util.List;

/** {@code java -jar pollux-tools.jar}. */
public final class Main {
    private static final List<Command> COMMANDS = List.of(Check.command(Main::provider),
            Compare.COMMAND, Extract.COMMAND, Top.COMMAND);

    private Main() {
    }

    /** A mechanism needs no class of its own; but what a check starts is on the best one without it. */
    static SelectorProvider provider(String mechanism) {
        return switch (mechanism) {
            case "epoll" -> new EPollSelectorProvider();
            case "kqueue" -> new KQueueSelectorProvider();
            case "/dev/poll" -> new DevPollSelectorProvider();
            case "wepoll" -> new WEPollSelectorProvider();
            case "poll" -> new PollSelectorProvider();
            default -> new PolluxSelectorProvider(mechanism);
        };
    }

    public static void main(String[] arguments) {
        for (Command command : COMMANDS) {
            if (arguments.length > 0 && command.name().equals(arguments[0])) {
                System.exit(command.run(List.of(arguments).subList(1, arguments.length), System.out, System.err));
            }
        }
        System.err.println("commands: " + COMMANDS.stream().map(Command::name).collect(joining(", ")));
        System.exit(Command.WRONG_COMMAND_LINE);
    }
}
