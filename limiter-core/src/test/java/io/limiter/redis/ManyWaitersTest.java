package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.Limit;
import io.limiter.algorithm.SlidingLog;
import io.limiter.internal.statistics.EngineObserver;
import io.limiter.testing.Concurrently;
import io.limiter.testing.Patience;
import io.limiter.testing.Steps;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** 200 threads that wait for one key at the same time. Prints how long they wait; that depends on the machine and is not judged. */
@Execution(ExecutionMode.CONCURRENT)
@Tag("threads")
class ManyWaitersTest {

    private static final int THREADS = 200;
    private static final int CALLS = Steps.of(2);
    private static final Duration PERIOD = Duration.ofMillis(100);
    private static final Duration TIMEOUT = Duration.ofMinutes(10);

    @RegisterExtension
    static final Resources RESOURCES = Resources.ofClass();

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void each_of_many_threads_is_granted_in_the_end(int instances) {
        print(instances, FixedWindow.of(20, PERIOD));
        print(instances, SlidingLog.of(20, PERIOD));
    }

    private static void print(int instances, Limit limit) {
        String prefix = "test-" + UUID.randomUUID() + ":";
        AtomicLong requests = new AtomicLong();
        List<LimiterFactory> factories = IntStream.range(0, instances)
                .<LimiterFactory>mapToObj(i ->
                        RESOURCES.closing(RedisRateLimiterFactory.builder(RESOURCES.lettuce(Resources.atShared()))
                                .decisionTimeout(Patience.DECISION_TIMEOUT)
                                .listener(new EngineObserver() {
                                    @Override
                                    public void sent(int keys, int sent) {
                                        requests.addAndGet(sent);
                                    }
                                })
                                .build()))
                .toList();
        List<Limiter> limiters = factories.stream()
                .map(factory ->
                        factory.with(LimiterOptions.NONE.withPrefix(prefix)).build("k", limit))
                .toList();
        // Connects and sends the script.
        limiters.forEach(
                limiter -> assertThat(limiter.on("first").tryAcquire(TIMEOUT)).isTrue());
        AtomicInteger number = new AtomicInteger();
        long[] micros = new long[THREADS * CALLS];
        AtomicInteger granted = new AtomicInteger();
        Concurrently.run(THREADS, () -> {
            int thread = number.getAndIncrement();
            Limiter limiter = limiters.get(thread % instances);
            for (int i = 0; i < CALLS; i++) {
                long start = System.nanoTime();
                granted.addAndGet(limiter.tryAcquire(TIMEOUT) ? 1 : 0);
                micros[thread * CALLS + i] = (System.nanoTime() - start) / 1000;
            }
        });
        Arrays.sort(micros);
        System.out.println(String.format(
                Locale.ROOT,
                "%d instance(s), %-14s %d calls, p50 %.2f s, p99 %.2f s, most %.2f s; %d requests",
                instances,
                limit.getClass().getSimpleName(),
                micros.length,
                micros[micros.length / 2] / 1e6,
                micros[micros.length * 99 / 100] / 1e6,
                micros[micros.length - 1] / 1e6,
                requests.get()));
        assertThat(granted).hasValue(THREADS * CALLS);
    }
}
