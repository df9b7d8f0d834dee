// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.cache;

import dev.pollux.micro.harness.FlushingHandler;
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
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The site as an ordinary handler of Netty serves it: pages of the cache at once, others by an executor's thread,
 * replies in the order of the requests. One for each connection; for its event loop's thread.
 */
final class NettyPages extends FlushingHandler {
    private static final DefaultHttpHeadersFactory HEADERS =
            DefaultHttpHeadersFactory.headersFactory().withValidation(false);

    private final Function<String, Page> cache;
    private final Function<String, Page> site;
    private final Executor executor;
    private final Consumer<ChannelHandlerContext> onIdle;

    /** Requests that wait for the reply to the one before. */
    private final Queue<Request> waiting = new ArrayDeque<>();
    private boolean isBusy;

    /** The reply to what cannot be a page, else null; and whether the connection is to be closed behind the reply. */
    private record Request(String path, Page refusal, boolean closes) {
    }

    /**
     * A handler.
     *
     * @param cache answers at once, or with null
     * @param site answers in the executor's thread
     * @param onIdle called when each reply of the site has been written
     */
    NettyPages(Function<String, Page> cache, Function<String, Page> site, Executor executor,
            Consumer<ChannelHandlerContext> onIdle) {
        this.cache = cache;
        this.site = site;
        this.executor = executor;
        this.onIdle = onIdle;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        FullHttpRequest read = (FullHttpRequest) message;
        boolean isMalformed = read.decoderResult().isFailure();
        Page refusal = isMalformed ? new Page("", 400, "Bad Request\n")
                : read.method().equals(HttpMethod.GET) ? null : new Page("", 405, "Method Not Allowed\n");
        Request request = new Request(read.uri(), refusal, isMalformed || !HttpUtil.isKeepAlive(read));
        ReferenceCountUtil.release(message);
        if (isBusy) {
            waiting.add(request);
        } else {
            serve(context, request);
        }
    }

    private void serve(ChannelHandlerContext context, Request request) {
        Page page = request.refusal != null ? request.refusal : cache.apply(request.path);
        if (page != null) {
            write(context, request, page, context.voidPromise());
            return;
        }
        isBusy = true;
        executor.execute(() -> {
            Page made = site.apply(request.path);
            context.executor().execute(() -> finish(context, request, made));
        });
    }

    private void finish(ChannelHandlerContext context, Request request, Page page) {
        isBusy = false;
        ChannelPromise written = context.newPromise();
        write(context, request, page, written);
        for (Request next; !isBusy && (next = waiting.poll()) != null; ) {
            serve(context, next);
        }
        context.flush();
        if (!isBusy && !request.closes) {
            written.addListener(done -> onIdle.accept(context));
        }
    }

    private static void write(ChannelHandlerContext context, Request request, Page page, ChannelPromise promise) {
        FullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, page.status(),
                Unpooled.wrappedBuffer(page.body()), HEADERS.newHeaders(), HEADERS.newHeaders());
        response.headers().set(HttpHeaderNames.CONTENT_TYPE, HttpHeaderValues.TEXT_PLAIN)
                .set(HttpHeaderNames.CONTENT_LENGTH, page.body().remaining());
        if (request.closes) {
            response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
            context.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
        } else {
            context.write(response, promise);
        }
    }
}
