// SPDX-License-Identifier: Apache-2.0
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

/** A program that runs to its end. Standard error goes where standard output goes. Not thread-safe. */
final class Command {
    final ProcessBuilder builder;
    private String input = "";

    private Command(String... words) {
        builder = new ProcessBuilder(words).redirectErrorStream(true);
    }

    /** How a program has ended. */
    record Result(int status, String output) {
    }

    /** Each object is one word of the command line; of a list each element is. */
    static Command of(Object... words) {
        return new Command(Stream.of(words).flatMap(Command::each).map(Object::toString).toArray(String[]::new));
    }

    private static Stream<?> each(Object word) {
        return word instanceof List<?> list ? list.stream().flatMap(Command::each) : Stream.of(word);
    }

    static boolean isThere(String program) {
        return Stream.of(System.getenv("PATH").split(":")).anyMatch(folder -> new File(folder, program).canExecute());
    }

    Command with(String name, Object value) {
        builder.environment().put(name, value.toString());
        return this;
    }

    /** Comes through a pipe. */
    Command input(String text) {
        input = text;
        return this;
    }

    Command input(File file) {
        builder.redirectInput(file);
        return this;
    }

    Result result() throws IOException, InterruptedException {
        Process process = builder.start();
        try (InputStream out = process.getInputStream()) {
            send(process.getOutputStream());
            String output = new String(out.readAllBytes(), StandardCharsets.UTF_8);
            return new Result(process.waitFor(), output);
        }
    }

    /** The same; each line is printed as it comes, behind a prefix. */
    Result shown(String prefix) throws IOException, InterruptedException {
        Process process = builder.start();
        StringBuilder output = new StringBuilder();
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            send(process.getOutputStream());
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                output.append(line).append('\n');
                System.out.println(prefix + line);
            }
        }
        return new Result(process.waitFor(), output.toString());
    }

    private void send(OutputStream in) {
        try (in) {
            in.write(input.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // a program need not read what it is given
        }
    }

    /** {@return what it prints; its success is expected} */
    String output() throws IOException, InterruptedException {
        Result result = result();
        Checks.expect(result.status == 0, builder.command() + " ends with " + result.status + ":\n" + result.output);
        return result.output;
    }

    /** Expects that it fails, and prints these words. */
    void refuses(String words) throws IOException, InterruptedException {
        Result result = result();
        Checks.expect(result.status != 0, builder.command() + " succeeds:\n" + result.output);
        Checks.expect(result.output.contains(words), "expected: " + words + "\nbut it says:\n" + result.output);
    }
}
