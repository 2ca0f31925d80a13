package io.limiter.faults.process;

import java.io.IOException;

/** Signals to processes. */
final class Signals {

    private Signals() {}

    static void send(long processId, String name) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(processId))
                .redirectErrorStream(true)
                .start();
        if (kill.waitFor() != 0) {
            throw new IOException("kill -" + name + " " + processId + " has failed: "
                    + new String(kill.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8));
        }
    }
}
