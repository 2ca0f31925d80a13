package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.Uninterruptibles;
import io.limiter.RateLimiter;
import java.lang.reflect.InvocationTargetException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A thousand callers that wait at a time: virtual threads where the JVM has them, none of which holds on to the thread
 * that carries it; otherwise threads of the platform.
 */
@Tag("threads")
class ManyThreadsTest {

    private static final int CALLERS = 1000;
    private static final String PINNED = "jdk.VirtualThreadPinned";

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    @Test
    void a_thousand_concurrent_callers_are_decided() {
        // Connects and loads classes, which may well hold on to a thread.
        assertThat(granted("before")).isEqualTo(900);
        AtomicInteger granted = new AtomicInteger();
        assertThat(recordPinned(() -> granted.set(granted("k")))).isEmpty();
        assertThat(granted).hasValue(900);
    }

    /** How many of the callers are granted a permit. */
    private int granted(String name) {
        RateLimiter limiter = redis.withoutRejectionCache().build(name, 1, 900, 60);
        AtomicInteger granted = new AtomicInteger();
        CountDownLatch started = new CountDownLatch(CALLERS);
        CountDownLatch done = new CountDownLatch(CALLERS);
        RedisFixture.whileItIsBusy(() -> {
            for (int i = 0; i < CALLERS; i++) {
                startThread(() -> {
                    started.countDown();
                    try {
                        if (limiter.tryAcquire()) {
                            granted.incrementAndGet();
                        }
                    } finally {
                        done.countDown();
                    }
                });
            }
            return awaitQuietly(started);
        });
        awaitQuietly(done);
        return granted.get();
    }

    /** The stacks of virtual threads that were pinned in this project's code during the test. */
    private static List<String> recordPinned(Runnable work) {
        List<String> pinned = new CopyOnWriteArrayList<>();
        try (RecordingStream events = new RecordingStream()) {
            events.enable(PINNED).withoutThreshold().withStackTrace();
            events.onEvent(PINNED, event -> pinned.add(stack(event)));
            events.startAsync();
            work.run();
            stop(events);
        }
        pinned.removeIf(stack -> !stack.contains("io.limiter"));
        return pinned;
    }

    /** By its name, because it is not in Java 17; until then closing ends it, which is enough where nothing is pinned. */
    private static void stop(RecordingStream events) {
        try {
            RecordingStream.class.getMethod("stop").invoke(events);
        } catch (NoSuchMethodException e) {
            events.close();
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new LinkageError("it is there", e);
        }
    }

    private static String stack(RecordedEvent event) {
        return event.getStackTrace() == null
                ? ""
                : event.getStackTrace().getFrames().stream()
                        .map(frame -> frame.getMethod().getType().getName() + "."
                                + frame.getMethod().getName())
                        .toList()
                        .toString();
    }

    private static void startThread(Runnable task) {
        try {
            Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);
        } catch (NoSuchMethodException e) {
            new Thread(task).start();
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new LinkageError("it is there", e);
        }
    }

    private static boolean awaitQuietly(CountDownLatch latch) {
        Uninterruptibles.awaitUninterruptibly(latch);
        return true;
    }
}
