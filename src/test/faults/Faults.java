// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Has the kernel refuse the registration of one connection in a hundred to five unmodified servers: does everybody else
 * get served, what becomes of the refused one? Linux only; the servers come from micro. Arguments: the provider's class
 * or {@code jdk}; the servers and the errors, both separated by commas. Logs are left in target/faults.
 */
public final class Faults {
    private static final int CONNECTIONS = 300;
    private static final int ROUNDS = 20;
    private static final int LATER = 20;
    private static final int PATIENCE_SECONDS = 10;
    private static final int WATCHED_MILLIS = 2000;

    /** A selector that spins waits ten thousand times in this time, under strace too; a server's timers ten times. */
    private static final int MAX_WAITS = 500;

    private final Checks checks = new Checks();

    private Faults() {
    }

    public static void main(String[] args) throws Exception {
        Path out = Files.createDirectories(Path.of("target/faults"));
        // A build in the meantime changes nothing.
        Files.copy(Build.jar("."), out.resolve("pollux.jar"), StandardCopyOption.REPLACE_EXISTING);
        Command.of("cc", "-std=c11", "-D_GNU_SOURCE", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-o",
                out.resolve("refuse"), "src/test/faults/refuse.c").output();
        Faults faults = new Faults();
        String named = args.length > 0 ? args[0] : "dev.pollux.EPollSelectorProvider";
        String provider = named.equals("jdk") ? null : named;
        for (String server : (args.length > 1 ? args[1] : "httpserver,netty,jetty,tomcat,undertow").split(",")) {
            for (String error : (args.length > 2 ? args[2] : "ENOSPC,ENOMEM,EPERM").split(",")) {
                try (Server victim = Server.start(server, error, provider, out)) {
                    System.out.println(server + ", " + error);
                    faults.examine(victim);
                }
            }
        }
        faults.checks.finish();
    }

    private void examine(Server server) throws IOException, InterruptedException {
        awaitStart(server);
        List<Client> all = connect(server, CONNECTIONS);
        Set<Integer> ports = server.refusedPorts();
        Map<Boolean, List<Client>> byRefusal =
                all.stream().collect(Collectors.partitioningBy(client -> ports.contains(client.port())));
        for (int i = 0; i < ROUNDS; i++) {
            exchange(all);
        }
        List<Client> refused = byRefusal.get(true);
        check(all(byRefusal.get(false), Client.Fate.OPEN), "others " + fates(byRefusal.get(false)));
        waits(server);
        for (Client client : refused) {
            exchange(List.of(client)); // nothing else happens now that could make the server look at it
        }
        check(!refused.isEmpty() && !has(refused, Client.Fate.HUNG),
                "refused " + fates(refused) + "; the log says: " + server.reported());
        List<Client> later = connect(server, LATER);
        exchange(later);
        check(!has(later, Client.Fate.HUNG) && has(later, Client.Fate.OPEN), "later " + fates(later));
        all.addAll(later);
        for (Client client : all) {
            client.close();
        }
    }

    private static void awaitStart(Server server) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (true) {
            try (Client probe = new Client(server.port)) {
                exchange(List.of(probe));
                return;
            } catch (IOException e) {
                if (!server.isAlive() || System.nanoTime() > deadline) {
                    throw new IllegalStateException("the server does not start: see its log", e);
                }
                Thread.sleep(50);
            }
        }
    }

    private static List<Client> connect(Server server, int count) throws IOException {
        List<Client> clients = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            clients.add(new Client(server.port));
        }
        exchange(clients);
        return clients;
    }

    private static void exchange(Collection<Client> clients) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        clients.forEach(Client::send);
        clients.forEach(client -> client.receive(deadline));
    }

    private void waits(Server server) throws IOException, InterruptedException {
        long waits = server.waits(WATCHED_MILLIS);
        if (waits < 0) {
            checks.skip("strace is not permitted here");
        } else {
            check(waits < MAX_WAITS, waits + " waits in " + WATCHED_MILLIS + " ms without requests");
        }
    }

    private static boolean all(Collection<Client> clients, Client.Fate fate) {
        return clients.stream().allMatch(client -> client.fate() == fate);
    }

    private static boolean has(Collection<Client> clients, Client.Fate fate) {
        return clients.stream().anyMatch(client -> client.fate() == fate);
    }

    private static Map<Client.Fate, Long> fates(Collection<Client> clients) {
        return clients.stream().collect(
                Collectors.groupingBy(Client::fate, () -> new EnumMap<>(Client.Fate.class), Collectors.counting()));
    }

    private void check(boolean good, String what) {
        checks.check(what, () -> Checks.expect(good, "it is not so"));
    }
}
