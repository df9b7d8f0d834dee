// SPDX-License-Identifier: Apache-2.0
package dev.pollux.loading.program;

import java.io.Closeable;
import java.io.FileInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** A limit of the process or of the virtual machine. {@link #reach} uses up what is left, {@link #leave} frees it. */
interface Limit {

    void reach() throws Exception;

    /** Frees a little, so that something else can be started, until {@link #reach} is called again. */
    void makeSomeRoom() throws Exception;

    void leave() throws Exception;

    static Limit of(String name) {
        return switch (name) {
            case "descriptors" -> new Descriptors();
            case "heap of 2 KB" -> new Heap(2);
            case "heap of 16 KB" -> new Heap(16);
            case "threads" -> new Threads();
            default -> new None();
        };
    }

    /** The end of a stack is reached by each call for itself. */
    final class None implements Limit {
        @Override
        public void reach() {
            // see the comment of the class
        }

        @Override
        public void makeSomeRoom() {
            // see the comment of the class
        }

        @Override
        public void leave() {
            // see the comment of the class
        }
    }

    /** Of {@code ulimit -n}. */
    final class Descriptors implements Limit {
        /** What a recording opens when it begins. */
        private static final int SOME = 4;

        private final List<Closeable> open = new ArrayList<>();

        @Override
        public void reach() {
            try {
                while (true) {
                    open.add(new FileInputStream("/proc/self/stat"));
                }
            } catch (IOException full) {
                return;
            }
        }

        @Override
        public void makeSomeRoom() throws IOException {
            for (int i = 0; i < SOME; i++) {
                open.remove(open.size() - 1).close();
            }
        }

        @Override
        public void leave() throws IOException {
            for (Closeable each : open) {
                each.close();
            }
            open.clear();
        }
    }

    /** Of a small {@code -Xmx}: so little of it is left that a selection works, and what takes more breaks off. */
    final class Heap implements Limit {
        private static final int BLOCK = 64 * 1024;

        /** Of 24 bytes each. */
        private static final int CRUMBS_PER_KILOBYTE = 43;

        /** A recording that begins takes about two megabytes. */
        private static final int SOME = 64;

        private final int left;
        private Object[] blocks;
        private Object[] crumbs;

        private Heap(int kilobytes) {
            left = kilobytes * CRUMBS_PER_KILOBYTE;
        }

        @Override
        public void reach() {
            try {
                while (true) {
                    Object[] block = new Object[BLOCK / Integer.BYTES];
                    block[0] = blocks;
                    blocks = block;
                }
            } catch (OutOfMemoryError full) {
                fillTheRest();
            }
        }

        private void fillTheRest() {
            try {
                while (true) {
                    Object[] crumb = new Object[1];
                    crumb[0] = crumbs;
                    crumbs = crumb;
                }
            } catch (OutOfMemoryError full) {
                for (int i = 0; i < left && crumbs != null; i++) {
                    crumbs = (Object[]) crumbs[0];
                }
            }
        }

        @Override
        public void makeSomeRoom() {
            for (int i = 0; i < SOME && blocks != null; i++) {
                blocks = (Object[]) blocks[0];
            }
        }

        @Override
        public void leave() {
            crumbs = null;
            blocks = null;
        }
    }

    /** Of {@code ulimit -v}: there is no room for one more stack. */
    final class Threads implements Limit {
        private final List<Thread> threads = new ArrayList<>();
        private CountDownLatch end = new CountDownLatch(1);

        @Override
        public void reach() {
            try {
                while (true) {
                    Thread thread = new Thread(this::await, "ballast");
                    thread.setDaemon(true);
                    thread.start();
                    threads.add(thread);
                }
            } catch (OutOfMemoryError full) {
                return;
            }
        }

        private void await() {
            try {
                end.await();
            } catch (InterruptedException e) {
                return; // a few are ended so
            }
        }

        @Override
        public void makeSomeRoom() throws InterruptedException {
            for (int i = 0; i < 2; i++) {
                Thread thread = threads.remove(threads.size() - 1);
                thread.interrupt();
                thread.join();
            }
        }

        @Override
        public void leave() throws InterruptedException {
            end.countDown();
            for (Thread thread : threads) {
                thread.join();
            }
            threads.clear();
            end = new CountDownLatch(1);
        }
    }
}
