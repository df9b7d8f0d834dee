// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.cache;

import dev.pollux.micro.harness.FlushingHandler;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;

/**
 * The site as an ordinary handler of Netty serves it: pages of the cache at once, others by an executor's thread,
 * replies in the order of the requests. One for each connection; for its event loop's thread.
 */
class NettyPages extends FlushingHandler {
    private static final DefaultHttpHeadersFactory HEADERS =
            DefaultHttpHeadersFactory.headersFactory().withValidation(false);

    private final Site site;
    private final PageCache cache;
    private final Executor executor;

    /** Requests that wait for the reply to the one before. */
    private final Queue<Request> waiting = new ArrayDeque<>();
    private boolean isBusy;

    NettyPages(Site site, PageCache cache, Executor executor) {
        this.site = site;
        this.cache = cache;
        this.executor = executor;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        read(context, (FullHttpRequest) message);
        ReferenceCountUtil.release(message);
    }

    private void read(ChannelHandlerContext context, FullHttpRequest message) {
        if (message.decoderResult().isFailure()) {
            refuse(context);
            return;
        }
        HttpHeaders headers = message.headers();
        Request request = new Request(message.method().name(), message.uri(),
                headers.get(HttpHeaderNames.IF_NONE_MATCH), ByteBufUtil.getBytes(message.content()),
                !HttpUtil.isKeepAlive(message));
        if (isBusy) {
            waiting.add(request);
        } else {
            serve(context, request);
        }
    }

    private static void refuse(ChannelHandlerContext context) {
        context.writeAndFlush(response(new Request("GET", "", null, new byte[0], true), Page.of(400)))
                .addListener(ChannelFutureListener.CLOSE);
    }

    /** What the cache has. */
    Page cached(String path) {
        return cache.find(path);
    }

    private void serve(ChannelHandlerContext context, Request request) {
        Page page = request.isRead() ? cached(request.path()) : null;
        if (page != null) {
            write(context, request, page, context.voidPromise());
            return;
        }
        isBusy = true;
        executor.execute(() -> {
            Page made = site.answer(request, cache);
            context.executor().execute(() -> finish(context, request, made));
        });
    }

    private void finish(ChannelHandlerContext context, Request request, Page page) {
        isBusy = false;
        ChannelPromise written = context.newPromise();
        write(context, request, page, written);
        context.flush();
        for (Request next; !isBusy && (next = waiting.poll()) != null; ) {
            serve(context, next);
        }
        context.flush();
        if (!isBusy && !request.closes()) {
            written.addListener(done -> onIdle(context));
        }
    }

    /** Every reply of the slow path has been written. */
    void onIdle(ChannelHandlerContext context) {
    }

    private static void write(ChannelHandlerContext context, Request request, Page page, ChannelPromise promise) {
        if (request.closes()) {
            context.writeAndFlush(response(request, page)).addListener(ChannelFutureListener.CLOSE);
        } else {
            context.write(response(request, page), promise);
        }
    }

    private static FullHttpResponse response(Request request, Page page) {
        boolean isKnown = request.knows(page);
        HttpResponseStatus status = isKnown ? HttpResponseStatus.NOT_MODIFIED
                : HttpResponseStatus.valueOf(page.status);
        ByteBuf body = isKnown || request.isHead() ? Unpooled.EMPTY_BUFFER : Unpooled.wrappedBuffer(page.body);
        HttpHeaders headers = HEADERS.newHeaders().set(HttpHeaderNames.DATE, page.date);
        if (page.etag != null) {
            headers.set(HttpHeaderNames.ETAG, page.etag);
        }
        if (page.status == 405) {
            headers.set(HttpHeaderNames.ALLOW, "GET, HEAD, PUT");
        }
        if (!isKnown && page.status != 204) {
            headers.set(HttpHeaderNames.CONTENT_TYPE, HttpHeaderValues.TEXT_PLAIN)
                    .set(HttpHeaderNames.CONTENT_LENGTH, page.body.length);
        }
        if (request.closes()) {
            headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        }
        return new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, body, headers,
                HEADERS.newHeaders());
    }
}
