// SPDX-License-Identifier: Apache-2.0
package dev.pollux.compatibility;

import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The page that shows users what was tried. */
final class Page {
    private static final int WIDTH = 120;
    private static final String HEAD = """
            <!-- SPDX-License-Identifier: Apache-2.0 -->
            <!-- Written by Compatibility.java. Change that instead. -->
            # Frameworks on Pollux

            Each framework below is as its authors published it. `src/test/run.sh compatibility` starts it with Pollux
            as the default provider, and clients of its protocol use it over loopback. A trial passes if every answer is
            right, small and big ones, on connections that stay and on others that clients close, half-close or reset;
            if all selectors in the virtual machine are Pollux's; and if after the framework's own shutdown no selector
            is open, and the machine ends by itself with status 0.

            A cell with two numbers says that the trial passed: the number of right answers, and that of selectors. What
            fails runs once more with the JDK's own selectors: if it fails there too, the cell says so.

            """;

    private final List<Machine> machines;
    private final List<Module> modules;
    private final Map<String, Matrix.Cell> cells;
    private final List<String> failures = new ArrayList<>();

    Page(List<Machine> machines, List<Module> modules, Map<String, Matrix.Cell> cells) {
        this.machines = machines;
        this.modules = modules;
        this.cells = cells;
    }

    String text() {
        StringBuilder page = new StringBuilder(HEAD);
        page.append("Run on ").append(LocalDate.now(ZoneOffset.UTC)).append(", on ")
                .append(System.getProperty("os.name")).append(' ').append(System.getProperty("os.arch"))
                .append(". `compatibility/pom.xml` has the versions.\n\n");
        page.append("| framework | version | what is tried |").append(machines.stream()
                .map(machine -> " JDK " + machine.version() + " |").collect(Collectors.joining())).append('\n');
        page.append("|---|---|---|").append("---|".repeat(machines.size())).append('\n');
        for (Module module : modules) {
            page.append(row(module)).append('\n');
        }
        page.append(notes());
        return page.toString();
    }

    private String row(Module module) {
        StringBuilder row = new StringBuilder("| " + module.title() + " | " + module.version() + " | " + module.load()
                + " |");
        for (Machine machine : machines) {
            row.append(' ').append(cell(module, machine)).append(" |");
        }
        return row.toString();
    }

    private String cell(Module module, Machine machine) {
        Matrix.Cell cell = cells.get(Matrix.key(module, machine));
        Outcome outcome = cell.outcome();
        if (outcome.isFine()) {
            return outcome.answers() + "/" + outcome.selectors();
        }
        failures.add(module.title() + " on JDK " + machine.version() + ": " + outcome.fault() + ".");
        return cell.isOurFault() ? "**no**" : "no, nor on the JDK's selectors";
    }

    private String notes() {
        return section("What failed", failures) + section("Notes", remarks());
    }

    private List<String> remarks() {
        List<String> remarks = new ArrayList<>();
        for (Module module : modules) {
            if (!module.note().isEmpty()) {
                remarks.add(module.title() + ": " + module.note());
            }
            Set<String> daemons = new TreeSet<>();
            for (Machine machine : machines) {
                daemons.add(cells.get(Matrix.key(module, machine)).outcome().daemons());
            }
            daemons.remove("");
            daemons.forEach(names -> remarks.add(module.title() + ": its shutdown leaves daemon threads: " + names
                    + "."));
        }
        return remarks;
    }

    private static String section(String title, List<String> items) {
        return items.isEmpty() ? "" : "\n## " + title + "\n\n"
                + items.stream().map(Page::bullet).collect(Collectors.joining());
    }

    /** In lines that are as wide as those of all pages. */
    private static String bullet(String item) {
        StringBuilder text = new StringBuilder("*");
        int column = 1;
        for (String word : item.split(" ")) {
            boolean isFull = column + 1 + word.length() > WIDTH;
            text.append(isFull ? "\n  " : " ").append(word);
            column = (isFull ? 2 : column + 1) + word.length();
        }
        return text.append('\n').toString();
    }
}
