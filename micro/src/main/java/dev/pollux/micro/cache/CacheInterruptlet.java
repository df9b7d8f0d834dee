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
    public ByteBuffer handleInterrupt(ByteBuffer data, Exchange from) {
        return switch (head.parse(data)) {
            case INCOMPLETE -> MORE;
            case MALFORMED -> refuse(data, from, 400);
            case PAGE -> page(data, from);
            case OTHER -> executor == null ? null : defer(data, from);
        };
    }

    private static ByteBuffer refuse(ByteBuffer data, Exchange from, int status) {
        data.position(data.limit());
        from.close();
        return Page.of(status).reply(false, false, true);
    }

    private ByteBuffer page(ByteBuffer data, Exchange from) {
        Page page = cache.find(data, head.pathStart(), head.pathEnd);
        if (page == null) {
            return executor == null ? null : defer(data, from);
        }
        boolean isKnown = page.isNamed(data, head.fields.matchStart, head.fields.matchEnd);
        if (head.closes()) {
            from.close();
        }
        data.position(head.end);
        return page.reply(head.isHead, isKnown, head.closes());
    }

    private ByteBuffer defer(ByteBuffer data, Exchange from) {
        RequestFields fields = head.fields;
        int status = fields.isEncoded ? 501 : fields.expects ? 417
                : fields.contentLength() > CacheServers.LONGEST_BODY ? 413 : 0;
        if (status != 0) {
            return refuse(data, from, status);
        }
        int end = head.end + (int) fields.contentLength();
        if (end > data.limit()) {
            return MORE;
        }
        Request request = Request.of(head, data);
        data.position(end);
        Reply reply = from.defer();
        executor.execute(() -> answer(request, reply));
        return NONE;
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
