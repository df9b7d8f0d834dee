// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.harness;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/** Flushes when nothing more is there to read. */
public abstract class FlushingHandler extends ChannelInboundHandlerAdapter {
    @Override
    public final void channelReadComplete(ChannelHandlerContext context) {
        context.flush();
    }

    /** A reset: peers close that way. */
    @Override
    public final void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }
}
