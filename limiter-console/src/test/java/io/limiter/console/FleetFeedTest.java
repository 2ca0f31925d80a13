package io.limiter.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.util.concurrent.Uninterruptibles;
import io.limiter.FailurePolicy;
import io.limiter.LimiterBackendException;
import io.limiter.LimiterFactory;
import io.limiter.live.InstanceReport;
import io.limiter.live.LimitReport;
import io.limiter.live.LiveSettings;
import io.limiter.live.Unreadable;
import io.limiter.redis.RedisRateLimiterFactory;
import io.limiter.testing.Eventually;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

class FleetFeedTest {

    private final FakeLiveLimits limits = new FakeLiveLimits();
    private FleetFeed feed = feed(Duration.ZERO);

    private static final class Open implements FleetFeed.Subscriber {

        private final BlockingQueue<String> events = new LinkedBlockingQueue<>();

        @Override
        public void accept(String event, boolean withSeries) {
            events.add(event);
        }

        @Override
        public void end() {
            events.add("end");
        }

        String next() {
            return Uninterruptibles.takeUninterruptibly(events);
        }

        /** Events come faster than a pause between two looks at them would let it see the last. */
        void awaitEnd() {
            while (!next().equals("end")) {
                Thread.onSpinWait();
            }
        }
    }

    private FleetFeed feed(Duration linger) {
        return feed(null, linger);
    }

    private FleetFeed feed(LimiterFactory factory, Duration linger) {
        return feed(factory, Duration.ofMillis(1), linger);
    }

    private FleetFeed feed(LimiterFactory factory, Duration interval, Duration linger) {
        FleetFeed started = new FleetFeed(limits, factory, interval, linger);
        started.start();
        return started;
    }

    @AfterEach
    void stop() {
        feed.stop();
    }

    @Test
    void nothing_is_watched_while_no_page_is_open() {
        assertThat(feed.isWatching()).isFalse();
        Open page = new Open();
        assertThat(add(page)).isNull();
        assertThat(page.next()).contains("\"series\":[]");
        assertThat(page.next()).contains("\"series\":null");
        feed.remove(page);
        Eventually.that(() -> assertThat(feed.isWatching()).isFalse());
        int watches = limits.watches();
        assertThat(watches).isPositive();
        assertThat(add(page)).isNull();
        Eventually.that(() -> assertThat(limits.watches()).isGreaterThan(watches));
    }

    @Test
    void a_page_that_opens_gets_ten_minutes_immediately() throws JsonProcessingException {
        Instant now = Instant.parse("2026-03-01T12:00:00Z");
        Map<Instant, LimitReport.Rate> past = new HashMap<>();
        for (int step = 1; step <= 30; step++) {
            past.put(now.minusSeconds(20 * step), LimitReport.Rate.of(3, 1));
        }
        Open page = new Open();
        add(page);
        // As with instances, the first watch finds no report.
        assertThat(page.next()).contains("\"series\":[]");
        limits.reports(() -> List.of(report("shop:8080", now, past), report("shop:8081", now, past)));
        JsonNode series = nextSeries(page);
        assertThat(series.get("granted")).hasSize(600).allMatch(rate -> rate.asDouble() == 6);
        assertThat(series.get("rejected")).hasSize(600).allMatch(rate -> rate.asDouble() == 2);
        assertThat(page.next()).as("nothing new").contains("\"series\":null");
        Open another = new Open();
        add(another);
        assertThat(nextSeries(another)).isEqualTo(series);
    }

    private static JsonNode nextSeries(Open page) throws JsonProcessingException {
        JsonNode series;
        do {
            series = new ObjectMapper().readTree(page.next()).at("/series/0");
        } while (series.isMissingNode());
        return series;
    }

    private static InstanceReport report(String instance, Instant at, Map<Instant, LimitReport.Rate> past) {
        LimitReport limit = LimitReport.of(
                "rateLimit:",
                "search",
                "search",
                "token-bucket",
                "50/s",
                LiveSettings.NONE,
                0,
                0,
                0,
                0,
                Duration.ZERO,
                Map.of(),
                List.of(),
                List.of(),
                "",
                past);
        return InstanceReport.of(instance, at, 0, "available", List.of(limit), List.of());
    }

    @Test
    void a_page_that_is_loaded_again_keeps_its_lines() {
        feed = feed(Duration.ofHours(1));
        Open page = new Open();
        add(page);
        page.next();
        feed.remove(page);
        int watches = limits.watches();
        Eventually.that(() -> assertThat(limits.watches()).isGreaterThan(watches + 1));
        assertThat(feed.isWatching()).isTrue();
    }

    /** The lines of a page have a point for each interval, so a slow watch must not make the pause between two events longer. */
    @Test
    void the_interval_runs_while_the_fleet_is_watched() {
        Duration interval = Duration.ofMillis(20);
        feed = feed(null, interval, Duration.ZERO);
        AtomicLong endNanos = new AtomicLong(Long.MIN_VALUE);
        BlockingQueue<Long> pauses = new LinkedBlockingQueue<>();
        limits.reports(() -> {
            long start = System.nanoTime();
            if (endNanos.get() != Long.MIN_VALUE) {
                pauses.add(start - endNanos.get());
            }
            awaitNanos(start + interval.toNanos());
            endNanos.set(System.nanoTime());
            return List.of();
        });
        add(new Open());
        // Once is enough, because a pause would always be at least an interval long if it began at the end of the
        // watch.
        Eventually.that(() -> assertThat(pauses.take()).isLessThan(interval.toNanos()));
    }

    @Test
    void intervals_that_were_missed_are_not_caught_up() {
        Duration interval = Duration.ofMillis(20);
        int missed = 10;
        feed = feed(null, interval, Duration.ZERO);
        AtomicLong endNanos = new AtomicLong();
        BlockingQueue<Long> starts = new LinkedBlockingQueue<>();
        limits.reports(() -> {
            starts.add(System.nanoTime());
            if (endNanos.get() == 0) {
                awaitNanos(System.nanoTime() + missed * interval.toNanos());
                endNanos.set(System.nanoTime());
            }
            return List.of();
        });
        add(new Open());
        long last = 0;
        // The first one misses the others.
        for (int i = 0; i <= missed; i++) {
            last = Uninterruptibles.takeUninterruptibly(starts);
        }
        assertThat(last - endNanos.get()).isGreaterThanOrEqualTo((missed - 1) * interval.toNanos() / 4);
    }

    private static void awaitNanos(long nanos) {
        for (long left = nanos - System.nanoTime(); left > 0; left = nanos - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    @Test
    void a_failure_of_the_backend_is_shown_and_the_feed_goes_on() {
        limits.reports(() -> {
            throw new LimiterBackendException(
                    LimiterBackendException.Kind.AMBIGUOUS, "timeout", "key", "no answer", null, null);
        });
        Open page = new Open();
        add(page);
        assertThat(page.next()).contains("no answer");
        limits.reports(List::of);
        Eventually.that(() -> assertThat(page.next()).contains("\"problem\":null"));
    }

    @Test
    void what_cannot_be_read_is_named_and_the_rest_is_shown() {
        limits.unreadable(Unreadable.of("shop:8081", 0, "its report cannot be read"));
        limits.reports(
                () -> List.of(InstanceReport.of("shop:8080", Instant.now(), 0, "available", List.of(), List.of())));
        Open page = new Open();
        add(page);
        assertThat(page.next())
                .contains("\"problem\":null", "shop:8080")
                .contains(
                        "\"unreadable\":[{\"name\":\"shop:8081\",\"version\":0,\"why\":\"its report cannot be read\"}]");
    }

    @Test
    void the_counted_instances_and_the_share_of_this_one_are_shown() {
        LimiterFactory factory = RedisRateLimiterFactory.builder(new LettuceConnectionFactory())
                .failurePolicy(FailurePolicy.local(0.25))
                .build();
        feed = feed(factory, Duration.ZERO);
        Open page = new Open();
        add(page);
        assertThat(page.next()).contains("\"fallback\":{\"policy\":\"local(0.25)\",\"instances\":1,\"share\":0.25}");
        factory.close();
    }

    @Test
    void another_failure_is_shown_too() {
        limits.reports(() -> {
            throw new IllegalStateException("not expected");
        });
        Open page = new Open();
        add(page);
        assertThat(page.next()).contains("\"problem\":\"not expected\"");
    }

    @Test
    void streams_end_when_the_application_stops() {
        Open page = new Open();
        add(page);
        feed.stop();
        page.awaitEnd();
        assertThat(add(new Open())).contains("stopping");
    }

    @Test
    void pages_are_bounded() {
        Open[] open = new Open[100];
        for (int i = 0; i < open.length; i++) {
            open[i] = new Open();
            assertThat(add(open[i])).isNull();
        }
        assertThat(add(new Open())).contains("100 pages are open");
        feed.remove(open[0]);
        assertThat(add(new Open())).isNull();
    }

    @Test
    void the_pages_of_a_user_are_bounded() {
        for (int i = 0; i < 10; i++) {
            assertThat(feed.add(new Open(), "ann", false)).isNull();
        }
        assertThat(feed.add(new Open(), "ann", false)).contains("you have 10 pages open");
        assertThat(feed.add(new Open(), "bob", false)).isNull();
    }

    @Test
    void viewers_cannot_lock_operators_out() {
        Open[] open = new Open[100];
        for (int i = 0; i < open.length; i++) {
            open[i] = new Open();
            assertThat(feed.add(open[i], "viewer " + i, false)).isNull();
        }
        assertThat(feed.add(new Open(), "another viewer", false)).contains("100 pages are open");
        for (int i = 0; i < open.length; i++) {
            assertThat(feed.add(new Open(), "operator " + i, true)).isNull();
            open[i].awaitEnd();
        }
        assertThat(feed.add(new Open(), "another operator", true)).contains("100 pages are open");
    }

    private String add(Open page) {
        return feed.add(page, null, false);
    }
}
