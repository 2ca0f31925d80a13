package io.limiter.faults.process;

/** Whether all threads of this JVM call, so that planted bugs can leave out how it starts. */
public final class Readiness {

    private static volatile boolean ready;

    private Readiness() {}

    static void ready() {
        ready = true;
    }

    public static boolean isReady() {
        return ready;
    }
}
