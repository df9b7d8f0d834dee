// SPDX-License-Identifier: Apache-2.0
package dev.pollux.compatibility.framework;

import dev.pollux.compatibility.Framework;
import dev.pollux.compatibility.Trial;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** gRPC over Netty's NIO transport: its server and eight of its clients, on channels of their own. */
public final class Main implements Framework {
    private static final int CLIENTS = 8;
    private static final int CALLS = 400;
    private static final int SMALL = 500;
    private static final int BIG = 1 << 20;
    private static final int BIG_EVERY = 100;

    private static final MethodDescriptor<byte[], byte[]> ECHO = MethodDescriptor
            .newBuilder(new Bytes(), new Bytes()).setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName("pollux.Trial/Echo").build();

    @SuppressWarnings("deprecation") // this version of gRPC is made for Netty 4.1
    private final EventLoopGroup group = new NioEventLoopGroup(4);
    private Server server;

    public static void main(String[] arguments) {
        Trial.run(new Main());
    }

    @Override
    public void start() throws IOException {
        server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0))
                .channelType(NioServerSocketChannel.class).bossEventLoopGroup(group).workerEventLoopGroup(group)
                .addService(ServerServiceDefinition.builder("pollux.Trial")
                        .addMethod(ECHO, ServerCalls.asyncUnaryCall((request, answer) -> {
                            answer.onNext(request);
                            answer.onCompleted();
                        })).build())
                .build().start();
    }

    @Override
    public long drive() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
        try {
            List<Future<Long>> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(threads.submit(this::call));
            }
            long answers = 0;
            for (Future<Long> client : clients) {
                answers += client.get();
            }
            return answers;
        } finally {
            threads.shutdownNow();
        }
    }

    private long call() throws Exception {
        ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", server.getPort()).usePlaintext()
                .channelType(NioSocketChannel.class).eventLoopGroup(group).build();
        try {
            for (int i = 0; i < CALLS; i++) {
                byte[] request = new byte[i % BIG_EVERY == 0 ? BIG : SMALL];
                new Random(i).nextBytes(request);
                byte[] answer = ClientCalls.blockingUnaryCall(channel, ECHO, CallOptions.DEFAULT, request);
                if (!Arrays.equals(request, answer)) {
                    throw new IOException("another answer");
                }
            }
            return CALLS;
        } finally {
            channel.shutdown().awaitTermination(30, TimeUnit.SECONDS);
        }
    }

    @Override
    public void stop() throws Exception {
        server.shutdown().awaitTermination(30, TimeUnit.SECONDS);
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
        GlobalEventExecutor.INSTANCE.awaitInactivity(10, TimeUnit.SECONDS);
    }

    /** A message that is nothing but bytes. */
    private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
