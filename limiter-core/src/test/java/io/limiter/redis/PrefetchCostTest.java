package io.limiter.redis;

import static io.limiter.testing.Decisions.decideIn;
import static org.assertj.core.api.Assertions.assertThat;

import io.limiter.algorithm.TokenBucket;
import io.limiter.internal.backend.Backend;
import io.limiter.step.Request;
import io.limiter.testing.Figures;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What a prefetched key costs Redis, compared with a key that is not prefetched. Prints the times of
 * {@code docs/scale.md}, which are not checked, because they depend on the machine.
 */
class PrefetchCostTest {

    private static final Pattern CALLS = Pattern.compile("cmdstat_evalsha:calls=(\\d+),usec=(\\d+)");
    private static final TokenBucket LIMIT = TokenBucket.perSecond(1_000_000);
    private static final Request ONE = Request.take(1, 0);
    private static final Request PREFETCH = Request.prefetch(10, 100_000, 200);

    @RegisterExtension
    final RedisFixture redis = new RedisFixture();

    @Test
    void a_prefetched_key_has_a_longer_state_and_costs_more_steps() {
        // As in production, with Redis's clock.
        Backend engine = RedisFixture.scriptBackend(RedisFixture.connections());
        String plain = redis.prefix() + "{plain:0123456789abcdef}";
        String ahead = redis.prefix() + "{ahead:0123456789abcdef}";
        record Kind(String name, String key, Request request) {}
        List<Kind> kinds = List.of(
                new Kind("a decision", plain, ONE),
                new Kind("a decision of a prefetched key", ahead, ONE),
                new Kind("a prefetch", ahead, PREFETCH));
        double[] micros = {Double.MAX_VALUE, Double.MAX_VALUE, Double.MAX_VALUE};
        for (int round = 0; round < 7; round++) {
            for (int kind = 0; kind < 3; kind++) {
                decideIn(engine, ahead, LIMIT, PREFETCH);
                RedisFixture.commands().configResetstat();
                for (int i = 0; i < 500; i++) {
                    decideIn(engine, kinds.get(kind).key, LIMIT, kinds.get(kind).request);
                }
                micros[kind] = Math.min(micros[kind], callMicros());
            }
        }
        long more = bytes(ahead) - bytes(plain);
        for (int kind = 0; kind < 3; kind++) {
            System.out.println(
                    String.format(Locale.ROOT, "%-31s %4.1f us in Redis", kinds.get(kind).name, micros[kind]));
        }
        System.out.println(more + " bytes more for a prefetched key");
        Figures.record("docs/scale.md", "bytes more for a prefetched key", more + " bytes", RedisFixture.server());
        assertThat(more).isLessThanOrEqualTo(80);
        assertThat(RedisFixture.commands().strlen(ahead)).isEqualTo(124);
    }

    private static double callMicros() {
        Matcher calls = CALLS.matcher(RedisFixture.commands().info("commandstats"));
        assertThat(calls.find()).isTrue();
        return Double.parseDouble(calls.group(2)) / Long.parseLong(calls.group(1));
    }

    private static long bytes(String key) {
        return Objects.requireNonNull(RedisFixture.commands().memoryUsage(key));
    }
}
