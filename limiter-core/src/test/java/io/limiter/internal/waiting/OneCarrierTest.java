package io.limiter.internal.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.ConcurrencyLimiter;
import io.limiter.Lease;
import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.local.LocalLimiterFactory;
import io.limiter.testing.ChildJvm;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Virtual threads wait where only one carrier runs them all: a thread that waited for another one without giving up its carrier would
 * wait for ever. On a JDK without virtual threads they are others.
 */
@Tag("threads")
class OneCarrierTest {

    @Test
    void callers_who_wait_leave_their_carrier_to_each_other() throws Exception {
        List<String> program = new ArrayList<>();
        if (Runtime.version().feature() >= 21) {
            program.add("-Djdk.virtualThreadScheduler.parallelism=1");
            program.add("-Djdk.virtualThreadScheduler.maxPoolSize=1");
        }
        program.add(Waiters.class.getName());
        assertThat(ChildJvm.run(ManagementFactory.getRuntimeMXBean().getClassPath(), program))
                .contains("All have ended.");
    }

    /** Callers of leases and windows, of whom some are granted, some give up, and some are cancelled. */
    static final class Waiters {

        private static final int CALLERS = 60;
        private static final int ROUNDS = 20;

        private Waiters() {}

        public static void main(String[] arguments) throws Exception {
            LimiterFactory limiters = new LocalLimiterFactory();
            ConcurrencyLimiter one = limiters.build("one", ConcurrencyLimit.of(1));
            Limiter window = limiters.build("window", FixedWindow.of(20, Duration.ofMillis(5)));
            CountDownLatch ended = new CountDownLatch(CALLERS);
            ExecutorService callers = callers();
            for (int i = 0; i < CALLERS; i++) {
                boolean cancels = i % 3 == 0;
                callers.execute(() -> {
                    for (int round = 0; round < ROUNDS; round++) {
                        if (cancels) {
                            CompletableFuture<Lease> lease = one.async().acquire(Duration.ofMinutes(5));
                            Thread.yield();
                            if (!lease.cancel(false)) {
                                lease.thenAccept(Lease::close);
                            }
                        } else {
                            one.tryAcquire(Duration.ofMinutes(5)).ifPresent(Lease::close);
                        }
                        window.tryAcquire(Duration.ofMillis(3));
                    }
                    ended.countDown();
                });
            }
            if (!ended.await(1, TimeUnit.MINUTES)) {
                System.out.println(ended.getCount() + " callers still wait.");
                System.exit(1);
            }
            System.out.println("All have ended.");
            System.exit(0);
        }

        private static ExecutorService callers() throws ReflectiveOperationException {
            return Runtime.version().feature() < 21
                    ? Executors.newCachedThreadPool()
                    : (ExecutorService) Executors.class
                            .getMethod("newVirtualThreadPerTaskExecutor")
                            .invoke(null);
        }
    }
}
