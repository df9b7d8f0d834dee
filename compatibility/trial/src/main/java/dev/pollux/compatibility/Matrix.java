// SPDX-License-Identifier: Apache-2.0
package dev.pollux.compatibility;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Runs trials, each in a virtual machine of its own, one after the other. What fails is run again with the JDK's own
 * selectors: if that fails too, Pollux is not the cause.
 *
 * <p>Arguments: Pollux's jar, the page to write or {@code -}, the runtimes as {@code 25.0.3=/path/of/java} separated by
 * commas, the folders of the modules. The last line is "N passed, N failed, N skipped".
 */
final class Matrix {
    private static final int MINUTES = 3;

    private final Path pollux;
    private final List<Machine> machines = new ArrayList<>();
    private final List<Module> modules = new ArrayList<>();
    private final Map<String, Cell> cells = new TreeMap<>();

    private Matrix(Path pollux) {
        this.pollux = pollux;
    }

    /** A trial's outcome, and that of the control, which is null if it was not needed. */
    record Cell(Outcome outcome, Outcome control) {
        boolean isOurFault() {
            return !outcome.isFine() && control.isFine();
        }
    }

    public static void main(String[] arguments) throws Exception {
        Matrix matrix = new Matrix(Path.of(arguments[0]));
        for (String machine : arguments[2].split(",")) {
            matrix.machines.add(Machine.parse(machine));
        }
        for (String folder : List.of(arguments).subList(3, arguments.length)) {
            matrix.modules.add(Module.in(Path.of(folder)));
        }
        System.exit(matrix.run(arguments[1]) ? 0 : 1);
    }

    static String key(Module module, Machine machine) {
        return module.name() + " on " + machine.version();
    }

    /** The page is written after each machine, so that a run that is stopped has not been in vain. */
    private boolean run(String page) throws IOException, InterruptedException {
        for (Machine machine : machines) {
            for (Module module : modules) {
                Outcome outcome = outcome(module, machine, pollux);
                Cell cell = new Cell(outcome, outcome.isFine() ? null : outcome(module, machine, null));
                cells.put(key(module, machine), cell);
                System.out.println(key(module, machine) + ": " + described(cell));
            }
            if (!page.equals("-")) {
                List<Machine> tried = new ArrayList<>(machines.subList(0, machines.indexOf(machine) + 1));
                tried.sort(Comparator.comparingInt(Machine::feature));
                Files.writeString(Path.of(page), new Page(tried, modules, cells).text());
            }
        }
        long fine = cells.values().stream().filter(cell -> cell.outcome().isFine()).count();
        long ours = cells.values().stream().filter(Cell::isOurFault).count();
        System.out.println(fine + " passed, " + ours + " failed, " + (cells.size() - fine - ours) + " skipped");
        return ours == 0 && fine != 0;
    }

    private static String described(Cell cell) {
        if (cell.outcome().isFine()) {
            Outcome fine = cell.outcome();
            return "ok, " + fine.answers() + " answers, selectors: " + fine.selectors() + ", selections: "
                    + fine.selections() + (fine.daemons().isEmpty() ? "" : ", daemons left: " + fine.daemons());
        }
        return (cell.isOurFault() ? "FAILED: " : "fails on the JDK's selectors too: ") + cell.outcome().fault()
                + "; the control: " + (cell.control().isFine() ? "ok" : cell.control().fault());
    }

    private static Outcome outcome(Module module, Machine machine, Path pollux)
            throws IOException, InterruptedException {
        Path logs = Files.createDirectories(module.folder().resolve("target/logs"));
        String run = machine.version() + (pollux == null ? "-control" : "");
        File log = logs.resolve(run + ".log").toFile();
        File out = logs.resolve(run + ".out").toFile();
        ProcessBuilder builder = new ProcessBuilder(module.command(machine, pollux)).redirectError(log)
                .redirectOutput(out).directory(Files.createTempDirectory("trial").toFile());
        builder.environment().put("JAVA_TOOL_OPTIONS", module.toolOptions(pollux));
        Process process = builder.start();
        if (!process.waitFor(MINUTES, TimeUnit.MINUTES)) {
            process.destroyForcibly().waitFor();
            return Outcome.failed("the virtual machine had not ended after " + MINUTES + " minutes");
        }
        if (process.exitValue() != 0) {
            return Outcome.failed("exit status " + process.exitValue() + ": " + lastException(log));
        }
        for (String line : Files.readAllLines(out.toPath())) {
            if (line.startsWith("{\"answers\"")) {
                return Outcome.of(line, pollux != null);
            }
        }
        return Outcome.failed("no line of JSON");
    }

    /** The deepest cause in a log, or an empty string. */
    private static String lastException(File log) throws IOException {
        String last = "";
        for (String line : Files.readAllLines(log.toPath())) {
            last = line.matches("(Caused by: )?[\\w.$]+(Exception|Error)(: .*)?") ? line : last;
        }
        return last.replaceFirst("^Caused by: ", "");
    }
}
