// SPDX-License-Identifier: Apache-2.0
import java.util.concurrent.FutureTask;

/** What the programs here do at once, each in a thread of its own. The first failure ends the virtual machine. */
final class Tasks {
    private Tasks() {
    }

    interface Work {
        void run() throws Exception;
    }

    static FutureTask<Void> start(Work work) {
        FutureTask<Void> task = new FutureTask<>(() -> {
            try {
                work.run();
            } catch (Throwable e) {
                e.printStackTrace();
                System.exit(1); // the others would wait for ever
            }
            return null;
        });
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
        return task;
    }
}
