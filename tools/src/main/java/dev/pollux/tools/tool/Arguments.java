// SPDX-License-Identifier: Apache-2.0
package dev.pollux.tools.tool;

import dev.pollux.tools.tool.Command.Option;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** The command line of a {@link Command}. Immutable. */
public final class Arguments {
    private final Command command;
    private final Map<String, String> values = new HashMap<>();

    Arguments(Command command, List<String> line) throws WrongArgumentException {
        this.command = command;
        String operand = command.operand().replaceAll("[\\[\\]]", "");
        for (Iterator<String> rest = line.iterator(); rest.hasNext();) {
            String argument = rest.next();
            if (argument.startsWith("-")) {
                Option option = command.options().stream().filter(each -> each.name().equals(argument)).findAny()
                        .orElseThrow(() -> wrong("unknown option " + argument));
                values.put(argument, option.takesValue() ? valueOf(option, rest) : "");
            } else if (operand.isEmpty()) {
                throw wrong("unexpected argument " + argument);
            } else if (has(operand)) {
                throw wrong("more than one " + operand + ": " + text(operand) + " and " + argument);
            } else {
                values.put(operand, argument);
            }
        }
        if (operand.equals(command.operand()) && !operand.isEmpty() && !has(operand)) {
            throw wrong(operand + " is missing");
        }
    }

    private String valueOf(Option option, Iterator<String> rest) throws WrongArgumentException {
        String value = rest.hasNext() ? rest.next() : "";
        if (value.isEmpty() || value.startsWith("-")) {
            throw wrong("a value is missing: " + option.form());
        }
        return value;
    }

    /** {@return whether this option or operand is there} */
    public boolean has(String name) {
        return values.containsKey(name);
    }

    /** {@return the value of this option, or the operand of this name; null if it is not there} */
    public String text(String name) {
        return values.get(name);
    }

    /** {@return the same as a number; {@code absent} if it is not there} */
    public long number(String name, long min, long max, long absent) throws WrongArgumentException {
        if (!has(name)) {
            return absent;
        }
        try {
            long value = Long.parseLong(text(name));
            if (value >= min && value <= max) {
                return value;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw wrong("wrong " + name + ": " + text(name));
    }

    private WrongArgumentException wrong(String message) {
        return new WrongArgumentException(message + System.lineSeparator() + command.usage());
    }
}
