package io.limiter.spring.client;

import static io.limiter.spring.client.AnsweredCalls.API;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.limiter.RateLimitExceededException;
import io.limiter.live.ChangeNote;
import io.limiter.live.ForwardingLiveLimits;
import io.limiter.live.LiveChange;
import io.limiter.live.LiveKey;
import io.limiter.live.LiveLimit;
import io.limiter.live.LiveLimits;
import io.limiter.live.LiveSettings;
import io.limiter.local.LocalLimiterFactory;
import io.limiter.testing.TestClock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;

/** When calls are sent again after a pause, by a clock that the test moves. */
class PauseEndsTest {

    /** Not that of this JVM. */
    private static final Instant SERVER_TIME = Instant.parse("2001-02-03T04:05:06Z");

    private final TestClock clock = new TestClock();
    private final LocalLimiterFactory factory = LocalLimiterFactory.unlimited();
    private final ClientPauses pauses = new ClientPauses(true, LiveLimits.NONE, event -> {}, clock::read);
    private final ClientRules limits = new ClientRules(factory, name -> () -> LiveSettings.NONE, settings(), pauses);

    private HttpStatus answer = HttpStatus.TOO_MANY_REQUESTS;
    private String retryAfter = "30";

    private static Map<String, ClientSettings> settings() {
        Map<String, String> properties = Map.of(
                "limiter.clients.maps.hosts", API.getHost(),
                "limiter.clients.maps.limits.second.rate", "1000",
                "limiter.clients.maps.pause-at-most", "1m");
        return new Binder(new MapConfigurationPropertySource(properties))
                .bind(ClientRules.PROPERTY, Bindable.mapOf(String.class, ClientSettings.class))
                .get();
    }

    @AfterEach
    void close() throws Exception {
        pauses.destroy();
        factory.close();
    }

    enum Client {
        BLOCKING {
            @Override
            void call(PauseEndsTest test) {
                AnsweredCalls.call(
                        new ClientLimitInterceptor(test.limits, test.limits::find), test.answer, test.retryAfter);
            }
        },
        REACTIVE {
            @Override
            void call(PauseEndsTest test) {
                AnsweredCalls.call(new ClientLimitFilter(test.limits, test.limits::find), test.answer, test.retryAfter);
            }
        };

        abstract void call(PauseEndsTest test);
    }

    private boolean isSent(Client client) {
        return catchThrowableOfType(RateLimitExceededException.class, () -> client.call(this)) == null;
    }

    @ParameterizedTest
    @EnumSource
    void calls_are_sent_again_after_the_requested_time_and_the_jitter(Client client) {
        client.call(this);
        answer = HttpStatus.OK;
        clock.advance(Duration.ofSeconds(30));
        assertThat(isSent(client)).isFalse();
        // A second, and a tenth of the pause.
        clock.advance(Duration.ofMillis(1000 + 3100));
        assertThat(isSent(client)).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void a_response_to_the_first_call_after_a_pause_begins_the_next(Client client) {
        client.call(this);
        clock.advance(Duration.ofSeconds(35));
        client.call(this);
        assertThat(isSent(client)).isFalse();
        clock.advance(Duration.ofSeconds(30));
        assertThat(isSent(client)).isFalse();
        clock.advance(Duration.ofSeconds(5));
        assertThat(isSent(client)).isTrue();
    }

    /** Has a live ban by these pauses, and keeps their listener and how long what they store lasts. */
    private static final class Bans extends ForwardingLiveLimits {

        private final Instant serverTime;
        private final LiveLimit ban;
        private final CompletableFuture<Duration> stored = new CompletableFuture<>();
        private Consumer<LiveChange> listener = change -> {};

        Bans(Instant serverTime, LiveLimit ban) {
            super(LiveLimits.NONE);
            this.serverTime = serverTime;
            this.ban = ban;
        }

        @Override
        public Instant serverTime() {
            return serverTime;
        }

        @Override
        public Optional<LiveLimit> get(String name, LiveKey key) {
            return Optional.of(ban);
        }

        @Override
        public LiveLimit put(String name, LiveKey key, LiveSettings settings, ChangeNote note, long expectedVersion) {
            stored.complete(Objects.requireNonNull(note.expiresIn()));
            return ban;
        }

        @Override
        public AutoCloseable subscribe(Consumer<LiveChange> newListener) {
            listener = newListener;
            return () -> {};
        }
    }

    private static LiveLimit ban(int version, Instant since, long seconds) {
        return LiveLimit.of(
                "maps",
                Optional.of(LiveKey.of("maps")),
                LiveSettings.BANNED,
                version,
                since,
                Optional.of(since.plusSeconds(seconds)),
                ClientPauses.WHO,
                "answered 429");
    }

    @Test
    void the_expiry_of_a_ban_that_another_has_replaced_ends_no_pause() throws Exception {
        Instant since = SERVER_TIME;
        LiveLimit replaced = ban(5, since.minusSeconds(10), 10);
        Bans bans = new Bans(since, ban(6, since, 60));
        ClientPauses shared = new ClientPauses(true, bans, event -> {}, clock::read);
        ClientPause pause = shared.of("maps", "maps");
        bans.listener.accept(LiveChange.of(
                5,
                "maps",
                replaced.key(),
                Optional.of(replaced),
                Optional.empty(),
                since,
                ClientPauses.WHO,
                "expired"));
        assertThat(pause.left()).isEqualTo(Duration.ofSeconds(60));
        bans.listener.accept(LiveChange.of(
                6,
                "maps",
                bans.ban.key(),
                Optional.of(bans.ban),
                Optional.empty(),
                since.plusSeconds(60),
                ClientPauses.WHO,
                "expired"));
        assertThat(pause.left()).isZero();
        shared.destroy();
    }

    @Test
    void a_pause_that_outlasts_a_ban_which_was_seen_late_is_announced() throws Exception {
        Bans bans = new Bans(SERVER_TIME, ban(5, SERVER_TIME.minusSeconds(50), 60));
        ClientPauses shared = new ClientPauses(true, bans, event -> {}, clock::read);
        HttpHeaders headers = new HttpHeaders();
        headers.set("Retry-After", "30");
        new ClientRules(factory, name -> () -> LiveSettings.NONE, settings(), shared)
                .named("maps")
                .answered(429, headers);
        assertThat(bans.stored).succeedsWithin(Duration.ofMinutes(1)).isEqualTo(Duration.ofSeconds(31));
        shared.destroy();
    }

    @Test
    void the_rest_of_a_ban_is_known_by_the_time_of_the_server() throws Exception {
        Bans bans = new Bans(SERVER_TIME, ban(5, SERVER_TIME.minusSeconds(50), 60));
        ClientPauses shared = new ClientPauses(true, bans, event -> {}, clock::read);
        ClientPause pause = shared.of("maps", "maps");
        assertThat(pause.left()).isEqualTo(Duration.ofSeconds(10));
        assertThat(pause.prolong(Duration.ofSeconds(9))).as("others must know").isFalse();
        shared.destroy();
    }

    @ParameterizedTest
    @CsvSource({
        "BLOCKING, 86400",
        "REACTIVE, 86400",
        "BLOCKING, 999999999999999999",
        "REACTIVE, 'Fri, 31 Dec 9999 23:59:59 GMT'"
    })
    void no_pause_is_longer_than_the_bound_a_second_and_the_jitter(Client client, String requested) {
        retryAfter = requested;
        client.call(this);
        answer = HttpStatus.OK;
        clock.advance(Duration.ofSeconds(60));
        assertThat(isSent(client)).isFalse();
        clock.advance(Duration.ofMillis(1000 + 6100));
        assertThat(isSent(client)).isTrue();
    }
}
