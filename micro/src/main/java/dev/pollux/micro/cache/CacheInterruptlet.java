// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.cache;

import dev.pollux.server.ConnectionHandler;
import dev.pollux.server.Exchange;
import dev.pollux.server.Reply;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;

/**
 * Answers requests for pages of a cache on the thread that received them. The rest takes the slow path, in one of two
 * ways: request by request, answered later by an executor's thread; or with the connection, which leaves this server.
 * For one loop.
 */
public final class CacheInterruptlet implements ConnectionHandler {
    private final RequestHead head = new RequestHead();
    private final Site site;
    private final PageCache cache;

    /** Null: the whole connection takes the slow path. */
    private final Executor executor;

    private CacheInterruptlet(Site site, PageCache cache, Executor executor) {
        this.site = site;
        this.cache = cache;
        this.executor = executor;
    }

    /** One whose slow path is an executor's thread. */
    public static ConnectionHandler deferring(Site site, Executor executor) {
        return new CacheInterruptlet(site, site.cache(), executor);
    }

    /** One whose slow path takes the connection, and fills this cache. */
    static ConnectionHandler handingOver(Site site, PageCache cache) {
        return new CacheInterruptlet(site, cache, null);
    }

    @Override
    public void onData(ByteBuffer data, Exchange exchange) {
        switch (head.parse(data)) {
            case INCOMPLETE -> exchange.awaitMore();
            case MALFORMED -> refuse(data, exchange, 400);
            case PAGE -> page(data, exchange);
            case OTHER -> leave(data, exchange);
        }
    }

    private static void refuse(ByteBuffer data, Exchange exchange, int status) {
        data.position(data.limit());
        exchange.send(Page.of(status).reply(false, false, true));
        exchange.close();
    }

    private void page(ByteBuffer data, Exchange exchange) {
        Page page = cache.find(data, head.pathStart(), head.pathEnd);
        if (page == null) {
            leave(data, exchange);
            return;
        }
        boolean isKnown = page.isNamed(data, head.matchStart, head.matchEnd);
        exchange.send(page.reply(head.isHead, isKnown, head.closes()));
        if (head.closes()) {
            exchange.close();
        }
        data.position(head.end);
    }

    /** Takes the slow path, with the request or the connection. */
    private void leave(ByteBuffer data, Exchange exchange) {
        if (executor == null) {
            exchange.handOver();
        } else {
            defer(data, exchange);
        }
    }

    private void defer(ByteBuffer data, Exchange exchange) {
        int status = head.isEncoded ? 501 : head.expects ? 417
                : head.contentLength() > CacheServers.LONGEST_BODY ? 413 : 0;
        int end = head.end + (int) head.contentLength();
        if (status != 0) {
            refuse(data, exchange, status);
        } else if (end > data.limit()) {
            exchange.awaitMore();
        } else {
            Request request = Request.of(head, data);
            data.position(end);
            Reply reply = exchange.defer();
            executor.execute(() -> answer(request, reply));
        }
    }

    private void answer(Request request, Reply reply) {
        ByteBuffer bytes = request.reply(site.answer(request, cache));
        if (request.closes()) {
            reply.sendAndClose(bytes);
        } else {
            reply.send(bytes);
        }
    }
}
