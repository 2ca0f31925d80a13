package io.limiter.internal.live;

import static io.limiter.internal.live.LiveFleet.BY_HAND;
import static io.limiter.internal.live.LiveFleet.NOTE;
import static io.limiter.internal.live.LiveFleet.TEN;
import static io.limiter.internal.live.LiveFleet.live;
import static io.limiter.internal.live.LiveFleet.logged;
import static io.limiter.internal.live.LiveFleet.reports;
import static io.limiter.internal.live.LiveFleet.search;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.limiter.FailurePolicy;
import io.limiter.HashTag;
import io.limiter.Limiter;
import io.limiter.LimiterOptions;
import io.limiter.RateLimiter;
import io.limiter.algorithm.FixedWindow;
import io.limiter.algorithm.LimitKind;
import io.limiter.algorithm.TokenBucket;
import io.limiter.live.ChangeNote;
import io.limiter.live.LimitReport;
import io.limiter.live.LiveChange;
import io.limiter.live.LiveConflictException;
import io.limiter.live.LiveKey;
import io.limiter.live.LiveLimit;
import io.limiter.live.LiveLimits;
import io.limiter.live.LiveSettings;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How live limits of keys are named, checked, counted and read. */
class LiveKeyChangesTest {

    private static final LiveKey ANN = LiveKey.of("ann");
    private static final Duration HALF_HOUR = Duration.ofMinutes(30);
    private static final TokenBucket TWO = TokenBucket.perSecond(1e-5).withCapacity(2);
    private static final LiveSettings FOUR = LiveSettings.NONE.withCapacity(4);

    @RegisterExtension
    static final LiveFleet FLEET = new LiveFleet();

    private static LiveLimit put(LiveInstance factory, LiveSettings settings, ChangeNote note) {
        LiveLimits live = live(factory);
        long expected = live.get("search", ANN).map(LiveLimit::version).orElse(0L);
        return live.put("search", ANN, settings, note, expected);
    }

    @Test
    void has_a_version_a_history_and_is_rolled_back_as_a_live_limit() {
        LiveInstance factory = FLEET.instance(BY_HAND.withShowKeys(true));
        RateLimiter limiter = factory.build("search", TWO);
        LiveLimits live = live(factory);
        LiveLimit first = put(factory, FOUR, NOTE);
        assertThatThrownBy(() -> live.put("search", ANN, LiveSettings.BANNED, NOTE, 0))
                .isInstanceOf(LiveConflictException.class)
                .hasMessage(
                        "the live limit of 'search', key 'ann' was not changed: none was expected, but it has version 1"
                                + " by ann; read it again and repeat the change with that version");
        LiveLimit banned = live.put("search", ANN, LiveSettings.BANNED, NOTE, first.version());
        assertThat(live.put("search", LiveKey.of("bob"), FOUR, NOTE, 0).version())
                .isEqualTo(3);
        LiveChange undone = live.rollBack(banned.version(), NOTE, banned.version());
        assertThat(undone.key()).contains(ANN);
        assertThat(undone.after().orElseThrow().settings()).isEqualTo(FOUR);
        assertThat(limiter.on("ann").limit()).isEqualTo(TWO.withCapacity(4));
        assertThat(live.history())
                .extracting(LiveChange::key)
                .containsExactly(Optional.of(ANN), Optional.of(LiveKey.of("bob")), Optional.of(ANN), Optional.of(ANN));
        live.rollBack(first.version(), NOTE, undone.version());
        assertThat(live.get("search", ANN)).isEmpty();
        assertThat(live.history().get(0).after()).isEmpty();
    }

    @Test
    void settings_of_a_key_must_fit_and_those_for_keys_are_not_for_all() {
        LiveInstance factory = FLEET.instance();
        search(factory);
        rejected(
                "a kind cannot be changed live",
                () -> put(factory, LiveSettings.of(LimitKind.FIXED_WINDOW).withLimit(1), NOTE));
        rejected(
                "timeout and enforce are of all keys of 'search'",
                () -> put(factory, LiveSettings.NONE.withEnforce(false), NOTE));
        rejected(
                "access BANNED is for one key of 'search': name the key",
                () -> LiveFleet.put(factory, "search", LiveSettings.BANNED));
        rejected("access EXEMPT decides alone", () -> LiveSettings.EXEMPT.withRate(5));
        rejected("sets nothing", () -> put(factory, LiveSettings.NONE, NOTE));
        rejected("key must have 1 to 1000 characters, had none", () -> LiveKey.of(" "));
        rejected("key must have 1 to 1000 characters, had 1001", () -> LiveKey.of("k".repeat(1001)));
        rejected("must be 16 hexadecimal digits in lower case", () -> LiveKey.hashed("ABC"));
        assertThat(live(factory).history()).isEmpty();
    }

    private static void rejected(String message, Runnable call) {
        assertThatIllegalArgumentException().isThrownBy(call::run).withMessageContaining(message);
    }

    @Test
    void live_limits_hold_for_an_unlimited_plan() {
        LiveInstance factory = FLEET.instance(BY_HAND.withShowKeys(true));
        RateLimiter own = factory.build("search", TWO);
        RateLimiter gold = factory.with(LimiterOptions.NONE.withPlan("gold").withUnlimited(true))
                .build("search", TWO);
        assertThat(gold.on("ann").tryAcquire(100)).isTrue();
        put(factory, FOUR, NOTE);
        assertThat(gold.on("ann").tryAcquire(4)).as("the live limit of the key").isTrue();
        assertThat(gold.on("ann").tryAcquire()).isFalse();
        assertThat(gold.on("bob").tryAcquire(100)).isTrue();
        put(factory, LiveSettings.NONE.withFailurePolicy(FailurePolicy.DENY), NOTE);
        assertThat(gold.on("ann").tryAcquire(100))
                .as("it says nothing of how much")
                .isTrue();
        put(factory, LiveSettings.BANNED, NOTE);
        assertThat(gold.on("ann").tryAcquire()).as("a live ban").isFalse();
        LiveLimits live = live(factory);
        live.put("search", LiveSettings.NONE.withCapacity(3), NOTE, 0);
        assertThat(gold.on("bob").tryAcquire(100))
                .as("a live limit of another name")
                .isTrue();
        LiveLimit ofPlan = live.put("search.gold", LiveSettings.NONE.withCapacity(3), NOTE, 0);
        assertThat(gold.on("bob").tryAcquire(3)).isTrue();
        assertThat(gold.on("bob").tryAcquire()).as("that of the plan").isFalse();
        assertThat(own.on("bob").tryAcquire())
                .as("which takes the same permits")
                .isFalse();
        live.remove("search.gold", NOTE, ofPlan.version());
        assertThat(gold.on("bob").tryAcquire(100)).isTrue();
    }

    @Test
    void where_it_does_not_fit_the_key_has_the_limit_of_its_limiter() {
        LiveInstance one = FLEET.instance();
        LiveInstance other = FLEET.instance();
        Limiter window = other.build("search", FixedWindow.of(2, HALF_HOUR));
        put(one, LiveSettings.of(LimitKind.TOKEN_BUCKET).withRate(5), NOTE);
        other.pollLiveLimits();
        assertThat(window.on("ann").limit()).as("of another kind").isEqualTo(FixedWindow.of(2, HALF_HOUR));
        RateLimiter bucket = other.with(LimiterOptions.NONE.withPrefix("p:")).build("search", TokenBucket.of(100, 1));
        putByHand(one, "\"capacity\":0.5");
        assertThat(logged(() -> {
                    other.pollLiveLimits();
                    bucket.on("ann").limit();
                    bucket.tryAcquire("ann");
                }))
                .singleElement()
                .asString()
                .startsWith(
                        "Limiter 'search' does not apply the live limit of a key, because it does not fit: capacity");
        assertThat(bucket.on("ann").limit()).isEqualTo(TokenBucket.of(100, 1));
    }

    /** Stores what an instance would reject, as one of another version might. */
    private static void putByHand(LiveInstance factory, String setting) {
        LiveLimit stored = put(factory, LiveSettings.NONE.withFailurePolicy(FailurePolicy.DENY), NOTE);
        String field = "search\t\t" + stored.key().orElseThrow().value();
        FLEET.<Boolean>commands(commands -> {
            String value = commands.hget("{limiter:live}:limits", field);
            commands.del("{limiter:live}:history");
            return commands.hset("{limiter:live}:limits", field, value.replace("\"onFailure\":\"deny\"", setting));
        });
    }

    @Test
    void a_key_obeys_under_every_plan() {
        LiveInstance factory = FLEET.instance();
        factory.build("search", TWO);
        RateLimiter gold = factory.with(LimiterOptions.NONE.withPlan("gold")).build("search", TWO.withCapacity(9));
        LiveLimit ban = put(factory, LiveSettings.BANNED, NOTE);
        assertThat(gold.tryAcquire("ann")).isFalse();
        assertThat(gold.on("bob").tryAcquire(9)).isTrue();
        live(factory).put("search", ANN, LiveSettings.NONE.withCapacity(50), NOTE, ban.version());
        assertThat(gold.on("ann").limit()).isEqualTo(TWO.withCapacity(50));
    }

    @Test
    void where_a_key_is_given_the_name_of_a_plan_is_that_of_its_limit() {
        LiveInstance factory = FLEET.instance();
        List<RateLimiter> limiters = List.of(
                factory.build("search", TWO),
                factory.with(LimiterOptions.NONE.withPlan("gold")).build("search", TWO.withCapacity(9)));
        LiveLimits live = live(factory);
        LiveLimit ban = live.put("search.gold", ANN, LiveSettings.BANNED, NOTE, 0);
        assertThat(ban.name()).isEqualTo("search");
        assertThat(limiters).noneMatch(limiter -> limiter.tryAcquire("ann"));
        assertThat(live.get("search.gold", ANN)).contains(ban);
        assertThat(live.keys("search.gold")).containsExactly(ban);
        assertThat(live.keys("search")).containsExactly(ban);
        assertThat(live.get("search.gold")).isEmpty();
        assertThat(live.remove("search.gold", ANN, NOTE, ban.version()))
                .contains(live.history().get(0));
        assertThat(limiters).allMatch(limiter -> limiter.tryAcquire("ann"));
        // A limit of another prefix has the name of the plan.
        Limiter other = factory.with(LimiterOptions.NONE.withPrefix("other:"))
                .build("search.gold", FixedWindow.of(1, HALF_HOUR));
        assertThat(live.put("search.gold", ANN, LiveSettings.BANNED, NOTE, 0).name())
                .isEqualTo("search.gold");
        assertThat(other.tryAcquire("ann")).isFalse();
        reports(factory);
        factory.pollLiveLimits();
        assertThat(reports(factory).get(0).limits())
                .extracting(LimitReport::name, LimitReport::limiter)
                .containsExactlyInAnyOrder(
                        tuple("search", "search"), tuple("search.gold", "search"), tuple("search.gold", "search.gold"));
    }

    @Test
    void where_a_key_is_given_the_name_of_a_plan_that_this_instance_has_not_built_is_rejected() {
        LiveInstance factory = FLEET.instance();
        factory.build("search", TWO);
        LiveLimits live = live(factory);
        rejected(
                "this instance has built no limiter 'search.gold': if 'gold' is a plan of 'search', put the live limit of"
                        + " the key under 'search', and otherwise on an instance that has built the limiter",
                () -> live.put("search.gold", ANN, LiveSettings.BANNED, NOTE, 0));
        assertThat(live.history()).isEmpty();
        assertThat(live.put("other.gold", ANN, LiveSettings.BANNED, NOTE, 0).name())
                .as("waits until a limiter is built")
                .isEqualTo("other.gold");
        factory.with(LimiterOptions.NONE.withPlan("gold")).build("search", TWO);
        assertThat(live.put("search.gold", ANN, LiveSettings.BANNED, NOTE, 0).name())
                .isEqualTo("search");
    }

    @Test
    void a_key_of_a_limiter_that_only_others_have_built_is_changed_once_they_have_put_it() {
        LiveInstance builder = FLEET.instance(BY_HAND);
        Limiter second = builder.build("search.v2", TWO);
        LiveLimit ban = live(builder).put("search.v2", ANN, LiveSettings.BANNED, NOTE, 0);
        LiveInstance other = FLEET.instance();
        other.build("search", TWO);
        LiveLimit exempt = live(other).put("search.v2", ANN, LiveSettings.EXEMPT, NOTE, ban.version());
        builder.pollLiveLimits();
        assertThat(live(builder).get("search.v2", ANN)).contains(exempt);
        assertThat(second.on("ann").tryAcquire(9)).isTrue();
    }

    /** Whatever the hash tag, and whether keys are stored hashed. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_live_limit_is_that_of_one_key_path_alone(boolean showKeys) {
        LiveInstance factory = FLEET.instance(BY_HAND.withShowKeys(showKeys));
        live(factory).put("search", LiveKey.of("tenant", "user"), LiveSettings.BANNED, NOTE, 0);
        live(factory).put("search", LiveKey.of("50%#1"), LiveSettings.BANNED, NOTE, 0);
        put(factory, LiveSettings.BANNED, NOTE);
        for (HashTag hashTag : HashTag.values()) {
            RateLimiter limiter =
                    factory.with(LimiterOptions.NONE.withHashTag(hashTag)).build("search", TWO);
            assertThat(limiter.on("tenant").on("user").tryAcquire()).isFalse();
            assertThat(limiter.on("tenant").tryAcquire("user")).isFalse();
            assertThat(limiter.tryAcquire("50%#1")).isFalse();
            assertThat(limiter.on("50%#1").tryAcquire()).isFalse();
            assertThat(limiter.tryAcquire("ann")).isFalse();
            assertThat(limiter.on("tenant").tryAcquire()).isTrue();
            assertThat(limiter.tryAcquire("user")).isTrue();
            assertThat(limiter.tryAcquire("tenant#user")).as("another key").isTrue();
            assertThat(limiter.on("tenant#user").tryAcquire()).isTrue();
            assertThat(limiter.on("50%").on("1").tryAcquire()).isTrue();
            assertThat(limiter.tryAcquire("50%25%231")).isTrue();
            assertThat(limiter.on("tenant").on("ann").tryAcquire())
                    .as("of another tenant")
                    .isTrue();
        }
        assertThat(live(factory).get("search", LiveKey.parse("50%%231"))).isPresent();
        assertThat(LiveKey.parse("acme#50%").keys()).containsExactly("acme", "50%");
        assertThat(LiveKey.of("a#b", "50%").value()).isEqualTo("a%23b#50%25");
        rejected("no key of a key path must be blank, was 'a#'", () -> LiveKey.parse("a#"));
    }

    @Test
    void where_only_the_limits_were_lost_those_of_keys_are_counted_again() {
        LiveInstance one = FLEET.instance(BY_HAND.withRestore(true));
        put(one, LiveSettings.BANNED, NOTE);
        loseLimits();
        logged(one::pollLiveLimits);
        assertThat(counted()).isOne();
        loseLimits();
        LiveFleet.put(FLEET.instance(), "search", TEN);
        assertThat(counted()).isZero();
    }

    private static void loseLimits() {
        FLEET.<Long>commands(
                commands -> commands.zadd("{limiter:live}:keys", Double.POSITIVE_INFINITY, "search\tgone"));
        FLEET.<Long>commands(commands -> commands.del("{limiter:live}:limits"));
    }

    private static long counted() {
        return FLEET.<Long>commands(commands -> commands.zcard("{limiter:live}:keys"));
    }

    @Test
    void at_most_10_000_are_in_effect() {
        LiveInstance factory = FLEET.instance();
        LiveLimits live = live(factory);
        live.put("search", LiveKey.of("ends"), LiveSettings.BANNED, NOTE.withExpiry(HALF_HOUR), 0);
        LiveLimit removed = live.put("search", LiveKey.of("removed"), LiveSettings.BANNED, NOTE, 0);
        FLEET.<Long>commands(commands -> {
            for (int i = 0; i < 9_998; i++) {
                commands.zadd("{limiter:live}:keys", Double.POSITIVE_INFINITY, "search\t" + i);
            }
            return 0L;
        });
        rejected(
                "there are 10000 live limits of keys, and there cannot be more",
                () -> put(factory, LiveSettings.BANNED, NOTE));
        assertThat(live.put("search", LiveKey.of("removed"), LiveSettings.EXEMPT, NOTE, removed.version())
                        .version())
                .as("replaces one")
                .isEqualTo(3);
        live.remove("search", LiveKey.of("removed"), NOTE, 3);
        LiveLimit put = put(factory, LiveSettings.BANNED, NOTE);
        rejected("there cannot be more", () -> live.put("other", LiveKey.of("x"), LiveSettings.BANNED, NOTE, 0));
        LiveFleet.put(factory, "search", LiveSettings.NONE.withEnforce(false));
        FLEET.clock().advance(HALF_HOUR);
        live.put("other", LiveKey.of("x"), LiveSettings.BANNED, NOTE, 0);
        // Where the limits were deleted, the count is, too.
        FLEET.<Long>commands(commands -> commands.del("{limiter:live}:limits"));
        assertThat(put(FLEET.instance(), LiveSettings.BANNED, NOTE).version()).isGreaterThan(put.version());
        assertThat(counted()).isOne();
    }

    @Test
    void a_change_is_read_without_the_others() {
        LiveInstance one = FLEET.instance(BY_HAND.withShowKeys(true));
        LiveInstance other = FLEET.instance(BY_HAND.withShowKeys(true));
        RateLimiter limiter = other.build("search", TWO);
        for (int i = 0; i < 120; i++) {
            live(one).put("search", LiveKey.of("k" + i), LiveSettings.BANNED, NOTE, 0);
        }
        other.pollLiveLimits();
        assertThat(live(other).keys("search")).hasSize(120);
        long wholes = wholes();
        assertThat(wholes).as("the first poll").isPositive();
        IntStream.range(0, 59)
                .forEach(i -> live(one).put("search", LiveKey.of("k" + i), LiveSettings.EXEMPT, NOTE, i + 1));
        other.pollLiveLimits();
        assertThat(wholes()).as("59 changes of 120 limits").isEqualTo(wholes);
        assertThat(live(other).version()).isEqualTo(179);
        assertThat(limiter.on("k58").tryAcquire(9)).isTrue();
        assertThat(limiter.tryAcquire("k59")).isFalse();
        assertThat(live(other).keys("search")).isEqualTo(live(one).keys("search"));
    }

    /** How often the hash of all was read. */
    private static long wholes() {
        return FLEET.<String>commands(commands -> commands.info("commandstats"))
                .lines()
                .filter(line -> line.startsWith("cmdstat_hgetall:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("cmdstat_hgetall:calls=(\\d+),.*", "$1")))
                .sum();
    }
}
