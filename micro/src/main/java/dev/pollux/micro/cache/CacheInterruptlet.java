// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.cache;

import dev.pollux.server.ConnectionHandler;
import dev.pollux.server.Exchange;
import dev.pollux.server.Reply;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.function.Function;

/**
 * Answers requests for pages of a cache on the thread that received them. Other plain requests take the slow path, in
 * one of two ways: alone, answered later by an executor's thread; or with the connection, which leaves this server. The
 * connection leaves with a request that is not plain. For one loop.
 */
final class CacheInterruptlet implements ConnectionHandler {
    private final PlainRequest request = new PlainRequest();
    private final PageCache cache;
    private final Function<String, Page> site;

    /** Null: the whole connection takes the slow path. */
    private final Executor executor;

    CacheInterruptlet(PageCache cache, Function<String, Page> site, Executor executor) {
        this.cache = cache;
        this.site = site;
        this.executor = executor;
    }

    @Override
    public void onData(ByteBuffer data, Exchange exchange) {
        int end = request.find(data);
        String path = end < 0 ? null : request.path();
        Page page = end < 0 ? null : cache.find(path);
        if (end == PlainRequest.INCOMPLETE) {
            exchange.awaitMore();
        } else if (page != null) {
            exchange.send(page.reply());
            data.position(end);
        } else if (end == PlainRequest.OTHER || executor == null) {
            exchange.handOver();
        } else {
            data.position(end);
            Reply reply = exchange.defer();
            executor.execute(() -> reply.send(site.apply(path).reply()));
        }
    }
}
