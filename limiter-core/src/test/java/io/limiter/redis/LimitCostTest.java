package io.limiter.redis;

import static io.limiter.testing.Decisions.decideIn;
import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.algorithm.Ban;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.backend.Backend;
import io.limiter.internal.engine.KeyRequests;
import io.limiter.step.LimitStep;
import io.limiter.step.Request;
import io.limiter.step.Verdict;
import io.limiter.testing.Figures;
import io.limiter.testing.Steps;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What each kind of limit costs Redis: bytes for a key, commands for a decision, and the time of a call. Measures the
 * {@linkplain Figures figures} of {@code docs/limits.md} and {@code docs/concurrency.md}. The times are not checked, because they
 * depend on the machine.
 */
class LimitCostTest {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final int BATCH = 64;
    // The first creates the keys. A long run has more, because times differ between them.
    private static final int ROUNDS = Math.min(5, 1 + Steps.of(1));
    // A long run has as many keys as a service.
    private static final int BATCHES = Math.min(157, Steps.of(16));
    /** The sizes that the pages show. */
    private static final Set<Integer> SHOWN_LOGS = Set.of(10, 1000, 10_000);

    private static final Set<Integer> SHOWN_HOLDERS = Set.of(1, 100, 1000);
    private static final Pattern CALLS = Pattern.compile("cmdstat_evalsha:calls=(\\d+),usec=(\\d+)");

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    private Backend engine;

    @BeforeEach
    void start() {
        engine = redis.scriptBackend();
    }

    @Test
    void the_size_of_a_key_is_constant_except_for_the_log() {
        for (LimitStep<?> limit : List.of(
                TokenBucket.of(100_000 / 3600.0, 3600),
                FixedWindow.of(100_000, HOUR),
                SlidingLog.of(100_000, HOUR),
                SlidingCounter.of(100_000, HOUR))) {
            String key = key(limit);
            grant(key, limit, 1);
            long afterOne = bytes(key);
            grant(key, limit, 999);
            long afterThousand = bytes(key);
            RedisFixture.commands().del(key);
            print("%-14s %6d bytes after 1 grant, %6d after 1,000", name(limit), afterOne, afterThousand);
            record("docs/limits.md", name(limit) + " bytes after 1 grant", Figures.bytes(afterOne));
            record("docs/limits.md", name(limit) + " bytes after 1000 grants", Figures.bytes(afterThousand));
            assertThat(afterOne).isLessThanOrEqualTo(160);
            assertThat(afterThousand).isLessThanOrEqualTo(limit instanceof SlidingLog ? 33_000 : 160);
        }
    }

    /** With as many keys as fit into the tables of keys and of expiries, and when these tables have just grown. */
    @ParameterizedTest
    @ValueSource(ints = {65_000, 70_000})
    @Tag("soak")
    void a_key_also_needs_a_place_in_the_tables_of_redis(int keys) {
        TokenBucket limit = TokenBucket.per(1, HOUR).withCapacity(100);
        long before = usedMemory();
        for (int first = 0; first < keys; first += 1000) {
            decideIn(
                    engine,
                    IntStream.range(first, first + 1000)
                            .<KeyRequests<?>>mapToObj(id -> new KeyRequests<>(
                                    String.format(Locale.ROOT, "%s{size:%016d}", redis.prefix(), id),
                                    limit,
                                    List.of(Request.take(1, 0))))
                            .toList());
        }
        // Each of them moves an entry of a table that is growing.
        for (int id = 0; id < keys; id++) {
            assertThat(RedisFixture.commands().exists(String.format(Locale.ROOT, "%s{size:%016d}", redis.prefix(), id)))
                    .isOne();
        }
        String one = "%s{size:%016d}".formatted(redis.prefix(), 0);
        long perKey = Math.round((double) (usedMemory() - before) / keys);
        print("%,d keys of %d bytes take %d bytes of used_memory each", keys, bytes(one), perKey);
        record("README.md", "TokenBucket bytes of used_memory with " + keys + " keys", Figures.bytes(perKey));
        assertThat(perKey - bytes(one)).isBetween(0L, 100L);
    }

    private static long usedMemory() {
        return RedisFixture.commands()
                .info("memory")
                .lines()
                .filter(line -> line.startsWith("used_memory:"))
                .mapToLong(line ->
                        Long.parseLong(line.substring(line.indexOf(':') + 1).strip()))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void a_decision_in_a_batch() {
        // As in production, with Redis's clock.
        engine = RedisFixture.scriptBackend(RedisFixture.connections());
        TokenBucket limit = TokenBucket.of(1_000_000, 1);
        Request one = Request.take(1, 0);
        List<List<KeyRequests<?>>> wide = new ArrayList<>();
        List<List<KeyRequests<?>>> hot = new ArrayList<>();
        for (int i = 0; i < BATCHES; i++) {
            wide.add(IntStream.range(BATCH * i, BATCH * (i + 1))
                    .<KeyRequests<?>>mapToObj(id -> new KeyRequests<>(
                            String.format(Locale.ROOT, "%s{wide:%016d}", redis.prefix(), id), limit, List.of(one)))
                    .toList());
            hot.add(List.of(new KeyRequests<>(redis.prefix() + "{hot}", limit, Collections.nCopies(BATCH, one))));
        }
        String first = wide.get(0).get(0).key();
        Cost wideCost = costs(String.format(Locale.ROOT, "64 of %,d keys", BATCH * BATCHES), wide);
        costs("64 times one key", hot);
        assertThat(wideCost.sentBytes()).as("bytes for a key").isLessThan(first.length() + 12);
        assertThat(wideCost.repliedBytes()).as("full buckets are not replied").isLessThan(2);
    }

    private Cost costs(String name, List<List<KeyRequests<?>>> batches) {
        double micros = Double.MAX_VALUE;
        Cost cost = new Cost(0, 0, 0);
        for (int round = 0; round < ROUNDS; round++) {
            Cost idle = Cost.read();
            Cost before = Cost.read();
            batches.forEach(batch -> decideIn(engine, batch));
            cost = Cost.read().since(before, idle, BATCH * batches.size());
            micros = round == 0 ? micros : Math.min(micros, cost.micros());
        }
        print(
                "%-17s %5.1f bytes sent, %4.1f replied, %5.2f us of Redis for a decision",
                name, cost.sentBytes(), cost.repliedBytes(), micros);
        return cost;
    }

    /** What Redis has received and sent, and its processor time. */
    private record Cost(double sentBytes, double repliedBytes, double micros) {

        static Cost read() {
            String info = RedisFixture.commands().info();
            return new Cost(
                    sum(info, "total_net_input_bytes"),
                    sum(info, "total_net_output_bytes"),
                    1e6 * sum(info, "used_cpu_(?:sys|user)"));
        }

        private static double sum(String info, String name) {
            return Pattern.compile(name + ":([0-9.]+)")
                    .matcher(info)
                    .results()
                    .mapToDouble(found -> Double.parseDouble(found.group(1)))
                    .sum();
        }

        /**
         * @param idle was read just before that, so that what reading costs can be subtracted
         */
        Cost since(Cost before, Cost idle, int decisions) {
            return new Cost(
                    (sentBytes - 2 * before.sentBytes + idle.sentBytes) / decisions,
                    (repliedBytes - 2 * before.repliedBytes + idle.repliedBytes) / decisions,
                    (micros - 2 * before.micros + idle.micros) / decisions);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {10, 100, 1000})
    void a_log_grows_with_its_grants_to_at_most_twice_its_live_entries(int entries) {
        fillAndSlide(entries);
    }

    @ParameterizedTest
    @ValueSource(ints = {10_000, SlidingLog.MAX_LIMIT})
    @Tag("soak")
    void the_largest_log_stays_within_twice_its_live_entries(int entries) {
        fillAndSlide(entries);
    }

    private void fillAndSlide(int entries) {
        SlidingLog limit = SlidingLog.of(entries, Duration.ofSeconds(entries));
        String key = redis.prefix() + "{log:" + String.format(Locale.ROOT, "%016d", entries) + "}:log";
        for (int i = 0; i < entries; i++) {
            redis.clock().advance(Duration.ofSeconds(1));
            grant(key, limit, 1);
        }
        long filled = bytes(key);
        long most = filled;
        RedisFixture.commands().configResetstat();
        // One a second, so each second one leaves and one comes.
        for (int i = 0; i < Math.max(200, 2 * entries); i++) {
            redis.clock().advance(Duration.ofSeconds(1));
            grant(key, limit, 1);
            if (i % Math.max(1, entries / 50) == 0) {
                most = Math.max(most, bytes(key));
            }
        }
        double grantMicros = callMicros();
        redis.clock().advance(Duration.ofMillis(1));
        RedisFixture.commands().configResetstat();
        for (int i = 0; i < 200; i++) {
            assertThat(decideIn(engine, key, limit, Request.take(1, 0)).isGranted())
                    .isFalse();
        }
        double rejectionMicros = callMicros();
        print(
                "log of %6d   %6d bytes when first full, at most %6d later; %.1f us in Redis for a grant, %.1f for a"
                        + " rejection",
                entries, filled, most, grantMicros, rejectionMicros);
        if (SHOWN_LOGS.contains(entries)) {
            String log = "SlidingLog of " + entries;
            record("docs/limits.md", log + " bytes when first full", Figures.bytes(filled));
            record("docs/limits.md", log + " most bytes", Figures.bytes(most));
            record("docs/limits.md", log + " us per grant", Figures.oneDecimal(grantMicros));
            record("docs/limits.md", log + " us per rejection", Figures.oneDecimal(rejectionMicros));
        }
        assertThat(most).isLessThanOrEqualTo(200 + 4L * 12 * entries);
        assertThat(RedisFixture.commands().strlen(key))
                .as("twice what counts")
                .isLessThanOrEqualTo(13 + 2L * 12 * (entries + 1));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 10, 100, 1000})
    void a_concurrency_limit_grows_with_its_holders(int holders) {
        ConcurrencyLimit limit = ConcurrencyLimit.of(holders);
        String key = redis.prefix() + "{holders:0123456789abcdef}:holders";
        hold(key, limit, holders);
        Request someOnes = Request.renew(1 + holders / 2);
        Request another = Request.hold(holders + 1, 1);
        assertThat(commandsOf(() -> decideIn(engine, key, limit, someOnes)))
                .isEqualTo(Map.of("evalsha", 1L, "get", 1L, "set", 1L));
        assertThat(commandsOf(() -> decideIn(engine, key, limit, another))).isEqualTo(Map.of("evalsha", 1L, "get", 1L));
        double takeMicros = 0;
        double releaseMicros = 0;
        double renewMicros = 0;
        double rejectMicros = 0;
        int rounds = holders < 1000 ? 100 : 20;
        for (int i = 0; i < rounds; i++) {
            // Found half way through the list, on average.
            long id = 1 + (long) i * holders / rounds;
            releaseMicros += callMicros(key, limit, Request.release(id), true) / rounds;
            takeMicros += callMicros(key, limit, Request.hold(id, 1), true) / rounds;
            renewMicros += callMicros(key, limit, Request.renew(id), true) / rounds;
            rejectMicros += callMicros(key, limit, another, false) / rounds;
        }
        print(
                "ConcurrencyLimit with %5d holders: %6d bytes, %6d of them read and sent; us in Redis: %.1f to take,"
                        + " %.1f to renew, %.1f to release, %.1f to reject",
                holders,
                bytes(key),
                RedisFixture.commands().strlen(key),
                takeMicros,
                renewMicros,
                releaseMicros,
                rejectMicros);
        if (SHOWN_HOLDERS.contains(holders)) {
            record("docs/concurrency.md", holders + " holders bytes", Figures.bytes(bytes(key)));
            record("docs/concurrency.md", holders + " holders us per acquisition", Figures.oneDecimal(takeMicros));
        }
        assertThat(bytes(key)).isLessThanOrEqualTo(200 + 2L * 28 * holders);
        assertThat(RedisFixture.commands().strlen(key)).isEqualTo(1 + 28L * holders);
    }

    @ParameterizedTest
    @ValueSource(ints = {100, 1000})
    void many_holders_are_renewed_in_one_call(int holders) {
        ConcurrencyLimit limit = ConcurrencyLimit.of(holders);
        String key = redis.prefix() + "{holders:0123456789abcdef}:holders";
        hold(key, limit, holders);
        List<Request> all =
                LongStream.rangeClosed(1, 100).mapToObj(Request::renew).toList();
        RedisFixture.commands().configResetstat();
        assertThat(decideIn(engine, List.of(new KeyRequests<>(key, limit, all)))
                        .get(0)
                        .verdicts())
                .allMatch(Verdict::isGranted);
        print(
                "ConcurrencyLimit with %5d holders: %.1f us in Redis to renew %d of them in one call",
                holders, callMicros(), all.size());
    }

    private void hold(String key, ConcurrencyLimit limit, int holders) {
        List<Request> all = LongStream.rangeClosed(1, holders)
                .mapToObj(id -> Request.hold(id, 1))
                .toList();
        for (int first = 0; first < holders; first += 1000) {
            List<Request> some = all.subList(first, Math.min(holders, first + 1000));
            decideIn(engine, List.of(new KeyRequests<>(key, limit, some)))
                    .get(0)
                    .verdicts();
        }
    }

    private double callMicros(String key, LimitStep<?> limit, Request request, boolean granted) {
        RedisFixture.commands().configResetstat();
        assertThat(decideIn(engine, key, limit, request).isGranted()).isEqualTo(granted);
        return callMicros();
    }

    @Test
    void a_decision_is_one_script_that_reads_once_and_writes_at_most_once() {
        for (LimitStep<?> limit : List.of(
                TokenBucket.of(100 / 3600.0, 3600),
                FixedWindow.of(100, HOUR),
                SlidingLog.of(100, HOUR),
                SlidingCounter.of(100, HOUR))) {
            String key = key(limit);
            decideIn(engine, key, limit, Request.peek(1, 0));
            Map<String, Long> first = commandsOf(() -> grant(key, limit, 1));
            redis.clock().advance(Duration.ofMillis(1));
            Map<String, Long> grant = commandsOf(() -> grant(key, limit, 1));
            grant(key, limit, 98);
            Map<String, Long> rejection = commandsOf(() -> assertThat(
                            decideIn(engine, key, limit, Request.take(2, 0)).isGranted())
                    .isFalse());
            print("%-14s first %s, then %s, rejected %s", name(limit), first, grant, rejection);
            assertThat(first).isEqualTo(Map.of("evalsha", 1L, "get", 1L, "set", 1L));
            String write = limit instanceof FixedWindow ? "set" : "setrange";
            assertThat(grant).isEqualTo(Map.of("evalsha", 1L, "get", 1L, write, 1L));
            assertThat(rejection)
                    .containsEntry("evalsha", 1L)
                    .containsEntry("get", 1L)
                    .doesNotContainKeys("set", "setrange");
        }
    }

    /** With Redis's clock, as in production. */
    @Test
    void a_ban_costs_a_decision_a_look_at_another_key() {
        LimiterFactory limiters = RedisFixture.builder(RedisFixture.connections())
                .build()
                .with(LimiterOptions.NONE.withPrefix(redis.prefix()));
        Ban ban = Ban.after(10);
        List<Limiter> both = List.of(
                limiters.build("plain", TokenBucket.of(1_000_000, 1)),
                limiters.with(LimiterOptions.NONE.withBan(ban)).build("banning", TokenBucket.of(1_000_000, 1)));
        double[] micros = {Double.MAX_VALUE, Double.MAX_VALUE};
        for (int round = 0; round < ROUNDS; round++) {
            for (int which = 0; which < 2; which++) {
                RedisFixture.commands().configResetstat();
                for (int i = 0; i < 500; i++) {
                    assertThat(both.get(which).tryAcquire("caller-" + i)).isTrue();
                }
                micros[which] = Math.min(micros[which], callMicros());
            }
        }
        print(
                "a granted decision takes Redis %.1f us, and with a ban %.1f us: %.2f times as long",
                micros[0], micros[1], micros[1] / micros[0]);
        RedisFixture.commands().configResetstat();
        assertThat(both.get(1).tryAcquire("caller-0")).isTrue();
        Map<String, Long> sent = new TreeMap<>(RedisFixture.commandsSent());
        sent.keySet().removeAll(List.of("time", "info", "setrange", "set"));
        assertThat(sent)
                .as("the key of a ban that is not there")
                .isEqualTo(Map.of("evalsha", 1L, "mget", 1L, "get", 1L));
        String key = redis.prefix() + "{caller-0}{banning}:ban";
        for (int rejections : new int[] {1, 9}) {
            decideIn(engine, key, ban, Request.charge(rejections == 1 ? 1 : 8));
            print("a ban after 10 with %d rejections: %d bytes", rejections, bytes(key));
        }
        assertThat(bytes(key)).isLessThan(300);
    }

    private Map<String, Long> commandsOf(Runnable decision) {
        // The clock of the tests is a key, which is read too.
        RedisFixture.commands().configResetstat();
        decision.run();
        Map<String, Long> sent = new TreeMap<>(RedisFixture.commandsSent());
        sent.computeIfPresent("get", (get, times) -> times - 1);
        sent.remove("info");
        return sent;
    }

    private double callMicros() {
        Matcher calls = CALLS.matcher(RedisFixture.commands().info("commandstats"));
        assertThat(calls.find()).isTrue();
        return Double.parseDouble(calls.group(2)) / Long.parseLong(calls.group(1));
    }

    private void grant(String key, LimitStep<?> limit, int times) {
        for (int i = 0; i < times; i++) {
            if (times > 1) {
                redis.clock().sleep(1);
            }
            assertThat(decideIn(engine, key, limit, Request.take(1, 0)).isGranted())
                    .isTrue();
        }
    }

    private long bytes(String key) {
        return Objects.requireNonNull(RedisFixture.commands().memoryUsage(key));
    }

    private String key(LimitStep<?> limit) {
        return redis.prefix() + "{" + name(limit) + ":0123456789abcdef}" + limit.keySuffix();
    }

    private static String name(LimitStep<?> limit) {
        return limit.getClass().getSimpleName();
    }

    private static void record(String page, String figure, String value) {
        Figures.record(page, figure, value, RedisFixture.server());
    }

    private static void print(String format, Object... arguments) {
        System.out.println(String.format(Locale.ROOT, format, arguments));
    }
}
