package io.limiter.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.limiter.ConcurrencyLimiter;
import io.limiter.FailurePolicy;
import io.limiter.HashTag;
import io.limiter.Lease;
import io.limiter.Limiter;
import io.limiter.RateLimiter;
import io.limiter.algorithm.ConcurrencyLimit;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.LeakyBucket;
import io.limiter.algorithm.SlidingCounter;
import io.limiter.algorithm.SlidingLog;
import io.limiter.algorithm.TokenBucket;
import io.limiter.live.ChangeNote;
import io.limiter.live.LiveChange;
import io.limiter.live.LiveConflictException;
import io.limiter.live.LiveHistory;
import io.limiter.live.LiveKind;
import io.limiter.live.LiveLimit;
import io.limiter.live.LiveSettings;
import io.limiter.live.Unreadable;
import io.limiter.testing.Eventually;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LiveLimitsTest {

    private static final ChangeNote NOTE = ChangeNote.of("ann", "flood");
    private static final LiveSettings TEN =
            LiveSettings.of(LiveKind.TOKEN_BUCKET).rate(10);

    @RegisterExtension
    static final LiveFleet FLEET = new LiveFleet();

    @Test
    void a_put_has_to_fit_the_definition_that_was_built_last() {
        RedisRateLimiterFactory one = FLEET.instance();
        RateLimiter before = one.build("search", TokenBucket.of(10, 1));
        LiveSettings slow = LiveSettings.of(LiveKind.TOKEN_BUCKET).rate(0.1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> one.live().orElseThrow().put("search", slow, ChangeNote.of("ann", ""), 0));
        RateLimiter refreshed = one.build("search", TokenBucket.of(10, 60));
        assertThat(LiveFleet.logged(() -> one.live().orElseThrow().put("search", slow, ChangeNote.of("ann", ""), 0)))
                .isEmpty();
        assertThat(refreshed.getRate()).isEqualTo(0.1);
        assertThat(before.getRate()).as("keeps its own").isEqualTo(10);
        one.live().orElseThrow().fleet().watch();
        one.pollLiveLimits();
        assertThat(one.live()
                        .orElseThrow()
                        .fleet()
                        .watch()
                        .instances()
                        .get(0)
                        .limits()
                        .get(0)
                        .notApplied())
                .isEmpty();

        // What applies to annotations is of the one that was built, or built again, last.
        Supplier<LiveSettings> settings = one.live().orElseThrow().settingsOf("search");
        assertThat(settings.get()).isEqualTo(slow);
        one.build("search", TokenBucket.of(10, 1));
        assertThat(settings.get()).isEqualTo(LiveSettings.NONE);
        one.build("search", TokenBucket.of(10, 60));
        assertThat(settings.get()).isEqualTo(slow);

        // Built again, it is the newest.
        one.live()
                .orElseThrow()
                .remove(
                        "search",
                        ChangeNote.of("ann", ""),
                        one.live().orElseThrow().version());
        one.build("search", TokenBucket.of(10, 1));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> one.live().orElseThrow().put("search", slow, ChangeNote.of("ann", ""), 0));
    }

    @Test
    void a_change_reaches_another_instance_by_its_poll() {
        RedisRateLimiterFactory one = FLEET.instance();
        RedisRateLimiterFactory other = FLEET.instance();
        RateLimiter here = one.build("search", TokenBucket.perSecond(100));
        RateLimiter there = other.build("search", TokenBucket.perSecond(100));

        LiveLimit stored = one.live().orElseThrow().put("search", TEN, NOTE, 0);

        assertThat(stored).isEqualTo(new LiveLimit("search", TEN, 1, serverTime(), Optional.empty(), "ann", "flood"));
        assertThat(here.limit()).isEqualTo(TokenBucket.perSecond(10));
        assertThat(there.limit()).isEqualTo(TokenBucket.perSecond(100));
        assertThat(other.live().orElseThrow().version()).isZero();
        other.pollLiveLimits();
        assertThat(there.limit()).isEqualTo(TokenBucket.perSecond(10));
        assertThat(other.live().orElseThrow().list()).containsExactly(stored);
        assertThat(other.live().orElseThrow().version()).isEqualTo(1);

        other.live().orElseThrow().remove("search", NOTE, 1);
        assertThat(there.limit()).isEqualTo(TokenBucket.perSecond(100));
        one.pollLiveLimits();
        assertThat(here.limit()).isEqualTo(TokenBucket.perSecond(100));
        assertThat(one.live().orElseThrow().list()).isEmpty();
        assertThat(one.live().orElseThrow().version()).isEqualTo(2);
    }

    @Test
    void all_kinds_change_and_stay_what_they_are() {
        RedisRateLimiterFactory factory = FLEET.instance();
        Duration minute = Duration.ofMinutes(1);
        Limiter fixed = factory.build("fixed", FixedWindow.of(5, minute));
        Limiter log = factory.build("log", SlidingLog.of(5, minute));
        Limiter counter = factory.build("counter", SlidingCounter.of(5, minute));
        RateLimiter meter = factory.build("meter", LeakyBucket.meter(5, 7));
        RateLimiter queue = factory.build("queue", LeakyBucket.queue(5, 7));
        RateLimiter burst = factory.build("burst", TokenBucket.perSecond(5));
        ConcurrencyLimiter held = factory.build("held", ConcurrencyLimit.of(5).withLeaseTime(minute));

        put(factory, "fixed", LiveSettings.of(LiveKind.FIXED_WINDOW).limit(2).period(Duration.ofHours(1)));
        put(factory, "log", LiveSettings.of(LiveKind.SLIDING_LOG).limit(2));
        put(factory, "counter", LiveSettings.of(LiveKind.SLIDING_COUNTER).period(Duration.ofHours(1)));
        put(factory, "meter", LiveSettings.of(LiveKind.LEAKY_BUCKET).limit(3));
        put(factory, "queue", LiveSettings.of(LiveKind.LEAKY_QUEUE).rate(10));
        put(factory, "burst", LiveSettings.of(LiveKind.TOKEN_BUCKET).rate(10).burst(Duration.ofSeconds(3)));
        put(factory, "held", LiveSettings.of(LiveKind.CONCURRENT).limit(1));

        assertThat(fixed.limit()).isEqualTo(FixedWindow.of(2, Duration.ofHours(1)));
        assertThat(log.limit()).isEqualTo(SlidingLog.of(2, minute));
        assertThat(counter.limit()).isEqualTo(SlidingCounter.of(5, Duration.ofHours(1)));
        assertThat(meter.limit()).isEqualTo(LeakyBucket.meter(5, 3));
        assertThat(queue.limit()).isEqualTo(LeakyBucket.queue(10, 7));
        assertThat(burst.limit()).isEqualTo(TokenBucket.of(10, 3));
        assertThat(held.limit()).isEqualTo(ConcurrencyLimit.of(1).withLeaseTime(minute));
        try (Lease lease = held.on("key").acquire(1, Duration.ZERO)) {
            assertThat(lease.isHeld()).isTrue();
            assertThat(held.on("key").tryAcquire(1, Duration.ZERO)).isEmpty();
        }
        assertThat(fixed.tryAcquire("key", 1)).isTrue();
        assertThat(fixed.tryAcquire("key", 1)).isTrue();
        assertThat(fixed.tryAcquire("key", 1)).isFalse();
    }

    private static LiveLimit put(RedisRateLimiterFactory factory, String name, LiveSettings settings) {
        long expected =
                factory.live().orElseThrow().get(name).map(LiveLimit::version).orElse(0L);
        return factory.live().orElseThrow().put(name, settings, NOTE, expected);
    }

    @Test
    void applies_to_every_prefix_and_hash_tag_and_to_views_that_exist() {
        RedisRateLimiterFactory factory = FLEET.instance();
        RateLimiter view = factory.build("search", TokenBucket.perSecond(100)).on("key");
        RateLimiter prefixed = factory.withPrefix("other:").build("search", TokenBucket.perSecond(50));
        RateLimiter tagged = factory.withHashTag(HashTag.FIRST_KEY)
                .build("search", TokenBucket.perSecond(70).withCapacity(7));
        put(factory, "search", TEN);
        assertThat(view.limit().permitsPerSecond()).isEqualTo(10);
        assertThat(prefixed.limit().permitsPerSecond()).isEqualTo(10);
        assertThat(tagged.limit()).isEqualTo(TokenBucket.perSecond(10).withCapacity(7));
    }

    @Test
    void outranks_a_rate_that_was_set_and_gives_way_to_it_again() {
        RedisRateLimiterFactory factory = FLEET.instance();
        RateLimiter limiter = factory.build("search", TokenBucket.perSecond(100));
        limiter.setRate(50);
        LiveLimit live = put(factory, "search", TEN);
        assertThat(limiter.limit().permitsPerSecond()).isEqualTo(10);
        limiter.setRate(60);
        assertThat(limiter.limit().permitsPerSecond()).isEqualTo(10);
        factory.live().orElseThrow().remove("search", NOTE, live.version());
        assertThat(limiter.limit().permitsPerSecond()).isEqualTo(60);
    }

    @Test
    void limiters_without_live_limits_do_not_change() {
        RedisRateLimiterFactory factory = FLEET.instance();
        TokenBucket own = TokenBucket.perSecond(100);
        RateLimiter computed = factory.withoutLiveLimits().build("search", own);
        put(factory, "search", TEN);
        assertThat(computed.limit()).isEqualTo(own);
        assertThat(factory.withoutLiveLimits().build("search", own).limit()).isEqualTo(own);
        assertThat(factory.build("search", own).limit().permitsPerSecond()).isEqualTo(10);
    }

    @Test
    void is_kept_when_a_limiter_is_built_again() {
        RedisRateLimiterFactory factory = FLEET.instance(settings -> settings.limiterCache(1, 1, Duration.ofHours(1)));
        factory.build("search", TokenBucket.perSecond(100));
        put(factory, "search", TEN);
        for (int i = 0; i < 10; i++) {
            factory.build("other" + i, TokenBucket.perSecond(1));
        }
        System.gc();
        assertThat(factory.build("search", TokenBucket.perSecond(100)).limit().permitsPerSecond())
                .isEqualTo(10);
    }

    @Test
    void an_unknown_name_waits_for_its_limiter() {
        RedisRateLimiterFactory factory = FLEET.instance();
        put(factory, "later", TEN);
        assertThat(factory.build("later", TokenBucket.perSecond(100)).limit().permitsPerSecond())
                .isEqualTo(10);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> put(factory, "unknown", LiveSettings.NONE.rate(10)))
                .withMessage(
                        "kind must be set for the parameters of 'unknown', which has no limiter in this instance yet");
    }

    @Test
    void a_bad_one_is_rejected_and_the_old_stays() {
        RedisRateLimiterFactory factory = FLEET.instance();
        RateLimiter limiter = factory.build("search", TokenBucket.of(100, 1));
        LiveLimit old = put(factory, "search", TEN);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> put(factory, "search", TEN.rate(1e10)))
                .withMessageContaining("the live limit of 'search'")
                .withMessageContaining(
                        "rate (permits per second) must be between 1.1574074074074074E-8 and 1.0E9, was 1.0E10");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> put(factory, "search", TEN.rate(0.5)))
                .withMessageContaining("burst must be at least 2.0 s");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> put(
                        factory,
                        "search",
                        LiveSettings.of(LiveKind.FIXED_WINDOW).limit(1)))
                .withMessageContaining("a kind cannot be changed live")
                .withMessageContaining("use kind token-bucket");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> put(factory, "search", TEN.limit(1)))
                .withMessageContaining("limit 1 has no effect on kind token-bucket, which has rate, capacity, burst");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> put(factory, "unknown", TEN.rate(-1)))
                .withMessageContaining("was -1.0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> put(
                        factory,
                        "unknown",
                        LiveSettings.of(LiveKind.TOKEN_BUCKET).burst(Duration.ofDays(200_000))))
                .withMessageContaining("burst");
        for (String name : List.of("search", "unknown")) {
            for (double capacity : new double[] {Double.NaN, 0.9, -1}) {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> put(factory, name, TEN.capacity(capacity)))
                        .withMessageContaining("capacity (permits) must be at least 1, was " + capacity);
            }
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> put(factory, name, TEN.capacity(Double.POSITIVE_INFINITY)))
                    .withMessageContaining("capacity (permits)");
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> put(
                        factory, "unknown", LiveSettings.of(LiveKind.CONCURRENT).limit(0)))
                .withMessageContaining("was 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> put(factory, "n".repeat(201), TEN))
                .withMessage("name must have 1 to 200 characters, had 201");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> put(factory, " ", TEN))
                .withMessage("name must have 1 to 200 characters, had none");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> put(factory, "search", LiveSettings.NONE))
                .withMessageContaining("sets nothing");
        assertThat(factory.live().orElseThrow().list()).containsExactly(old);
        assertThat(limiter.limit().permitsPerSecond()).isEqualTo(10);
        assertThat(factory.live().orElseThrow().history()).hasSize(1);
    }

    @Test
    void of_concurrent_changes_one_wins_and_the_other_gets_it() {
        RedisRateLimiterFactory one = FLEET.instance();
        RedisRateLimiterFactory other = FLEET.instance();
        LiveLimit first = put(one, "search", TEN);
        LiveConflictException conflict = catchThrowableOfType(
                LiveConflictException.class,
                () -> other.live().orElseThrow().put("search", TEN.rate(20), ChangeNote.of("bob", ""), 0));
        assertThat(conflict.current()).contains(first);
        assertThat(conflict).hasMessageContaining("none was expected, but it has version 1 by ann");
        assertThatThrownBy(() -> other.live().orElseThrow().remove("search", NOTE, 7))
                .isInstanceOf(LiveConflictException.class);
        conflict = catchThrowableOfType(
                LiveConflictException.class, () -> other.live().orElseThrow().put("nothing", TEN, NOTE, 3));
        assertThat(conflict.current()).isEmpty();
        assertThat(other.live()
                        .orElseThrow()
                        .put("search", TEN.rate(20), NOTE, 1)
                        .version())
                .isEqualTo(2);
        other.live().orElseThrow().remove("nothing", NOTE, 0);
        assertThat(other.live().orElseThrow().version()).isEqualTo(2);
        assertThat(other.live().orElseThrow().history()).hasSize(2);
    }

    @Test
    void ends_on_every_instance_by_itself() {
        RedisRateLimiterFactory one = FLEET.instance();
        RedisRateLimiterFactory other = FLEET.instance();
        RateLimiter here = one.build("search", TokenBucket.perSecond(100));
        RateLimiter there = other.build("search", TokenBucket.perSecond(100));
        Supplier<LiveSettings> settings = other.live().orElseThrow().settingsOf("search");
        List<LiveChange> changes = new ArrayList<>();
        other.live().orElseThrow().subscribe(changes::add);
        LiveLimit stored = one.live().orElseThrow().put("search", TEN, NOTE.expiresIn(Duration.ofMinutes(5)), 0);
        other.pollLiveLimits();
        assertThat(stored.expiresAt()).contains(serverTime().plus(Duration.ofMinutes(5)));
        assertThat(settings.get()).isEqualTo(TEN);

        FLEET.clock().advance(Duration.ofMinutes(5).minusNanos(1000));
        other.pollLiveLimits();
        assertThat(other.live().orElseThrow().list()).containsExactly(stored);
        FLEET.clock().advance(Duration.ofNanos(1000));
        assertThat(one.live().orElseThrow().list()).isEmpty();
        FLEET.whileUnreadable(() -> {
            other.pollLiveLimits();
            assertThat(there.limit().permitsPerSecond()).isEqualTo(100);
            assertThat(settings.get()).isEqualTo(LiveSettings.NONE);
        });
        other.pollLiveLimits();
        assertThat(changes).hasSize(2);
        assertThat(changes.get(1).before()).contains(stored);
        assertThat(changes.get(1).after()).isEmpty();
        one.pollLiveLimits();
        assertThat(here.limit().permitsPerSecond()).isEqualTo(100);
        one.pollLiveLimits();
        assertThat(FLEET.<Long>commands(commands -> commands.hlen("{limiter:live}:limits")))
                .isZero();
        assertThat(put(one, "search", TEN).version()).isEqualTo(2);
    }

    @Test
    void a_change_is_rolled_back() {
        RedisRateLimiterFactory factory = FLEET.instance();
        RateLimiter limiter = factory.build("search", TokenBucket.perSecond(100));
        put(factory, "search", TEN);
        put(factory, "search", TEN.rate(5));
        LiveChange restored = factory.live().orElseThrow().rollBack(2, ChangeNote.of("bob", "too low"), 2);
        assertThat(restored.version()).isEqualTo(3);
        assertThat(restored.after().orElseThrow().settings()).isEqualTo(TEN);
        assertThat(restored.who()).isEqualTo("bob");
        assertThat(limiter.limit().permitsPerSecond()).isEqualTo(10);
        factory.live().orElseThrow().rollBack(1, NOTE, 3);
        assertThat(factory.live().orElseThrow().list()).isEmpty();
        assertThat(limiter.limit().permitsPerSecond()).isEqualTo(100);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> factory.live().orElseThrow().rollBack(1, NOTE, 0))
                .withMessageContaining("nothing to restore");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> factory.live().orElseThrow().rollBack(99, NOTE, 0))
                .withMessageContaining("no change of version 99");
        assertThatThrownBy(() -> factory.live().orElseThrow().rollBack(2, NOTE, 2))
                .isInstanceOf(LiveConflictException.class);
        factory.live().orElseThrow().rollBack(4, NOTE, 0);
        assertThat(limiter.limit().permitsPerSecond()).isEqualTo(10);
    }

    @Test
    void a_restored_limit_ends_when_it_would_have() {
        RedisRateLimiterFactory factory = FLEET.instance();
        LiveLimit first = factory.live().orElseThrow().put("search", TEN, NOTE.expiresIn(Duration.ofMinutes(5)), 0);
        put(factory, "search", TEN.rate(5));
        FLEET.clock().advance(Duration.ofMinutes(1));
        assertThat(factory.live()
                        .orElseThrow()
                        .rollBack(2, NOTE, 2)
                        .after()
                        .orElseThrow()
                        .expiresAt())
                .isEqualTo(first.expiresAt());
        put(factory, "search", TEN.rate(5));
        FLEET.clock().advance(Duration.ofMinutes(5));
        assertThat(factory.live().orElseThrow().rollBack(4, NOTE, 4).after()).isEmpty();
    }

    @Test
    void the_history_is_read_in_pages_and_has_the_last_changes_of_each_name() {
        RedisRateLimiterFactory factory = FLEET.instance(settings -> settings.liveLimits(LiveFleet.BY_HAND.history(3)));
        put(factory, "first", TEN);
        RedisRateLimiterFactory late = FLEET.instance();
        for (int i = 0; i < 60; i++) {
            put(factory, "limit" + i, TEN.rate(i + 1));
        }
        for (int i = 0; i < 5; i++) {
            put(factory, "search", TEN.rate(i + 1));
        }
        factory.live().orElseThrow().remove("search", NOTE, 66);
        assertThat(factory.live().orElseThrow().history())
                .hasSize(50)
                .extracting(LiveChange::version)
                .startsWith(67L, 66L, 65L, 61L)
                .endsWith(15L);
        List<Long> all = new ArrayList<>();
        LiveHistory page = factory.live().orElseThrow().history(7, 0);
        for (; page.next() != 0; page = factory.live().orElseThrow().history(7, page.next())) {
            assertThat(page.changes()).hasSize(7);
            page.changes().forEach(change -> all.add(change.version()));
        }
        page.changes().forEach(change -> all.add(change.version()));
        assertThat(all)
                .containsExactlyElementsOf(LongStream.rangeClosed(1, 67)
                        .filter(version -> version < 62 || version > 64)
                        .map(version -> -version)
                        .sorted()
                        .map(version -> -version)
                        .boxed()
                        .toList());
        assertThat(factory.live().orElseThrow().history(1, 2).changes())
                .singleElement()
                .extracting(LiveChange::name)
                .isEqualTo("first");
        // More changes than a poll reads one by one.
        late.pollLiveLimits();
        assertThat(late.live().orElseThrow().list())
                .hasSize(61)
                .containsExactlyElementsOf(factory.live().orElseThrow().list());
        assertThat(late.live().orElseThrow().rollBack(1, NOTE, 1).after()).isEmpty();
    }

    @Test
    void a_page_and_what_is_kept_have_bounds() {
        RedisRateLimiterFactory factory = FLEET.instance();
        for (int most : new int[] {0, -1, 1001}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> factory.live().orElseThrow().history(most, 0))
                    .withMessage("most must be between 1 and 1000, was " + most);
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> factory.live().orElseThrow().history(1, -1))
                .withMessage("before must be between 0 and 999999999999999, was -1");
        for (int kept : new int[] {0, 10_001}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> LiveFleet.BY_HAND.history(kept))
                    .withMessage("history (changes of each name) must be between 1 and 10000, was " + kept);
        }
        for (long version : new long[] {-1, Long.MAX_VALUE}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> factory.live().orElseThrow().put("search", TEN, NOTE, version))
                    .withMessage("expectedVersion must be between 0 and 999999999999999, was " + version);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> factory.live().orElseThrow().rollBack(version, NOTE, 0))
                    .withMessage("version must be between 1 and 999999999999999, was " + version);
        }
    }

    @Test
    void a_change_that_cannot_be_read_is_named_and_holds_nothing_up() {
        RedisRateLimiterFactory one = FLEET.instance();
        RedisRateLimiterFactory other = FLEET.instance();
        put(one, "search", TEN);
        other.pollLiveLimits();
        // Redis sorts those of one version as text; the first three are before the change that is looked for.
        for (String garbage : List.of(
                "!garbage",
                "2",
                "[\"2\",\"!\",\"1\",\"search\",\"{}\",\"\",\"1 2\"]",
                "[\"2\",\"z\",\"1\",\"search\",\"{}\",\"\",\"2 1 0 {\\\"settings\\\":{\\\"rate\\\":1}}\",\"more\"]",
                "[]",
                "null")) {
            FLEET.<Long>commands(commands -> commands.zadd("{limiter:live}:history", 2, garbage));
        }
        LiveFleet.logged(() -> {
            assertThat(one.live()
                            .orElseThrow()
                            .put("search", TEN.rate(20), NOTE, 1)
                            .version())
                    .isEqualTo(2);
            assertThat(one.live()
                            .orElseThrow()
                            .put("search", TEN.rate(30), NOTE, 2)
                            .version())
                    .isEqualTo(3);
            other.pollLiveLimits();
        });
        for (RedisRateLimiterFactory each : List.of(one, other)) {
            assertThat(each.live().orElseThrow().get("search").orElseThrow().settings())
                    .isEqualTo(TEN.rate(30));
            LiveHistory history = each.live().orElseThrow().history(50, 0);
            assertThat(history.changes()).extracting(LiveChange::version).containsExactly(3L, 2L, 1L);
            assertThat(history.unreadable())
                    .hasSize(6)
                    .allMatch(
                            change -> change.version() == 2 && !change.problem().isEmpty());
            assertThat(each.live().orElseThrow().history(1, 3).changes()).hasSize(1);
            assertThat(each.live().orElseThrow().history(1, 3).unreadable())
                    .as("all of one version are on one page")
                    .hasSize(6);
        }
    }

    @Test
    void every_method_checks_names() {
        RedisRateLimiterFactory one = FLEET.instance();
        put(one, "ul", TEN);
        for (String name : new String[] {null, "", " ", "n".repeat(201)}) {
            Map<String, Consumer<String>> methods = Map.of(
                    "get", each -> one.live().orElseThrow().get(each),
                    "settingsOf", each -> one.live().orElseThrow().settingsOf(each),
                    "put", each -> one.live().orElseThrow().put(each, TEN, NOTE, 0),
                    "remove", each -> one.live().orElseThrow().remove(each, NOTE, 1),
                    "remove nothing", each -> one.live().orElseThrow().remove(each, NOTE, 0));
            methods.forEach((method, call) -> assertThatIllegalArgumentException()
                    .as("%s '%s'", method, name)
                    .isThrownBy(() -> call.accept(name))
                    .withMessageStartingWith("name must have 1 to 200 characters, had "));
        }
        assertThat(one.live().orElseThrow().list()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "plain",
                "with space",
                "quote\" back\\slash / slash",
                "%d %s {limiter:live} ':' 1 2 3 x",
                "line\nbreak\r\ttab\u0000null\u001f\u007f",
                "umläut ☃ 漢字 \uD83D\uDE00",
                "unpaired \uD83D and \uDE00",
                "'; redis.call('FLUSHALL') --",
                "<script>alert(1)</script>"
            })
    void names_and_notes_survive_unchanged(String text) {
        RedisRateLimiterFactory one = FLEET.instance();
        RedisRateLimiterFactory other = FLEET.instance();
        put(one, "another", TEN);
        other.pollLiveLimits();
        one.live().orElseThrow().put(text, TEN, ChangeNote.of(text, text), 0);
        other.pollLiveLimits();
        RedisRateLimiterFactory fresh = FLEET.instance();
        for (RedisRateLimiterFactory each : List.of(one, other, fresh)) {
            LiveLimit found = each.live().orElseThrow().get(text).orElseThrow();
            assertThat(found.name()).isEqualTo(text);
            assertThat(found.who()).isEqualTo(text);
            assertThat(found.why()).isEqualTo(text);
            assertThat(each.live().orElseThrow().history().get(0).name()).isEqualTo(text);
            assertThat(each.build(text, TokenBucket.perSecond(100)).limit().permitsPerSecond())
                    .isEqualTo(10);
        }
    }

    @Test
    void all_settings_survive_unchanged() {
        RedisRateLimiterFactory one = FLEET.instance();
        RedisRateLimiterFactory other = FLEET.instance();
        LiveSettings settings = TEN.rate(1 / 3.0)
                .capacity(2.5)
                .timeout(Duration.ofNanos(1_500_000_001))
                .enforce(false)
                .failurePolicy(FailurePolicy.local(0.1));
        put(one, "a", settings);
        put(one, "b", LiveSettings.of(LiveKind.FIXED_WINDOW).limit(7).period(Duration.ofMillis(1)));
        put(one, "c", LiveSettings.NONE.failurePolicy(FailurePolicy.DENY).enforce(true));
        other.pollLiveLimits();
        assertThat(other.live().orElseThrow().list())
                .isEqualTo(one.live().orElseThrow().list());
        assertThat(other.live().orElseThrow().get("a").orElseThrow().settings()).isEqualTo(settings);
    }

    @Test
    void the_failure_policy_changes_and_comes_back() {
        RedisRateLimiterFactory factory = FLEET.instance();
        RateLimiter limiter = factory.build("search", TokenBucket.perSecond(100));
        Limiter computed = factory.withoutLiveLimits().build("search", TokenBucket.perSecond(100));
        LiveLimit live = put(factory, "search", LiveSettings.NONE.failurePolicy(FailurePolicy.DENY));
        assertThat(totalsPolicy(factory)).isEqualTo(FailurePolicy.DENY);
        assertThat(limiter.limit()).isEqualTo(computed.limit());
        factory.live().orElseThrow().remove("search", NOTE, live.version());
        assertThat(totalsPolicy(factory)).isEqualTo(FailurePolicy.THROW);
    }

    private static FailurePolicy totalsPolicy(RedisRateLimiterFactory factory) {
        return factory.statistics().totals().get(0).failurePolicy().orElseThrow();
    }

    @Test
    void a_kind_selects_among_limiters_of_one_name() {
        RedisRateLimiterFactory factory = FLEET.instance();
        RateLimiter bucket = factory.build("pay", TokenBucket.perSecond(100));
        Limiter window = factory.build("pay", FixedWindow.of(9, Duration.ofHours(1)));
        put(factory, "pay", TEN);
        assertThat(bucket.limit().permitsPerSecond()).isEqualTo(10);
        assertThat(window.limit()).isEqualTo(FixedWindow.of(9, Duration.ofHours(1)));
    }

    @Test
    void a_limiter_that_keeps_its_own_limit_keeps_its_failure_policy() {
        RedisRateLimiterFactory one = FLEET.instance();
        RedisRateLimiterFactory other = FLEET.instance();
        RateLimiter own = other.build("search", TokenBucket.of(100, 1));
        Supplier<LiveSettings> settings = other.live().orElseThrow().settingsOf("search");
        put(
                one,
                "search",
                TEN.rate(0.5).failurePolicy(FailurePolicy.DENY).enforce(false).timeout(Duration.ofSeconds(1)));
        LiveFleet.logged(other::pollLiveLimits);
        assertThat(own.limit().permitsPerSecond()).isEqualTo(100);
        assertThat(totalsPolicy(other)).isEqualTo(FailurePolicy.THROW);
        assertThat(settings.get()).isEqualTo(LiveSettings.NONE);
        other.withPrefix("a:").build("search", TokenBucket.perSecond(100).withCapacity(5));
        assertThat(settings.get().enforce()).isFalse();

        put(one, "pay", TEN.failurePolicy(FailurePolicy.DENY));
        other.pollLiveLimits();
        other.withPrefix("bucket:").build("pay", TokenBucket.perSecond(100));
        other.withPrefix("window:").build("pay", FixedWindow.of(9, Duration.ofHours(1)));
        assertThat(other.statistics().totals())
                .filteredOn(totals -> totals.name().equals("pay"))
                .extracting(totals -> totals.prefix() + totals.failurePolicy().orElseThrow())
                .containsExactlyInAnyOrder("bucket:" + FailurePolicy.DENY, "window:" + FailurePolicy.THROW);
    }

    @Test
    void a_listener_may_wait_for_a_thread_that_changes_a_limit() {
        RedisRateLimiterFactory one = FLEET.instance();
        List<String> changes = new ArrayList<>();
        one.live().orElseThrow().subscribe(change -> {
            if (change.name().equals("first")) {
                CompletableFuture.runAsync(() -> put(one, "second", TEN))
                        .orTimeout(1, TimeUnit.MINUTES)
                        .join();
            }
        });
        one.live().orElseThrow().subscribe(change -> changes.add(change.name()));
        put(one, "first", TEN);
        assertThat(changes).containsExactly("first", "second");
    }

    @Test
    void listeners_get_the_changes_of_a_listener_last() {
        RedisRateLimiterFactory one = FLEET.instance();
        RedisRateLimiterFactory other = FLEET.instance();
        List<Long> versions = new ArrayList<>();
        other.live().orElseThrow().subscribe(change -> {
            if (change.version() == 1) {
                put(other, "own", TEN);
            }
        });
        other.live().orElseThrow().subscribe(change -> versions.add(change.version()));
        put(one, "first", TEN);
        put(one, "second", TEN);
        other.pollLiveLimits();
        assertThat(versions).containsExactly(1L, 2L, 3L);
    }

    @Test
    void listeners_get_changes_in_order_after_they_were_applied() throws Exception {
        RedisRateLimiterFactory one = FLEET.instance();
        RedisRateLimiterFactory other = FLEET.instance();
        RateLimiter limiter = other.build("search", TokenBucket.perSecond(100));
        put(one, "first", TEN);
        other.pollLiveLimits();
        List<String> events = new ArrayList<>();
        AutoCloseable failing = other.live().orElseThrow().subscribe(change -> {
            throw new IllegalStateException("a listener's own mistake");
        });
        AutoCloseable subscription = other.live()
                .orElseThrow()
                .subscribe(change -> events.add(change.version() + " " + change.name() + " by " + change.who() + " at "
                        + limiter.limit().permitsPerSecond()));
        put(one, "search", TEN);
        put(one, "other", TEN);
        one.live().orElseThrow().remove("other", ChangeNote.of("bob", ""), 3);
        assertThat(LiveFleet.logged(other::pollLiveLimits))
                .hasSize(3)
                .allMatch(line -> line.startsWith("A listener of live limits has failed"));
        assertThat(events)
                .containsExactly("2 search by ann at 10.0", "3 other by ann at 10.0", "4 other by bob at 10.0");
        subscription.close();
        failing.close();
        put(one, "search", TEN.rate(3));
        other.pollLiveLimits();
        assertThat(events).hasSize(3);
    }

    @Test
    void settings_of_a_newer_version_are_not_applied_in_part() {
        RedisRateLimiterFactory one = FLEET.instance();
        RateLimiter limiter = one.build("search", TokenBucket.perSecond(100));
        put(one, "search", TEN);
        FLEET.commands(commands -> {
            commands.hset(
                    "{limiter:live}:limits",
                    "search",
                    "2 1763650000123456 0 {\"who\":\"new\",\"why\":\"\",\"settings\":{\"rate\":5,\"colour\":\"red\"}}");
            return commands.set("{limiter:live}:version", "2 newer");
        });
        assertThat(LiveFleet.logged(one::pollLiveLimits))
                .containsExactly(
                        "The limiters 'search' keep their own limit: this instance does not understand the live"
                                + " limit: it has no setting 'colour'; put another one, or remove it, with the expected"
                                + " version 2.");
        assertThat(limiter.limit().permitsPerSecond()).isEqualTo(100);
        assertThat(one.live().orElseThrow().list()).isEmpty();
        assertThat(one.live().orElseThrow().unreadable()).singleElement().satisfies(unreadable -> {
            assertThat(unreadable.name()).isEqualTo("search");
            assertThat(unreadable.version()).isEqualTo(2);
            assertThat(unreadable.problem()).contains("it has no setting 'colour'");
        });
        assertThat(one.live().orElseThrow().put("search", TEN, NOTE, 2).version())
                .isEqualTo(3);
        assertThat(limiter.limit().permitsPerSecond()).isEqualTo(10);
    }

    @Test
    void a_rejection_under_the_old_definition_is_not_repeated() {
        RedisRateLimiterFactory factory = FLEET.instance();
        RateLimiter limiter = factory.build("search", TokenBucket.perSecond(0.1).withCapacity(1));
        assertThat(limiter.tryAcquire()).isTrue();
        assertThat(limiter.decide(1).source()).isEqualTo(Decision.Source.BACKEND);
        assertThat(limiter.decide(1).source()).isEqualTo(Decision.Source.REJECTION_CACHE);
        put(factory, "search", LiveSettings.of(LiveKind.TOKEN_BUCKET).rate(1000));
        assertThat(limiter.decide(1).source()).isEqualTo(Decision.Source.BACKEND);
        FLEET.clock().advance(Duration.ofMillis(1));
        assertThat(limiter.tryAcquire()).isTrue();
    }

    @Test
    void permits_prefetched_under_the_old_definition_are_not_granted() {
        RedisRateLimiterFactory factory = FLEET.instance();
        RateLimiter limiter =
                factory.withPrefetch(1000, Duration.ofHours(1)).build("search", TokenBucket.perSecond(1_000_000));
        Eventually.that(() -> assertThat(limiter.decide("key", 1).source()).isEqualTo(Decision.Source.PREFETCH));
        put(factory, "search", LiveSettings.of(LiveKind.TOKEN_BUCKET).rate(10));
        assertThat(limiter.decide("key", 1).source()).isEqualTo(Decision.Source.BACKEND);
    }

    @Test
    void permits_prefetched_under_the_old_definition_are_not_returned() {
        RedisRateLimiterFactory factory = FLEET.instance();
        RateLimiter limiter =
                factory.withPrefetch(100, Duration.ofHours(1)).build("search", TokenBucket.of(0.001, 1_000_000));
        Eventually.that(() -> assertThat(limiter.decide("key", 1).source()).isEqualTo(Decision.Source.PREFETCH));
        put(factory, "search", LiveSettings.of(LiveKind.TOKEN_BUCKET).rate(0.01));
        RedisRateLimiterFactory other = FLEET.instance();
        RateLimiter there = other.build("search", TokenBucket.of(0.001, 1_000_000));
        long before = there.on("key").peek().remaining();
        factory.close();
        assertThat(there.on("key").peek().remaining())
                .as("under ten times the rate, each would be ten")
                .isBetween(before, before + 9);
    }

    @Test
    void parameters_without_a_kind_keep_how_many_calls_wait() {
        RedisRateLimiterFactory factory = FLEET.instance();
        RateLimiter queue = factory.build("queue", LeakyBucket.queue(5, 7));
        put(factory, "queue", LiveSettings.NONE.rate(10.0));
        assertThat(queue.limit()).isEqualTo(LeakyBucket.queue(10, 7));
        factory.live().orElseThrow().put("queue", LiveSettings.NONE.limit(3), NOTE, 1);
        assertThat(queue.limit()).isEqualTo(LeakyBucket.queue(5, 3));
    }

    @Test
    void a_kind_is_what_the_limit_was_defined_as_whatever_its_parameters() {
        RedisRateLimiterFactory factory = FLEET.instance();
        TokenBucket patient = TokenBucket.perSecond(5).withCapacity(1).withMaxWait(Duration.ofSeconds(2));
        RateLimiter bucket = factory.build("bucket", patient);
        RateLimiter queue = factory.build("queue", LeakyBucket.queue(1, 3600));
        RateLimiter meter = factory.build("meter", LeakyBucket.meter(5, 7));
        for (String name : List.of("bucket", "queue", "meter")) {
            put(factory, name, LiveSettings.NONE.rate(10));
        }
        assertThat(bucket.limit()).isEqualTo(patient.withRate(10));
        assertThat(bucket.limit().maxWait()).isEqualTo(Duration.ofSeconds(2));
        assertThat(queue.limit()).isEqualTo(LeakyBucket.queue(10, 3600));
        assertThat(meter.limit()).isEqualTo(LeakyBucket.meter(10, 7));
        put(factory, "queue", LiveSettings.of(LiveKind.LEAKY_QUEUE).limit(50));
        assertThat(queue.limit()).isEqualTo(LeakyBucket.queue(1, 50));
        for (LiveKind kind : List.of(LiveKind.LEAKY_QUEUE, LiveKind.LEAKY_BUCKET)) {
            assertThatIllegalArgumentException()
                    .isThrownBy(
                            () -> put(factory, "bucket", LiveSettings.of(kind).limit(3)))
                    .withMessageContaining("use kind token-bucket");
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> put(factory, "meter", TEN.capacity(3)))
                .withMessageContaining("use kind leaky-bucket");

        factory.live().orElseThrow().fleet().watch();
        factory.pollLiveLimits();
        assertThat(factory.live()
                        .orElseThrow()
                        .fleet()
                        .watch()
                        .instances()
                        .get(0)
                        .limits())
                .extracting(report -> report.name() + " " + report.settings().kind() + " "
                        + report.settings().limit())
                .containsExactlyInAnyOrder("bucket token-bucket null", "queue leaky-queue 50", "meter leaky-bucket 7");
    }

    @Test
    void a_timeout_is_rejected_where_calls_never_wait() {
        RedisRateLimiterFactory factory = FLEET.instance();
        Limiter window = factory.build("calls", FixedWindow.of(5, Duration.ofMinutes(1)));
        assertThatThrownBy(() -> put(factory, "calls", LiveSettings.NONE.timeout(Duration.ofSeconds(5))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("timeout PT5S has no effect on kind fixed-window");
        assertThat(window.limit()).isEqualTo(FixedWindow.of(5, Duration.ofMinutes(1)));
    }

    @Test
    void there_can_be_ten_thousand() {
        Map<String, String> stored = new HashMap<>();
        for (int i = 1; i <= 10_000; i++) {
            stored.put(
                    "limit" + i,
                    i
                            + " 1763650000123456 0 {\"who\":\"ann\",\"why\":\"\",\"settings\":{\"kind\":\"token-bucket\",\"rate\":"
                            + i + "}}");
        }
        FLEET.commands(commands -> {
            commands.hset("{limiter:live}:limits", stored);
            return commands.set("{limiter:live}:version", "10000 stamp");
        });
        RedisRateLimiterFactory factory = FLEET.instance();
        assertThat(factory.live().orElseThrow().list()).hasSize(10_000);
        RateLimiter limiter = factory.build("limit7000", TokenBucket.perSecond(100));
        assertThat(limiter.limit().permitsPerSecond()).isEqualTo(7000);
        RedisRateLimiterFactory other = FLEET.instance();
        other.live().orElseThrow().put("limit7000", TEN, NOTE, 7000);
        factory.pollLiveLimits();
        assertThat(limiter.limit().permitsPerSecond()).isEqualTo(10);
        assertThat(factory.live().orElseThrow().version()).isEqualTo(10_001);
        assertThat(factory.live().orElseThrow().list())
                .isEqualTo(other.live().orElseThrow().list());
    }

    @Test
    void one_that_cannot_be_read_does_not_hold_up_the_others() {
        RedisRateLimiterFactory one = FLEET.instance();
        RateLimiter limiter = one.build("search", TokenBucket.perSecond(100));
        FLEET.<Boolean>commands(commands -> commands.hset("{limiter:live}:limits", "broken", "by hand"));
        LiveFleet.logged(() -> put(one, "search", TEN));
        assertThat(limiter.limit().permitsPerSecond()).isEqualTo(10);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1 2                                                            | 0",
                "7 garbage                                                      | 0",
                "12345678901234567890 1763650000123456 0 {}                     | 0",
                "7 1763650000123456 0 garbage                                   | 7",
                "7 1763650000123456 0 {}                                        | 7",
                "7 1763650000123456 0 {\"settings\":{\"limit\":4294967303}}       | 7",
                "7 1763650000123456 0 {\"settings\":{\"limit\":\"7\"}}            | 7",
                "7 1763650000123456 0 {\"settings\":{\"rate\":5}} and more       | 7",
            })
    void one_that_cannot_be_read_is_named_and_can_be_replaced_or_removed(String stored, long version) {
        RedisRateLimiterFactory one = FLEET.instance();
        RedisRateLimiterFactory other = FLEET.instance();
        for (String name : List.of("search", "gone")) {
            FLEET.<Boolean>commands(commands -> commands.hset("{limiter:live}:limits", name, stored));
        }
        LiveFleet.logged(() -> put(one, "another", TEN));
        List<RedisRateLimiterFactory> built = new ArrayList<>();
        assertThat(LiveFleet.logged(() -> built.add(FLEET.instance())))
                .hasSize(2)
                .allMatch(line -> line.endsWith("with the expected version " + version + "."));
        RedisRateLimiterFactory fresh = built.get(0);
        Limiter window = fresh.build("search", FixedWindow.of(5, Duration.ofHours(1)));
        assertThat(window.limit()).isEqualTo(FixedWindow.of(5, Duration.ofHours(1)));
        assertThat(fresh.live().orElseThrow().list())
                .extracting(LiveLimit::name)
                .containsExactly("another");
        assertThat(fresh.live().orElseThrow().unreadable())
                .hasSize(2)
                .allMatch(each -> each.version() == version)
                .allMatch(each -> each.problem().endsWith("with the expected version " + version))
                .extracting(Unreadable::name)
                .containsExactly("gone", "search");
        LiveSettings two = LiveSettings.of(LiveKind.FIXED_WINDOW).limit(2);
        fresh.live().orElseThrow().put("search", two, NOTE, version);
        fresh.live().orElseThrow().remove("gone", NOTE, version);
        assertThat(window.limit()).isEqualTo(FixedWindow.of(2, Duration.ofHours(1)));
        assertThat(fresh.live().orElseThrow().unreadable()).isEmpty();
        other.pollLiveLimits();
        assertThat(other.live().orElseThrow().list())
                .isEqualTo(fresh.live().orElseThrow().list());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> fresh.live().orElseThrow().rollBack(2, NOTE, 2))
                .withMessageContaining("what version 2 of 'search' replaced cannot be read");
    }

    @Test
    void no_text_writes_a_second_line_into_the_log() {
        RedisRateLimiterFactory one = FLEET.instance();
        one.live().orElseThrow().subscribe(change -> {
            throw new IllegalStateException("a listener's own mistake");
        });
        String forged = "ann\n12:00:00 INFO all is well\u2028\u0085\u001b[2J";
        assertThat(LiveFleet.logged(() -> one.live().orElseThrow().put(forged, TEN, ChangeNote.of(forged, forged), 0)))
                .singleElement()
                .asString()
                .contains("ann?12:00:00 INFO")
                .doesNotContainPattern("[\\p{Cc}\\u2028]");
    }

    @Test
    void a_listener_may_renew_those_that_expire_together() {
        RedisRateLimiterFactory one = FLEET.instance();
        RateLimiter first = one.build("first", TokenBucket.perSecond(100));
        RateLimiter second = one.build("second", TokenBucket.perSecond(100));
        for (String name : List.of("first", "second")) {
            one.live().orElseThrow().put(name, TEN, NOTE.expiresIn(Duration.ofMinutes(1)), 0);
        }
        one.live().orElseThrow().subscribe(change -> {
            if (change.after().isEmpty() && change.name().equals("first")) {
                put(one, "first", TEN.rate(20));
                put(one, "second", TEN.rate(20));
            }
        });
        FLEET.clock().advance(Duration.ofMinutes(1));
        one.pollLiveLimits();
        assertThat(one.live().orElseThrow().list()).hasSize(2);
        assertThat(first.limit().permitsPerSecond()).isEqualTo(20);
        assertThat(second.limit().permitsPerSecond()).isEqualTo(20);
    }

    private static Instant serverTime() {
        return Instant.EPOCH.plus(FLEET.clock().micros(), ChronoUnit.MICROS);
    }
}
