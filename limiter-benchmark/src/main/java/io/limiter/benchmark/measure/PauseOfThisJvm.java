package io.limiter.benchmark.measure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Locale;

/** Stops this process for a while as a collection of garbage would; its connections stay open. */
final class PauseOfThisJvm {

    private PauseOfThisJvm() {}

    /** Returns afterwards. */
    static void last(Duration duration) throws InterruptedException {
        long pid = ProcessHandle.current().pid();
        String command = String.format(
                Locale.ROOT, "kill -STOP %d && sleep %.3f; kill -CONT %d", pid, duration.toMillis() / 1e3, pid);
        try {
            int status =
                    new ProcessBuilder("sh", "-c", command).inheritIO().start().waitFor();
            if (status != 0) {
                throw new IllegalStateException("this JVM could not be paused: " + command);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
