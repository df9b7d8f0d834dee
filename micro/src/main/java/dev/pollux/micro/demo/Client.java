// SPDX-License-Identifier: Apache-2.0
package dev.pollux.micro.demo;

import dev.pollux.micro.apps.server.Application;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The client's virtual machine: keeps a fixed number of requests, and so of connections, in flight and checks every
 * response. It answers each line {@code run <requests>} on standard input with the number of errors and nanoseconds.
 */
final class Client {
    private static final int LIMIT_SECONDS = 120;
    private static final int ERRORS_SHOWN = 5;

    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final int connections;
    private final HttpRequest request;
    private final AtomicInteger errorsShown = new AtomicInteger();

    private Client(int port, int connections) {
        this.connections = connections;
        this.request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/")).build();
    }

    public static void main(String[] args) throws Exception {
        Client client = new Client(Integer.parseInt(args[0]), Integer.parseInt(args[1]));
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null; ) {
            System.out.println(client.run(Integer.parseInt(line.replaceFirst("^run ", ""))));
        }
        System.exit(0);
    }

    /** Sends that many requests; answers how many failed and how many nanoseconds all of them took. */
    private String run(int requests) throws InterruptedException {
        var left = new AtomicInteger(requests);
        var errors = new AtomicInteger();
        var done = new CountDownLatch(requests);
        long start = System.nanoTime();
        for (int i = 0; i < connections; i++) {
            next(left, errors, done);
        }
        if (!done.await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
            errors.addAndGet((int) done.getCount());
            System.err.println(done.getCount() + " requests unanswered after " + LIMIT_SECONDS + " s");
        }
        return errors + " " + (System.nanoTime() - start);
    }

    private void next(AtomicInteger left, AtomicInteger errors, CountDownLatch done) {
        if (left.getAndDecrement() <= 0) {
            return;
        }
        http.sendAsync(request, BodyHandlers.ofString()).whenComplete((response, failure) -> {
            if (!right(response, failure)) {
                errors.incrementAndGet();
            }
            done.countDown();
            next(left, errors, done);
        });
    }

    private boolean right(HttpResponse<String> response, Throwable failure) {
        if (failure == null && response.statusCode() == 200 && response.body().equals(Application.BODY)) {
            return true;
        }
        if (errorsShown.incrementAndGet() <= ERRORS_SHOWN) {
            System.err.println(failure != null ? failure : response + " " + response.body());
        }
        return false;
    }
}
