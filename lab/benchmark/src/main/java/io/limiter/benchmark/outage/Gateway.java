package io.limiter.benchmark.outage;

import io.github.bucket4j.redis.lettuce.Bucket4jLettuce;
import io.limiter.benchmark.subject.Allowance;
import io.limiter.benchmark.subject.RedisClients;
import java.util.List;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.cloud.gateway.filter.ratelimit.Bucket4jRateLimiter;
import org.springframework.cloud.gateway.filter.ratelimit.RateLimiter;
import org.springframework.cloud.gateway.filter.ratelimit.RedisRateLimiter;
import org.springframework.cloud.gateway.support.ConfigurationService;
import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.core.ReactiveStringRedisTemplate;
import org.springframework.data.redis.core.script.DefaultRedisScript;
import org.springframework.data.redis.core.script.RedisScript;

/** The two rate limiters of Spring Cloud Gateway, as its auto-configuration and its manual set them up. */
final class Gateway {

    /** Nothing here binds properties. */
    private static final ConfigurationService CONFIGURATION =
            new ConfigurationService(new StaticListableBeanFactory(), () -> null, () -> null);

    private static final String KEY = "caller";

    private Gateway() {}

    /** {@link RedisRateLimiter}, which lets a request pass if Redis has answered with an error. */
    static Decider redis(RedisClients clients, Allowance limit) {
        RedisRateLimiter limiter = new RedisRateLimiter(
                new ReactiveStringRedisTemplate(clients.springDataRedis()), script(), CONFIGURATION);
        // Its rate is in whole tokens a second, so that a permit costs as many tokens as the period has seconds.
        int cost = (int) limit.period().toSeconds();
        int permits = (int) limit.permits();
        String route = route(limit);
        limiter.getConfig()
                .put(
                        route,
                        new RedisRateLimiter.Config()
                                .setReplenishRate(permits)
                                .setBurstCapacity(permits * cost)
                                .setRequestedTokens(cost));
        return () -> answer(limiter, route, RedisRateLimiter.REMAINING_HEADER);
    }

    /** {@link Bucket4jRateLimiter} over Lettuce, which rejects a request if Redis has answered with an error. */
    static Decider bucket4j(RedisClients clients, Allowance limit) {
        Bucket4jRateLimiter limiter = new Bucket4jRateLimiter(
                Bucket4jLettuce.casBasedBuilder(clients.lettuce()).build().asAsync(), CONFIGURATION);
        String route = route(limit);
        limiter.getConfig()
                .put(
                        route,
                        new Bucket4jRateLimiter.Config()
                                .setCapacity(limit.permits())
                                .setRefillPeriod(limit.period()));
        return () -> answer(limiter, route, Bucket4jRateLimiter.DEFAULT_HEADER_NAME);
    }

    private static String route(Allowance limit) {
        return "route-" + limit.permits();
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // As the gateway does it.
    private static RedisScript<List<Long>> script() {
        DefaultRedisScript script = new DefaultRedisScript<>();
        script.setLocation(new ClassPathResource("META-INF/scripts/request_rate_limiter.lua"));
        script.setResultType(List.class);
        return script;
    }

    private static Answer answer(RateLimiter<?> limiter, String route, String remainingHeader) {
        // Each route has a key of its own, because the limiter over Bucket4j does not add the route to the key.
        RateLimiter.Response response =
                limiter.isAllowed(route, KEY + "-of-" + route).block();
        if (response == null) {
            throw new IllegalStateException("the gateway's limiter gave no answer");
        }
        boolean withoutRedis = "-1".equals(response.getHeaders().get(remainingHeader));
        return withoutRedis ? Answer.alone(response.isAllowed()) : Answer.ofRedis(response.isAllowed());
    }
}
