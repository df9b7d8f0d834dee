// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.apps.server;

import dev.pollux.micro.harness.VirtualThreads;
import dev.pollux.micro.servers.Protocol;
import dev.pollux.micro.servers.SelectorServer;
import dev.pollux.micro.servers.Way;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import org.eclipse.jetty.util.thread.Invocable.InvocationType;

/**
 * The entry point of a server's virtual machine: arguments are the server's name and its port. Answers each line on
 * standard input with one on standard output: {@code version}, {@code bytes} (allocated since the last question, and
 * how many threads ended meanwhile), {@code heap} (bytes in use after a collection), {@code calls} (the native methods
 * that Pollux has replaced). Ends with standard input.
 */
public final class Main {
    private Main() {
    }

    public static void main(String[] args) throws Exception {
        PrintStream answers = System.out;
        System.setOut(System.err);
        Application application = application(args[0]);
        Thread probe = new Thread(() -> answer(application, answers), "probe");
        probe.setDaemon(true);
        probe.start();
        application.start(Integer.parseInt(args[1]));
        // Tomcat's threads are all daemons.
        probe.join();
    }

    private static Application application(String name) throws IOException, ReflectiveOperationException {
        return switch (name) {
            case "httpserver" -> new JdkApplication();
            case "netty" -> Frameworks.nettyExample();
            case "netty-http" -> Frameworks.netty();
            case "jetty" -> Frameworks.jetty(InvocationType.BLOCKING);
            case "jetty-non-blocking" -> Frameworks.jetty(InvocationType.NON_BLOCKING);
            case "jetty-blocking" -> Frameworks.blockingJetty();
            case "tomcat" -> Frameworks.tomcat();
            case "undertow" -> Frameworks.undertow();
            case "vertx" -> Frameworks.vertx();
            case "nio" -> new SelectorServer(Protocol.HTTP, false);
            case "nio-interest" -> new SelectorServer(Protocol.HTTP, true);
            case "threads" -> new SocketApplication(work -> new Thread(work).start());
            case "virtual" -> new SocketApplication(VirtualThreads::start);
            case "helidon" -> compiledByScript("HelidonApplication");
            case "kafka" -> compiledByScript("KafkaApplication");
            default -> Way.application(name);
        };
    }

    private static Application compiledByScript(String type) throws ReflectiveOperationException {
        return (Application) Class.forName(Main.class.getPackageName() + '.' + type).getDeclaredConstructor()
                .newInstance();
    }

    private static void answer(Application application, PrintStream answers) {
        Memory memory = new Memory();
        BufferedReader questions = new BufferedReader(new InputStreamReader(System.in));
        try {
            for (String line; (line = questions.readLine()) != null; ) {
                answers.println(switch (line) {
                    case "version" -> application.version();
                    case "bytes" -> memory.allocated();
                    case "heap" -> memory.inUse();
                    case "calls" -> System.getProperty("dev.pollux.calls.replaced", "");
                    default -> throw new IllegalArgumentException(line);
                });
            }
        } catch (IOException e) {
            e.printStackTrace();
        }
        System.exit(0);
    }
}
