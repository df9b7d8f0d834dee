// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.apps.server;

import com.sun.management.ThreadMXBean;
import dev.pollux.micro.servers.Protocol;
import dev.pollux.micro.servers.SelectorServer;
import dev.pollux.micro.servers.SocketServer;
import dev.pollux.micro.servers.Way;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryType;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
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
            case "tomcat" -> Frameworks.tomcat();
            case "undertow" -> Frameworks.undertow();
            case "vertx" -> Frameworks.vertx();
            case "nio" -> new SelectorServer(Protocol.HTTP, false);
            case "nio-interest" -> new SelectorServer(Protocol.HTTP, true);
            case "threads" -> SocketServer.platform(Protocol.HTTP);
            case "virtual" -> SocketServer.virtual(Protocol.HTTP);
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

    /** What this virtual machine has allocated, and what is in use in its heap. Not thread-safe. */
    private static final class Memory {
        private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        private Map<Long, Long> last = new HashMap<>();

        /**
         * Bytes that all threads but the asking one have allocated since the last question, as each thread's own
         * counter has it, and how many threads ended meanwhile: what those allocated is lost.
         */
        String allocated() {
            long[] ids = threads.getAllThreadIds();
            long[] bytes = threads.getThreadAllocatedBytes(ids);
            Map<Long, Long> now = new HashMap<>();
            long sum = 0;
            for (int i = 0; i < ids.length; i++) {
                if (ids[i] == Thread.currentThread().getId() || bytes[i] < 0) {
                    continue;
                }
                now.put(ids[i], bytes[i]);
                sum += bytes[i] - last.getOrDefault(ids[i], 0L);
            }
            long ended = last.keySet().stream().filter(id -> !now.containsKey(id)).count();
            last = now;
            return sum + " " + ended;
        }

        /** Bytes in use after a collection, which it asks for. */
        long inUse() {
            // Twice: what a first collection finds unreachable may have a cleaner, and goes with the second.
            System.gc();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
            System.gc();
            // As the collector left it: what is in use now includes the buffers that threads have been given since.
            return ManagementFactory.getMemoryPoolMXBeans().stream().filter(pool -> pool.getType() == MemoryType.HEAP)
                    .mapToLong(pool -> pool.getCollectionUsage().getUsed()).sum();
        }
    }
}
