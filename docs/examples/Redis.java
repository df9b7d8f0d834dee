// SPDX-License-Identifier: Apache-2.0

import dev.pollux.server.ConnectionHandler;
import dev.pollux.server.Exchange;
import dev.pollux.server.StreamServer;
import java.io.IOException;
import java.net.ProtocolException;
import java.net.SocketAddress;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** A Redis of strings. Its one loop needs no lock for them, and reads a command where it has arrived. */
final class Redis implements ConnectionHandler {
    private static final int MAX_REQUEST = 1 << 20;
    private static final int MAX_ARGUMENTS = 1000;
    private static final long NEVER = Long.MAX_VALUE;
    private static final ByteBuffer OK = line("+OK");
    private static final Map<ByteBuffer, Integer> UNITS = Map.of(bytes("EX"), 1000, bytes("PX"), 1);
    private static final Command UNKNOWN = new Command(1, MAX_ARGUMENTS, () -> line("-ERR unknown command"));
    private static final Entry NONE = new Entry(bytes(""), line("$-1"), bytes("0"), NEVER); // INCR begins at 0

    private record Command(int min, int max, Supplier<ByteBuffer> reply) { }

    // The reply is that to GET; the value is the part of it that may be overwritten; the end is in ms since 1970.
    private record Entry(ByteBuffer key, ByteBuffer reply, ByteBuffer value, long end) { }

    private final Map<ByteBuffer, Entry> entries = new HashMap<>();
    private final TreeSet<Entry> ending = new TreeSet<>(Comparator.comparingLong(Entry::end).thenComparing(Entry::key));
    private final int[] from = new int[MAX_ARGUMENTS];                      // where the command's arguments are
    private final int[] to = new int[MAX_ARGUMENTS];
    private int count;
    private ByteBuffer data;
    private final Map<ByteBuffer, Command> commands = Map.of(
            bytes("PING"), new Command(1, 2, () -> count == 1 ? line("+PONG") : bulk(argument(1))),
            bytes("ECHO"), new Command(2, 2, () -> bulk(argument(1))),
            bytes("GET"), new Command(2, 2, () -> find(1).reply),
            bytes("SET"), new Command(3, 5, this::set),
            bytes("INCR"), new Command(2, 2, () -> increment(find(1))),
            bytes("DEL"), new Command(2, MAX_ARGUMENTS, () -> countMatches(this::remove)),
            bytes("EXISTS"), new Command(2, MAX_ARGUMENTS, () -> countMatches(entry -> entry != NONE)),
            bytes("EXPIRE"), new Command(3, 3, () -> expire(find(1))),
            bytes("TTL"), new Command(2, 2, () -> timeToLive(find(1))),
            bytes("CONFIG"), new Command(3, 3, () -> line("*2\r\n$4\r\nnone\r\n$0\r\n")));       // for redis-benchmark

    static StreamServer start(SocketAddress address) throws IOException {
        return StreamServer.at(address, Redis::new).maxRequest(MAX_REQUEST).start();
    }

    public void onData(ByteBuffer received, Exchange exchange) {
        data = received;
        while (!ending.isEmpty() && ending.first().end <= System.currentTimeMillis()) {
            remove(ending.first());
        }
        try {
            parse();
            int next = data.position();
            exchange.send(reply());
            data.clear().position(next);
        } catch (BufferUnderflowException e) {
            exchange.awaitMore();
        } catch (ProtocolException e) {
            exchange.send(line("-ERR Protocol error"));
            exchange.close();
        }
    }

    private void parse() throws ProtocolException {
        count = length('*', 1, MAX_ARGUMENTS);
        for (int i = 0; i < count; i++) {
            int length = length('$', 0, MAX_REQUEST);
            from[i] = data.position();
            to[i] = from[i] + length;
            data.position(Math.min(to[i], data.limit())).getShort();        // the end of the line
        }
    }

    private int length(char mark, int min, int max) throws ProtocolException {
        int length = 0;
        boolean isValid = data.get() == mark;
        for (byte digit; isValid && (digit = data.get()) != '\r';) {
            length = length * 10 + digit - '0';
            isValid = digit >= '0' && digit <= '9' && length <= max;
        }
        if (!isValid || length < min) {
            throw new ProtocolException();
        }
        data.get();
        return length;
    }

    private ByteBuffer reply() {
        Command command = commands.getOrDefault(capitals(0), UNKNOWN);
        try {
            return count < command.min || count > command.max
                    ? line("-ERR wrong number of arguments") : command.reply.get();
        } catch (NumberFormatException | ArithmeticException e) {
            return line("-ERR value is not an integer or out of range");
        }
    }

    private ByteBuffer set() {
        Integer unit = count == 5 ? UNITS.get(capitals(3)) : null;
        if (count > 3 && unit == null) {
            return line("-ERR syntax error");
        }
        long end = unit == null ? NEVER : after(4, unit);
        put(find(1), argument(2), end);
        return OK;
    }

    private ByteBuffer increment(Entry entry) {
        long value = Math.addExact(number(entry.value), 1);
        put(entry, bytes("" + value), entry.end);
        return line(":" + value);
    }

    private ByteBuffer expire(Entry entry) {
        long end = after(2, 1000);
        if (entry != NONE) {
            put(entry, entry.value, end);
        }
        return line(entry != NONE ? ":1" : ":0");
    }

    private static ByteBuffer timeToLive(Entry entry) {
        long seconds = (entry.end - System.currentTimeMillis() + 500) / 1000;
        return line(":" + (entry == NONE ? -2 : entry.end == NEVER ? -1 : seconds));
    }

    private ByteBuffer countMatches(Predicate<Entry> condition) {
        return line(":" + IntStream.range(1, count).mapToObj(this::find).filter(condition).count());
    }

    // The data, which is this argument until the next call: a key to look up without an object.
    private ByteBuffer argument(int i) {
        return data.limit(to[i]).position(from[i]);
    }

    private ByteBuffer capitals(int argument) {
        ByteBuffer word = argument(argument);
        for (int i = word.position(); i < word.limit(); i++) {
            word.put(i, (byte) Character.toUpperCase(word.get(i)));
        }
        return word;
    }

    private Entry find(int argument) {
        return entries.getOrDefault(argument(argument), NONE);
    }

    private long after(int argument, int unit) {
        return Math.addExact(System.currentTimeMillis(), Math.multiplyExact(number(argument(argument)), unit));
    }

    // Gives the key, which is the first argument, a value: in the old one's place if that fits.
    private void put(Entry old, ByteBuffer value, long end) {
        int length = value.remaining();
        if (old != NONE && old.end == end && old.value.limit() == length) {
            old.value.put(0, value, value.position(), length);
            return;
        }
        ByteBuffer reply = bulk(value);
        ByteBuffer key = ByteBuffer.allocate(to[1] - from[1]).put(argument(1)).flip();
        Entry entry = new Entry(key, reply, reply.slice(reply.limit() - 2 - length, length), end);
        ending.remove(old);
        entries.put(key, entry);
        if (end != NEVER) {
            ending.add(entry);
        }
    }

    private boolean remove(Entry entry) {
        ending.remove(entry);
        return entries.remove(entry.key, entry);
    }

    private static ByteBuffer bulk(ByteBuffer value) {
        ByteBuffer head = line("$" + value.remaining());
        return ByteBuffer.allocate(head.limit() + value.remaining() + 2).put(head).put(value.duplicate())
                .put(line("")).flip();
    }

    private static ByteBuffer line(String text) {
        return bytes(text + "\r\n");
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    private static long number(ByteBuffer text) {
        return Long.parseLong(StandardCharsets.ISO_8859_1.decode(text.duplicate()).toString());
    }
}
