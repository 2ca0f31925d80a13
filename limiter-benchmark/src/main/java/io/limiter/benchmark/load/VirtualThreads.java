package io.limiter.benchmark.load;

import java.util.concurrent.ThreadFactory;

/** Virtual threads, by reflection, since this is compiled for Java 17. */
public final class VirtualThreads {

    private VirtualThreads() {}

    public static boolean areThere() {
        return Runtime.version().feature() >= 21;
    }

    /**
     * Makes virtual threads.
     *
     * @throws IllegalStateException if this JVM has none
     */
    public static ThreadFactory factory() {
        try {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            return (ThreadFactory) Class.forName("java.lang.Thread$Builder")
                    .getMethod("factory")
                    .invoke(builder);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(
                    "virtual threads need Java 21, this is " + Runtime.version().feature(), e);
        }
    }
}
