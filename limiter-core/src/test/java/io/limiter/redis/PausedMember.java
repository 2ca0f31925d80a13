package io.limiter.redis;

import io.limiter.FailurePolicy;
import io.limiter.Limiter;
import io.limiter.algorithm.Decision;
import io.limiter.algorithm.FixedWindow;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.redisson.Redisson;
import org.redisson.config.Config;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A JVM that decides all the time, from several threads, while the test stops and continues it. Prints {@code ready} when
 * Redis decides, and for each line on its input how many decisions Redis and the policy have made since.
 */
final class PausedMember {

    private static final int THREADS = 6;
    private static final int AT_ONCE = 8;
    private static final Duration DECISION_TIMEOUT = Duration.ofSeconds(2);

    private PausedMember() {}

    /** Arguments: URI, prefix, engine. */
    public static void main(String[] args) throws Exception {
        URI uri = URI.create(args[0]);
        Engine engine = Engine.valueOf(args[2]);
        RedisConnectionFactory connections = engine == Engine.JEDIS ? jedis(uri) : lettuce(uri);
        RedisRateLimiterFactory.Builder builder = RedisRateLimiterFactory.builder(connections)
                .decisionTimeout(DECISION_TIMEOUT)
                .failurePolicy(FailurePolicy.ALLOW)
                .groupCommit(engine != Engine.WITHOUT_GROUP_COMMIT);
        if (engine == Engine.LOCK) {
            builder.lock(new RedisLock(connections));
        }
        if (engine == Engine.REDISSON) {
            Config config = new Config();
            config.useSingleServer().setAddress(args[0]);
            builder.lock(new RedissonLock(Redisson.create(config)));
        }
        RedisRateLimiterFactory factory = builder.build();
        factory.warmUp().join();
        Limiter limiter =
                factory.withPrefix(args[1]).build("paused", FixedWindow.of(Integer.MAX_VALUE, Duration.ofHours(1)));
        AtomicLong byRedis = new AtomicLong();
        AtomicLong byPolicy = new AtomicLong();
        for (int i = 0; i < THREADS; i++) {
            String key = "k" + i;
            boolean atOnce = i % 2 == 1;
            Thread caller = new Thread(() -> {
                while (true) {
                    for (Decision decision : atOnce ? several(limiter, key) : List.of(limiter.decide(key, 1))) {
                        (decision.source() == Decision.Source.BACKEND ? byRedis : byPolicy).incrementAndGet();
                    }
                }
            });
            caller.setDaemon(true);
            caller.start();
        }
        awaitWarm(byRedis, byPolicy);
        System.out.println("ready");
        while (System.in.read() >= 0) {
            System.out.println(byRedis.getAndSet(0) + " " + byPolicy.getAndSet(0) + " " + factory.backendState());
        }
    }

    /** Until a second has passed without the policy: a JVM loads many classes for its first decisions. */
    private static void awaitWarm(AtomicLong byRedis, AtomicLong byPolicy) throws InterruptedException {
        do {
            byRedis.set(0);
            byPolicy.set(0);
            Thread.sleep(1000);
        } while (byRedis.get() == 0 || byPolicy.get() > 0);
    }

    private static List<Decision> several(Limiter limiter, String key) {
        List<CompletableFuture<Decision>> asked = new ArrayList<>();
        for (int i = 0; i < AT_ONCE; i++) {
            // Each its own, because the lock engines decide one at a time for a key.
            asked.add(limiter.on(key + "-" + i).async().decide(1));
        }
        return asked.stream().map(CompletableFuture::join).toList();
    }

    private static LettuceConnectionFactory lettuce(URI uri) {
        LettuceConnectionFactory lettuce = new LettuceConnectionFactory(uri.getHost(), uri.getPort());
        lettuce.afterPropertiesSet();
        lettuce.start();
        return lettuce;
    }

    private static JedisConnectionFactory jedis(URI uri) {
        JedisConnectionFactory jedis =
                new JedisConnectionFactory(new RedisStandaloneConfiguration(uri.getHost(), uri.getPort()));
        jedis.afterPropertiesSet();
        jedis.start();
        return jedis;
    }

    /** How it decides. */
    enum Engine {
        GROUP_COMMIT,
        WITHOUT_GROUP_COMMIT,
        JEDIS,
        LOCK,
        REDISSON
    }
}
