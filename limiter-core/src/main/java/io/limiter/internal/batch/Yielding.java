package io.limiter.internal.batch;

import com.google.common.base.Ticker;
import io.limiter.internal.engine.Ask;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Has threads that wait for a decision yield the processor before they park. To park a thread and to wake it costs more than
 * everything else a decision does in this JVM, and where many threads wait for the same reply, it mostly arrives while
 * they yield to each other. Safe for use by multiple threads.
 *
 * <p>A thread yields for a bounded processor time: a yield that finds no other thread to run returns at once, and counts;
 * one that lets others run counts as a microsecond. If a yield takes two milliseconds, others keep the processor busy with
 * something else, and whoever yields comes after them; then no thread yields for sixteen times as long.
 */
final class Yielding implements Consumer<Ask> {

    /** How many requests in a call are many; found by measuring: with fewer, parking is as fast. */
    private static final int MANY = 8;

    private static final long COST_NANOS = TimeUnit.MICROSECONDS.toNanos(1);
    private static final long LONG_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final int PAUSE = 16;

    private static final @Nullable MethodHandle IS_VIRTUAL = isVirtual();

    private final long mostNanos;
    private final Ticker ticker;
    private final Runnable yield;
    private volatile long notBeforeNanos;

    /** @param most the most processor time that a waiting thread yields for; 0 for none */
    Yielding(Duration most) {
        this(most, Ticker.systemTicker(), Thread::yield);
    }

    Yielding(Duration most, Ticker ticker, Runnable yield) {
        this.mostNanos = most.toNanos();
        this.ticker = ticker;
        this.yield = yield;
        this.notBeforeNanos = ticker.read();
    }

    private static @Nullable MethodHandle isVirtual() {
        try {
            return MethodHandles.lookup().findVirtual(Thread.class, "isVirtual", MethodType.methodType(boolean.class));
        } catch (NoSuchMethodException e) {
            return null; // Before JDK 21.
        } catch (IllegalAccessException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /**
     * Whether a thread should yield: if many wait, or if the reply comes within the time for which it may.
     *
     * @param requests how many shared the last call
     * @param roundTripNanos how long a call takes; 0 if that is not known yet
     */
    boolean helps(int requests, long roundTripNanos) {
        return mostNanos > 0 && (requests >= MANY || roundTripNanos > 0 && roundTripNanos <= mostNanos);
    }

    /** Yields until a decision is there, or the time is over. Virtual threads do not: to park costs them little. */
    @Override
    public void accept(Ask pending) {
        if (isVirtual(Thread.currentThread())) {
            return;
        }
        long last = ticker.read();
        if (last - notBeforeNanos < 0) {
            return;
        }
        long spent = 0;
        while (spent < mostNanos && !pending.isDone()) {
            yield.run();
            long now = ticker.read();
            if (now - last >= LONG_NANOS) {
                notBeforeNanos = now + PAUSE * (now - last);
                return;
            }
            spent += Math.min(now - last, COST_NANOS);
            last = now;
        }
    }

    private static boolean isVirtual(Thread thread) {
        try {
            return IS_VIRTUAL != null && (boolean) IS_VIRTUAL.invokeExact(thread);
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }
}
