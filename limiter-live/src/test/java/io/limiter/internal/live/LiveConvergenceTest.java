package io.limiter.internal.live;

import static io.limiter.internal.live.LiveFleet.NOTE;
import static io.limiter.internal.live.LiveFleet.TEN;
import static io.limiter.internal.live.LiveFleet.live;
import static io.limiter.internal.live.LiveFleet.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.LimiterOptions;
import io.limiter.RateLimiter;
import io.limiter.algorithm.TokenBucket;
import io.limiter.live.LiveKey;
import io.limiter.live.LiveLimit;
import io.limiter.live.LiveLimits;
import io.limiter.live.LiveOptions;
import io.limiter.live.LiveSettings;
import io.limiter.redis.RedisFixture;
import io.limiter.testing.Fleet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Prints how long another instance under load takes to obey a change. */
@Tag("soak")
class LiveConvergenceTest {

    private static final int CHANGES = 50;
    private static final int THREADS = 16;

    private static final int CHANGES_OF_A_SORT = 20;

    @RegisterExtension
    static final LiveFleet FLEET = new LiveFleet();

    @RegisterExtension
    final Fleet jvms = new Fleet();

    private final Map<String, List<Long>> micros = new LinkedHashMap<>();
    private Fleet.Member member;

    @Test
    void another_jvm_obeys_each_sort_of_change() throws Exception {
        member = jvms.start(LiveMember.class, FLEET.redis().port());
        double perSecond;
        try (LiveInstance factory = LiveMember.factory(FLEET.connections());
                LiveMember.Load load = new LiveMember.Load(factory)) {
            factory.with(LimiterOptions.NONE.withPlan("gold")).build("search", TokenBucket.perSecond(1000));
            LiveLimits live = live(factory);
            LiveKey ann = LiveKey.of("ann");
            LiveKey bob = LiveKey.of("bob");
            // It may come before the other JVM has subscribed, and then waits for a poll.
            obeys("the first change", "limit 999.0", () -> put(factory, "search", TEN.withRate(999)));
            long start = System.nanoTime();
            for (int i = 1; i <= CHANGES_OF_A_SORT; i++) {
                LiveSettings rate = TEN.withRate(1000 + i);
                String value = Double.toString(1000 + i);
                obeys("rate of a limit", "limit " + value, () -> put(factory, "search", rate));
                obeys("rate of a plan", "plan " + value, () -> put(factory, "search.gold", rate));
                long version = live.get("search", ann).map(LiveLimit::version).orElse(0L);
                LiveSettings ofKey = TEN.withRate(2000 + i);
                obeys("rate of a key", "key " + (2000.0 + i), () -> live.put("search", ann, ofKey, NOTE, version));
                for (LiveSettings access : List.of(LiveSettings.BANNED, LiveSettings.EXEMPT)) {
                    boolean bans = access == LiveSettings.BANNED;
                    obeys(
                            bans ? "ban" : "exemption",
                            bans ? "access banned" : "access exempt",
                            () -> live.put("search", bob, access, NOTE, 0));
                    long stored = live.get("search", bob).orElseThrow().version();
                    obeys("removal", "access none", () -> live.remove("search", bob, NOTE, stored));
                }
            }
            perSecond = load.decisions() * 1e9 / (System.nanoTime() - start);
        }
        micros.forEach((sort, times) -> {
            Collections.sort(times);
            System.out.printf(
                    Locale.ROOT,
                    "%s: %d changes, obeyed by another JVM after %.1f ms (median), %.1f ms (worst)%n",
                    sort,
                    times.size(),
                    times.get(times.size() / 2) / 1e3,
                    times.get(times.size() - 1) / 1e3);
        });
        System.out.printf(Locale.ROOT, "each JVM made some %.0f decisions per second%n", perSecond);
        member.go();
    }

    /** Until it has said so. */
    private void obeys(String sort, String line, Runnable change) throws InterruptedException {
        // Not in step with the polls.
        Thread.sleep(ThreadLocalRandom.current().nextInt(100));
        long start = System.nanoTime();
        change.run();
        member.nextLine(Pattern.quote(line));
        micros.computeIfAbsent(sort, any -> new ArrayList<>())
                .add(TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - start));
    }

    @Test
    void without_messages_another_instance_obeys_by_its_next_poll() throws InterruptedException {
        LiveInstance one = instance();
        LiveInstance other = instance();
        RateLimiter limiter = other.build("search", TokenBucket.perSecond(50).withCapacity(50));
        LongAdder granted = new LongAdder();
        List<Thread> load = new ArrayList<>();
        for (LiveInstance factory : List.of(one, other)) {
            RateLimiter used = factory.build("search", TokenBucket.perSecond(50).withCapacity(50));
            for (int i = 0; i < THREADS; i++) {
                load.add(new Thread(() -> {
                    while (!Thread.currentThread().isInterrupted()) {
                        if (used.tryAcquire()) {
                            granted.increment();
                        }
                        LockSupport.parkNanos(1_000_000);
                    }
                }));
            }
        }
        load.forEach(Thread::start);
        long[] took = new long[CHANGES];
        double before;
        double after;
        try {
            before = perSecond(granted);
            for (int i = 0; i < CHANGES; i++) {
                double rate = i % 2 == 0 ? 20 : 30;
                long start = System.nanoTime();
                put(one, "search", TEN.withRate(rate));
                while (limiter.getRate() != rate) {
                    LockSupport.parkNanos(100_000);
                }
                took[i] = TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - start);
                // Not in step with the polls.
                Thread.sleep(i * 7L);
            }
            put(one, "search", TEN.withRate(20));
            Thread.sleep(3000);
            after = perSecond(granted);
        } finally {
            load.forEach(Thread::interrupt);
            for (Thread each : load) {
                each.join();
            }
        }
        Arrays.sort(took);
        System.out.printf(
                Locale.ROOT,
                "by polls alone: %d changes obeyed after %.1f ms (median), %.1f ms (worst); granted %.1f/s at 50/s, %.1f/s at 20/s%n",
                CHANGES,
                took[CHANGES / 2] / 1e3,
                took[CHANGES - 1] / 1e3,
                before,
                after);
        assertThat(after).isLessThan(before);
    }

    private static LiveInstance instance() {
        return FLEET.add(RedisFixture.builder(FLEET.connections()), LiveOptions.DEFAULT, false);
    }

    private static double perSecond(LongAdder granted) throws InterruptedException {
        long before = granted.sum();
        Duration time = Duration.ofSeconds(5);
        Thread.sleep(time.toMillis());
        return (granted.sum() - before) / (double) time.toSeconds();
    }
}
