package io.limiter.spring.internal.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.Limiter;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.algorithm.Ban;
import io.limiter.algorithm.FixedWindow;
import io.limiter.live.LiveLimits;
import io.limiter.local.LocalLimiterFactory;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/** Each ban that the endpoint shows is ended as it is shown, whatever the key. */
class BansInEffectTest {

    private static final String[] LOGIN = {"login"};

    private final LimiterFactory factory = LocalLimiterFactory.builder().build();
    private final LimiterFactory limiters = factory.with(LimiterOptions.NONE.withBan(Ban.after(1)));

    private static LimitDescription.BannedKey banned(LimitersEndpoint endpoint, int place) {
        LimitDescription shown =
                (LimitDescription) Objects.requireNonNull(endpoint.limit(SecurityContext.NONE, LOGIN, null));
        return Objects.requireNonNull(shown.bansInEffect()).get(place);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_key_and_nested_keys(boolean showKeys) {
        LimitersEndpoint endpoint = new LimitersEndpoint(
                new LimitLookup(factory, Stream::empty, false, event -> {}),
                LiveLimits.NONE,
                new CallTimes(),
                new LimitersEndpoint.Settings(showKeys ? Show.ALWAYS : Show.NEVER, Set.of()));
        FixedWindow once = FixedWindow.of(1, Duration.ofHours(1));
        Limiter plain = limiters.build("login", once);
        List<Limiter> keys = List.of(
                plain.on("shop").on("ann"),
                plain.on("other").on("ann"),
                plain.on("shop"),
                plain.on("ann"),
                plain.on("shop").on("ann#1"));
        for (Limiter key : keys) {
            key.tryAcquire();
            key.tryAcquire();
            LimitDescription.BannedKey shown = banned(endpoint, 0);
            assertThat(endpoint.reset(SecurityContext.NONE, LOGIN, null, "elsewhere", null))
                    .isInstanceOfSatisfying(
                            WebEndpointResponse.class,
                            answer -> assertThat(answer.getStatus()).isEqualTo(400));
            assertThat(endpoint.reset(SecurityContext.NONE, LOGIN, null, shown.key(), null))
                    .as("%s", shown)
                    .isNull();
            assertThat(key.tryAcquire()).as("%s", shown).isTrue();
        }
        for (Limiter key : keys) {
            key.tryAcquire();
        }
        assertThat(Stream.of(0, 1, 2, 3, 4)
                        .map(place -> banned(endpoint, place))
                        .map(row -> showKeys ? row.key() : row.key().matches("[0-9a-f]{16}") ? "hash" : row.key()))
                .containsExactlyInAnyOrderElementsOf(
                        showKeys
                                ? List.of("shop#ann", "other#ann", "shop", "ann", "shop#ann%231")
                                : List.of("hash", "hash", "hash", "hash", "hash"));
    }
}
