package io.limiter.internal.live;

import static io.limiter.internal.live.LiveFleet.BY_HAND;
import static io.limiter.internal.live.LiveFleet.NOTE;
import static io.limiter.internal.live.LiveFleet.TEN;
import static io.limiter.internal.live.LiveFleet.live;
import static io.limiter.internal.live.LiveFleet.logged;
import static io.limiter.internal.live.LiveFleet.reports;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.google.common.base.Ticker;
import io.limiter.Decision.Source;
import io.limiter.RateLimiter;
import io.limiter.algorithm.TokenBucket;
import io.limiter.live.ChangeNote;
import io.limiter.live.LimitReport.HotKey;
import io.limiter.live.LiveKey;
import io.limiter.live.LiveLimit;
import io.limiter.live.LiveLimits;
import io.limiter.live.LiveOptions;
import io.limiter.live.LiveSettings;
import io.limiter.live.Unreadable;
import io.limiter.redis.RedisFixture;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Live limits of keys that are stored hashed, with a secret of the fleet that Redis can lose. */
class LiveKeyHashesTest {

    private static final LiveKey ANN = LiveKey.of("ann");
    private static final LiveKey BOB = LiveKey.of("bob");
    private static final Duration HALF_HOUR = Duration.ofMinutes(30);
    private static final TokenBucket TWO = TokenBucket.perSecond(1e-5).withCapacity(2);
    private static final String LIMITS = "{limiter:live}:limits";
    private static final String SECRET = "\t";

    @RegisterExtension
    static final LiveFleet FLEET = new LiveFleet();

    private static LiveLimit put(LiveInstance factory, LiveSettings settings, ChangeNote note) {
        LiveLimits live = live(factory);
        long expected = live.get("search", ANN).map(LiveLimit::version).orElse(0L);
        return live.put("search", ANN, settings, note, expected);
    }

    private static void rejected(String message, Runnable call) {
        assertThatIllegalArgumentException().isThrownBy(call::run).withMessageContaining(message);
    }

    private static void loseLimits() {
        FLEET.<Long>commands(commands -> commands.del(LIMITS));
    }

    private static Map<String, String> stored() {
        return FLEET.<Map<String, String>>commands(commands -> commands.hgetall(LIMITS));
    }

    @Test
    void a_key_is_stored_by_the_hash_that_reports_show_unless_keys_are_shown() {
        LiveInstance factory = FLEET.instance();
        RateLimiter limiter = factory.build("search", TWO);
        limiter.tryAcquire("ann");
        reports(factory);
        factory.pollLiveLimits();
        HotKey hottest = reports(factory).get(0).limits().get(0).hottest().get(0);
        LiveKey hashed = LiveKey.hashed(hottest.key());
        live(factory).put("search", hashed, LiveSettings.BANNED, NOTE, 0);
        assertThat(limiter.decide("ann").source()).isEqualTo(Source.OVERRIDE);
        assertThat(live(factory).get("search", ANN)).isEqualTo(live(factory).get("search", hashed));
        LiveKey bob = LiveKey.of("bob-the-builder");
        live(factory).put("search", bob, LiveSettings.BANNED, NOTE, 0);
        live(factory).remove("search", bob, NOTE, 2);
        for (String key : FLEET.<List<String>>commands(commands -> commands.keys("*live*"))) {
            assertThat(key).doesNotContain("bob-the");
        }
        String stored = FLEET.<Map<String, String>>commands(commands -> commands.hgetall("{limiter:live}:limits"))
                .toString();
        assertThat(stored + FLEET.<List<String>>commands(commands -> commands.zrange("{limiter:live}:history", 0, -1)))
                .doesNotContain("bob-the");
        // An instance that shows keys finds it, and does not store it twice.
        LiveInstance showing = FLEET.instance(BY_HAND.withShowKeys(true));
        assertThat(put(showing, LiveSettings.EXEMPT, NOTE).key()).contains(hashed);
        assertThat(live(showing).keys("search")).hasSize(1);
        live(showing).put("other", bob, LiveSettings.BANNED, NOTE, 0);
        assertThat(live(showing).keys()).extracting(LiveLimit::name).containsExactlyInAnyOrder("search", "other");
        factory.pollLiveLimits();
        assertThat(limiter.on("ann").tryAcquire(2)).isTrue();
    }

    @Test
    void is_kept_while_redis_cannot_be_read_and_restored_with_its_secret() {
        LiveOptions options = BY_HAND.withRestore(true);
        LiveInstance one = FLEET.instance(options);
        RateLimiter limiter = one.build("search", TWO);
        LiveLimit ban = put(one, LiveSettings.BANNED, NOTE.withExpiry(HALF_HOUR));
        FLEET.whileUnreadable(() -> {
            one.pollLiveLimits();
            assertThat(limiter.tryAcquire("ann")).isFalse();
        });
        FLEET.loseEverything();
        // A console that watches before the fleet comes back makes another secret.
        FLEET.clock().advance(Duration.ofSeconds(1));
        LiveInstance stranger = FLEET.instance(options);
        reports(stranger);
        assertThat(logged(one::pollLiveLimits)).singleElement().asString().contains("written back 1 of them");
        LiveInstance fresh = FLEET.instance(options);
        assertThat(live(fresh).get("search", ANN)).contains(ban);
        assertThat(fresh.build("search", TWO).tryAcquire("ann")).isFalse();
        assertThat(fresh.build("search", TWO).tryAcquire("bob")).isTrue();
        // It was started while the console watches, so it also polls by itself, each second, and would log what one
        // logs.
        fresh.close();
        FLEET.clock().advance(HALF_HOUR);
        FLEET.whileUnreadable(() -> {
            one.pollLiveLimits();
            assertThat(limiter.tryAcquire("ann")).as("ended without Redis").isTrue();
        });
    }

    @Test
    void a_key_that_is_stored_by_itself_is_changed_by_its_key_and_by_its_hash() {
        LiveInstance showing = FLEET.instance(BY_HAND.withShowKeys(true));
        LiveLimit exempt = put(showing, LiveSettings.EXEMPT, NOTE);
        assertThat(exempt.key()).contains(ANN);
        LiveInstance hashing = FLEET.instance();
        RateLimiter limiter = hashing.build("search", TWO);
        assertThat(limiter.on("ann").tryAcquire(9)).isTrue();
        reports(hashing);
        hashing.pollLiveLimits();
        LiveLimits live = live(hashing);
        LiveKey hash = LiveKey.hashed(
                reports(hashing).get(0).limits().get(0).hottest().get(0).key());
        assertThat(live.isSame(ANN, hash)).isTrue();
        assertThat(live.isSame(hash, LiveKey.of("bob"))).isFalse();
        assertThat(live.get("search", ANN)).contains(exempt);
        assertThat(live.get("search", hash)).contains(exempt);
        LiveLimit ban = live.put("search", ANN, LiveSettings.BANNED, NOTE, exempt.version());
        assertThat(ban.key()).contains(ANN);
        assertThat(limiter.tryAcquire("ann")).isFalse();
        exempt = live.put("search", hash, LiveSettings.EXEMPT, NOTE, ban.version());
        assertThat(limiter.on("ann").tryAcquire(9)).isTrue();
        live.remove("search", ANN, NOTE, exempt.version());
        assertThat(limiter.on("ann").tryAcquire(3)).isFalse();
        assertThat(put(hashing, LiveSettings.EXEMPT, NOTE).key()).contains(hash);
    }

    @Test
    void a_ban_after_redis_has_lost_everything_is_obeyed_by_new_instances() {
        LiveInstance one = FLEET.instance();
        put(one, LiveSettings.BANNED, NOTE);
        FLEET.loseEverything();
        logged(one::pollLiveLimits);
        put(one, LiveSettings.BANNED, NOTE);
        for (int i = 0; i < 2; i++) {
            LiveInstance fresh = FLEET.instance();
            assertThat(fresh.build("search", TWO).tryAcquire("ann")).isFalse();
            // A console does not make another secret.
            reports(fresh);
            one.pollLiveLimits();
        }
        assertThat(one.build("search", TWO).tryAcquire("ann")).isFalse();
    }

    @Test
    void a_key_is_hashed_again_if_redis_has_another_secret() {
        LiveInstance one = FLEET.instance();
        LiveInstance stranger = FLEET.instance();
        String hash = put(one, LiveSettings.BANNED, NOTE).key().orElseThrow().value();
        // Called after this instance has polled, and before it stores its change.
        live(one).subscribe(change -> {
            if (change.after().isEmpty()) {
                reports(stranger);
            }
        });
        FLEET.loseEverything();
        logged(() -> live(one).put("search", ANN, LiveSettings.BANNED, NOTE, 0));
        LiveInstance fresh = FLEET.instance();
        assertThat(fresh.build("search", TWO).tryAcquire("ann")).isFalse();
        assertThat(live(one).keys("search"))
                .singleElement()
                .satisfies(ban -> assertThat(ban.key().orElseThrow().value()).isNotEqualTo(hash));
        FLEET.loseEverything();
        logged(() -> rejected(
                "the hashes of keys have changed, because Redis has lost their secret: read the hash of the key again",
                () -> live(one).put("search", LiveKey.hashed(hash), LiveSettings.BANNED, NOTE, 0)));
        live(one).put("search", LiveKey.hashed(hash), LiveSettings.BANNED, NOTE, 0);
    }

    @Test
    void a_console_that_opens_after_the_limits_were_lost_offers_the_secret_that_its_instance_knows() {
        LiveInstance one = FLEET.instance();
        LiveKey hash = put(one, LiveSettings.BANNED, NOTE).key().orElseThrow();
        loseLimits();
        reports(one);
        assertThat(live(FLEET.instance()).isSame(ANN, hash)).isTrue();
    }

    @Test
    void an_instance_that_reports_after_the_limits_were_lost_offers_the_secret_that_it_knows() {
        LiveInstance one = FLEET.instance();
        LiveKey hash = put(one, LiveSettings.BANNED, NOTE).key().orElseThrow();
        LiveInstance watching = FLEET.instance();
        reports(watching);
        loseLimits();
        logged(one::pollLiveLimits);
        assertThat(live(FLEET.instance()).isSame(ANN, hash)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_ban_that_was_put_since_a_loss_is_obeyed_whatever_is_restored(boolean losesEverything) {
        LiveOptions options = BY_HAND.withRestore(true);
        LiveInstance one = FLEET.instance(options);
        put(one, LiveSettings.BANNED, NOTE);
        LiveFleet.put(one, "other", TEN);
        if (losesEverything) {
            FLEET.loseEverything();
        } else {
            loseLimits();
        }
        FLEET.clock().advance(Duration.ofSeconds(1));
        LiveInstance stranger = FLEET.instance(options);
        LiveLimit ban = live(stranger).put("search", BOB, LiveSettings.BANNED, NOTE, 0);
        assertThat(logged(one::pollLiveLimits))
                .hasSize(2)
                .anySatisfy(line -> assertThat(line).contains("has written back 1 of them, of [other]"))
                .anySatisfy(line -> assertThat(line).contains("drops 1 of keys", "put them again"));
        stranger.pollLiveLimits();
        for (LiveInstance each : List.of(one, stranger, FLEET.instance(options))) {
            assertThat(live(each).keys()).containsExactly(ban);
            assertThat(live(each).get("other")).isPresent();
            assertThat(each.build("search", TWO).tryAcquire("bob")).isFalse();
        }
        assertThat(logged(one::pollLiveLimits)).isEmpty();
    }

    @Test
    void a_newer_secret_without_keys_does_not_replace_one_with_keys() {
        LiveOptions options = BY_HAND.withRestore(true);
        LiveInstance one = FLEET.instance(options);
        LiveLimit ban = put(one, LiveSettings.BANNED, NOTE);
        FLEET.loseEverything();
        FLEET.clock().advance(Duration.ofSeconds(1));
        LiveInstance stranger = FLEET.instance(options);
        reports(stranger);
        LiveFleet.put(stranger, "other", TEN);
        for (int i = 0; i < 2; i++) {
            one.pollLiveLimits();
            stranger.pollLiveLimits();
        }
        for (LiveInstance each : List.of(one, stranger, FLEET.instance(options))) {
            assertThat(live(each).keys()).containsExactly(ban);
            assertThat(live(each).get("other")).isPresent();
            assertThat(each.build("search", TWO).tryAcquire("ann")).isFalse();
        }
    }

    @Test
    void keys_of_a_secret_that_is_replaced_are_dropped() {
        LiveOptions options = BY_HAND.withRestore(true);
        LiveInstance one = FLEET.instance(options);
        put(one, LiveSettings.BANNED, NOTE);
        Map<String, String> snapshot = stored();
        FLEET.loseEverything();
        FLEET.clock().advance(Duration.ofSeconds(1));
        LiveInstance two = FLEET.instance(options);
        LiveLimit ban = live(two).put("search", BOB, LiveSettings.BANNED, NOTE, 0);
        loseLimits();
        FLEET.<Long>commands(commands -> commands.hset(LIMITS, snapshot));
        two.pollLiveLimits();
        LiveInstance fresh = FLEET.instance(options);
        assertThat(live(fresh).keys()).containsExactly(ban);
        assertThat(fresh.build("search", TWO).tryAcquire("bob")).isFalse();
    }

    @Test
    void limits_that_were_stored_under_another_secret_say_that_those_before_were_lost() {
        LiveInstance one = FLEET.instance();
        put(one, LiveSettings.BANNED, NOTE);
        LiveFleet.put(one, "other", TEN);
        loseLimits();
        LiveLimit ban = live(FLEET.instance()).put("search", BOB, LiveSettings.BANNED, NOTE, 0);
        assertThat(logged(one::pollLiveLimits)).singleElement().asString().contains("and has got others since");
        assertThat(live(one).keys()).containsExactly(ban);
        assertThat(live(one).list()).isEmpty();
        assertThat(one.build("search", TWO).tryAcquire("bob")).isFalse();
    }

    @Test
    void a_key_is_not_stored_by_a_hash_of_a_secret_that_was_lost_in_between() {
        AtomicReference<Runnable> meanwhile = new AtomicReference<>(() -> {});
        Ticker ticker = new Ticker() {
            @Override
            public long read() {
                boolean hashes = StackWalker.getInstance()
                        .walk(frames ->
                                frames.anyMatch(frame -> frame.getMethodName().equals("stored")));
                if (hashes) {
                    meanwhile.getAndSet(() -> {}).run();
                }
                return FLEET.clock().read();
            }
        };
        LiveInstance one = FLEET.instance(settings -> RedisFixture.withTicker(settings, LiveFleet.CLOCK, ticker));
        put(one, LiveSettings.BANNED, NOTE);
        AtomicReference<Boolean> ran = new AtomicReference<>(false);
        meanwhile.set(() -> {
            FLEET.<Boolean>commands(commands -> commands.hset(LIMITS, SECRET, "9999999999999999 another"));
            one.pollLiveLimits();
            ran.set(true);
        });
        LiveKey hash = LiveKey.hashed("0123456789abcdef");
        rejected("the hashes of keys have changed", () -> live(one).put("search", hash, LiveSettings.BANNED, NOTE, 0));
        assertThat(ran.get()).isTrue();
        assertThat(stored()).doesNotContainKey("search\t\t0123456789abcdef");
    }

    @Test
    void a_hash_is_of_no_key_before_there_is_a_secret() {
        LiveInstance one = FLEET.instance();
        LiveKey hash = LiveKey.hashed("0123456789abcdef");
        rejected(
                "no key has this hash, because there is no secret for hashing keys yet",
                () -> live(one).put("search", hash, LiveSettings.BANNED, NOTE, 0));
        assertThat(stored()).isEmpty();
        assertThat(live(one).remove("search", hash, NOTE, 0)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void one_that_cannot_be_read_is_named_replaced_and_removed_by_its_key_and_its_hash(boolean isHashed) {
        LiveInstance one = FLEET.instance(BY_HAND.withShowKeys(!isHashed));
        put(one, LiveSettings.BANNED, NOTE);
        String field = stored().keySet().stream()
                .filter(each -> each.startsWith("search\t"))
                .findFirst()
                .orElseThrow();
        assertThat(field.startsWith("search\t\t")).isEqualTo(isHashed);
        FLEET.<Long>commands(commands -> {
            commands.hset(LIMITS, field, "7 1763650000123456 0 {\"settings\":{\"colour\":\"red\"}}");
            return commands.del("{limiter:live}:history");
        });
        FLEET.<String>commands(commands -> commands.set("{limiter:live}:version", "7 newer"));
        // It would store a new one in the other way.
        LiveInstance other = FLEET.instance(BY_HAND.withShowKeys(isHashed));
        RateLimiter limiter = other.build("search", TWO);
        assertThat(live(other).unreadable())
                .extracting(Unreadable::problem)
                .singleElement()
                .asString()
                .startsWith("key '" + (isHashed ? "#" : "ann'"));
        LiveLimit replaced = live(other).put("search", ANN, LiveSettings.BANNED, NOTE, 7);
        assertThat(limiter.tryAcquire("ann")).isFalse();
        assertThat(stored()).containsKey(field).hasSize(2);
        assertThat(live(other).unreadable()).isEmpty();
        assertThat(live(other).remove("search", ANN, NOTE, replaced.version())).isPresent();
    }
}
