// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.program;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;

import dev.pollux.Poller;
import dev.pollux.Poller.Member;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.DatagramChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.concurrent.Callable;

/**
 * Opens a Poller, then as many files as may be open, and calls everything of the Poller. A class that is loaded now, of
 * a folder, can't be read, and is lost to its user for ever.
 */
public final class PollAtFileLimit {
    private static final int MORE_THAN_THE_LIMIT = 1000;

    private static int lost;

    private PollAtFileLimit() {
    }

    /** Takes the mechanism; names what is lost. */
    public static void main(String[] arguments) throws Exception {
        Poller poller = Poller.open(arguments[0], 3);
        DatagramChannel[] channels = {DatagramChannel.open(), DatagramChannel.open(), DatagramChannel.open()};
        ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Deque<DatagramChannel> filling = new ArrayDeque<>();
        try {
            while (filling.size() < MORE_THAN_THE_LIMIT) {
                filling.push(DatagramChannel.open());
            }
        } catch (IOException full) {
            System.out.println(full.getMessage());
        }
        changes(poller, channels, server);
        awaits(poller);
        closing(poller, channels);
        System.out.println(lost == 0 ? "nothing is lost" : lost + " classes are lost");
    }

    private static void changes(Poller poller, DatagramChannel[] channels, ServerSocket server) throws IOException {
        Member member = poller.add(channels[0], Poller.POLLOUT, "attachment");
        call("server", () -> poller.add(server, Poller.POLLIN));
        call("find", () -> poller.find(server) + " " + poller.find(channels[0]) + poller.find(0));
        call("twice", () -> poller.add(channels[0], Poller.POLLOUT));
        call("bogus", () -> poller.add(1 << 24, Poller.POLLOUT));
        call("third", () -> poller.add(channels[1], Poller.POLLOUT));
        call("fourth", () -> poller.add(channels[2], Poller.POLLOUT));
        call("change", () -> {
            member.modify(Poller.POLLIN);
            member.disable();
            member.enable();
            member.modify(Poller.POLLOUT);
            return member.attach("other") + member.toString() + poller;
        });
        call("descriptor", poller::descriptor);
    }

    private static void awaits(Poller poller) {
        call("iteration", () -> {
            Iterator<Poller.Ready> iterator = poller.await(0, NANOSECONDS).iterator();
            return iterator.next() + " " + iterator.next().member() + iterator.hasNext();
        });
        call("end of iteration", () -> {
            Iterator<Poller.Ready> iterator = poller.await(0, NANOSECONDS).iterator();
            iterator.next();
            iterator.next();
            return iterator.next();
        });
        call("handler", () -> poller.await((ready, events) -> ready.isValid(), 0, NANOSECONDS));
        call("arrays", () -> poller.await(new int[2], new short[2], 0, NANOSECONDS));
        call("no room", () -> poller.await(new int[0], new short[0], 0, NANOSECONDS));
        call("wakeup", () -> {
            poller.wakeup();
            return poller.await(1, NANOSECONDS);
        });
        call("wait", () -> {
            poller.await((ready, events) -> ready.disable(), 0, NANOSECONDS);
            poller.await(1, NANOSECONDS);
            Thread.currentThread().interrupt();
            int n = poller.await((ready, events) -> { });
            return n + " " + Thread.interrupted();
        });
        call("two threads", () -> {
            Thread other = new Thread(() -> call("other thread", () -> poller.await(50, MILLISECONDS)));
            other.start();
            poller.await(20, MILLISECONDS);
            other.join();
            return "done";
        });
    }

    private static void closing(Poller poller, DatagramChannel[] channels) {
        call("closed member", () -> {
            Member member = poller.find(channels[1]);
            int number = member.descriptor();
            member.enable();
            channels[1].close();
            DatagramChannel next = DatagramChannel.open(); // nothing is free again
            poller.await((ready, events) -> System.out.println(ready.refusal()), 0, NANOSECONDS);
            member.remove();
            return number + " " + next;
        });
        call("closed", () -> {
            poller.close();
            return poller + " " + poller.isOpen();
        });
        call("await when closed", () -> poller.await(0, NANOSECONDS));
        call("use when closed", poller::size);
    }

    private static void call(String name, Callable<Object> call) {
        try {
            System.out.println(name + ": " + call.call());
        } catch (LinkageError e) {
            lost++;
            System.out.println(name + " lost " + e);
        } catch (Exception e) {
            System.out.println(name + ": " + e);
        }
    }
}
