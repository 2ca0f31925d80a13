package io.limiter.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.Uninterruptibles;
import com.microsoft.playwright.Page;
import io.limiter.testing.Eventually;
import io.limiter.testing.RedisProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToLongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

/** Two sample applications under load, one of which lowers a limit through the Actuator endpoint. */
abstract class LiveShow {

    private static final int BEFORE = 50;
    private static final int AFTER = 20;
    private static final int CHANGES = 50;
    private static final int THREADS = 6;

    /** With these threads, at most 300 calls per second for each application. */
    private static final long PAUSE_NANOS = 20_000_000;

    private final HttpClient http = HttpClient.newHttpClient();
    private final List<Load> loads = new ArrayList<>();
    private final RedisProcess redis = RedisProcess.start();
    private ConfigurableApplicationContext one;
    private ConfigurableApplicationContext other;
    private int rate = BEFORE;
    private long version;

    @BeforeEach
    void start() {
        one = sample();
        other = sample();
        loads.add(new Load(Samples.uri(one, "/limiter/rate")));
        loads.add(new Load(Samples.uri(other, "/limiter/rate")));
        loads.forEach(
                load -> Eventually.that(() -> assertThat(load.firstOf(BEFORE)).isPositive()));
    }

    private ConfigurableApplicationContext sample() {
        return Samples.start(
                redis,
                "--limiter.limits.rate.rate=" + BEFORE,
                "--limiter.limits.rate.burst=1s",
                "--management.endpoints.web.exposure.include=livelimits",
                "--management.endpoint.livelimits.access=unrestricted");
    }

    @AfterEach
    void stop() {
        loads.forEach(Load::close);
        one.close();
        other.close();
        redis.close();
    }

    @Test
    void the_other_application_obeys_and_the_console_shows_it() {
        try (Chromium browser = new Chromium(other)) {
            Page page = browser.page();
            page.navigate(Samples.uri(other, "/limiter/#/limit/rateLimit%3A/rate"));
            assertThat(page.locator("h1")).hasText("rate");
            change(AFTER);
            Load observed = loads.get(1);
            Eventually.that(() -> assertThat(observed.firstOf(AFTER)).isPositive());
            assertThat(page.locator("#live")).containsText("20/s");
        }
    }

    @Test
    @Tag("soak")
    void how_soon_the_other_application_obeys() throws InterruptedException {
        loads.forEach(Load::grow);
        // Until the permits of the full bucket are used up.
        Thread.sleep(3000);
        double before = grantedPerSecond();
        Load observed = loads.get(1);
        long[] micros = new long[CHANGES];
        for (int i = 0; i < CHANGES; i++) {
            int from = rate;
            int to = from == BEFORE ? AFTER : BEFORE;
            observed.forget(to);
            long start = System.nanoTime();
            change(to);
            while (observed.firstOf(to) == 0) {
                LockSupport.parkNanos(100_000);
            }
            // The answers to calls that were decided before; and not in step with the polls.
            Thread.sleep(100 + i * 7L);
            micros[i] = (Math.max(observed.firstOf(to), observed.lastOf(from)) - start) / 1000;
        }
        if (rate != AFTER) {
            change(AFTER);
        }
        Thread.sleep(3000);
        double after = grantedPerSecond();
        Arrays.sort(micros);
        System.out.printf(
                Locale.ROOT,
                "%d changes of a limit under %.0f calls/s: the other application obeys after %.1f ms (median),"
                        + " %.1f ms (p99), %.1f ms (worst); granted %.1f/s at %d/s, %.1f/s at %d/s%n",
                CHANGES,
                callsPerSecond(),
                micros[CHANGES / 2] / 1e3,
                micros[(int) Math.ceil(CHANGES * 0.99) - 1] / 1e3,
                micros[CHANGES - 1] / 1e3,
                before,
                BEFORE,
                after,
                AFTER);
        assertThat(after).isLessThan(before);
    }

    private void change(int newRate) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(Samples.uri(one, "/actuator/livelimits/rate")))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(
                        "{\"rate\": %d, \"version\": %d, \"who\": \"ann\", \"why\": \"one client floods us\"}"
                                .formatted(newRate, version)))
                .build();
        try {
            HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
            version++;
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
        rate = newRate;
    }

    private double grantedPerSecond() throws InterruptedException {
        return perSecond(load -> load.granted.sum());
    }

    private double callsPerSecond() throws InterruptedException {
        return perSecond(load -> load.calls.sum());
    }

    private double perSecond(ToLongFunction<Load> count) throws InterruptedException {
        long start = System.nanoTime();
        long before = loads.stream().mapToLong(count).sum();
        Thread.sleep(10_000);
        return (loads.stream().mapToLong(count).sum() - before) * 1e9 / (System.nanoTime() - start);
    }

    /** Calls one application, and records which limit its answers name. */
    private static final class Load implements AutoCloseable {

        private static final Pattern CAPACITY = Pattern.compile("\"rate\";q=(\\d+)");

        private final HttpClient http = HttpClient.newHttpClient();
        private final HttpRequest request;
        private final List<Thread> threads = new ArrayList<>();
        private final LongAdder calls = new LongAdder();
        private final LongAdder granted = new LongAdder();
        // By the limit that the answers name, when they came. Guarded by the monitor of this.
        private final Map<Integer, Long> first = new HashMap<>();
        private final Map<Integer, Long> last = new HashMap<>();
        private volatile boolean closed;

        Load(String uri) {
            request = HttpRequest.newBuilder(URI.create(uri)).build();
            addThread();
        }

        /** From one thread to all; one is enough to see which limit applies. */
        void grow() {
            while (threads.size() < THREADS) {
                addThread();
            }
        }

        private void addThread() {
            Thread thread = new Thread(this::run, "load");
            threads.add(thread);
            thread.start();
        }

        private void run() {
            while (!closed) {
                try {
                    HttpResponse<Void> answer = http.send(request, HttpResponse.BodyHandlers.discarding());
                    calls.increment();
                    if (answer.statusCode() == 200) {
                        granted.increment();
                    }
                    Matcher policy = CAPACITY.matcher(
                            answer.headers().firstValue("RateLimit-Policy").orElse(""));
                    if (policy.find()) {
                        answered(Integer.parseInt(policy.group(1)), System.nanoTime());
                    }
                } catch (IOException | InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }

        private synchronized void answered(int limit, long nanos) {
            first.putIfAbsent(limit, nanos);
            last.put(limit, nanos);
        }

        synchronized void forget(int limit) {
            first.remove(limit);
        }

        /** When the first answer since {@link #forget} came that names the limit; 0 if none did. */
        synchronized long firstOf(int limit) {
            return first.getOrDefault(limit, 0L);
        }

        synchronized long lastOf(int limit) {
            return last.getOrDefault(limit, 0L);
        }

        @Override
        public void close() {
            closed = true;
            threads.forEach(Uninterruptibles::joinUninterruptibly);
        }
    }
}
