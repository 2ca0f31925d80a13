package io.limiter.internal.live;

import io.limiter.Decision;
import io.limiter.Decision.Source;
import io.limiter.LimiterFactory;
import io.limiter.LimiterOptions;
import io.limiter.RateLimiter;
import io.limiter.algorithm.TokenBucket;
import io.limiter.live.LiveOptions;
import io.limiter.redis.RedisRateLimiterFactory;
import io.limiter.testing.Patience;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A JVM under load that follows live limits, until the next line of the test. It prints what it obeys whenever that has changed: the
 * rate of a limit, of its plan and of a key, and what a live limit says about another key.
 */
final class LiveMember {

    private static final int THREADS = 8;
    private static final TokenBucket OWN = TokenBucket.perSecond(1000);

    private LiveMember() {}

    /** Argument: the port of Redis. */
    public static void main(String[] args) throws Exception {
        LettuceConnectionFactory connections = new LettuceConnectionFactory("127.0.0.1", Integer.parseInt(args[0]));
        connections.afterPropertiesSet();
        connections.start();
        try (LiveInstance factory = factory(connections);
                Load load = new Load(factory)) {
            RateLimiter limiter = limiter(factory);
            RateLimiter gold = limiter(factory.with(LimiterOptions.NONE.withPlan("gold")));
            System.out.println("ready");
            Map<String, Object> obeyed = new HashMap<>();
            while (System.in.available() == 0) {
                obeys(obeyed, "limit", limiter.getRate());
                obeys(obeyed, "plan", gold.getRate());
                obeys(obeyed, "key", limiter.on("ann").limit().permitsPerSecond());
                obeys(obeyed, "access", access(limiter.decide("bob")));
                LockSupport.parkNanos(100_000);
            }
            System.in.read();
        } finally {
            connections.destroy();
        }
    }

    static LiveInstance factory(RedisConnectionFactory connections) {
        LiveInstance factory = LiveInstance.of(
                RedisRateLimiterFactory.builder(connections).decisionTimeout(Patience.DECISION_TIMEOUT),
                LiveOptions.DEFAULT,
                true);
        factory.warmUp().join();
        return factory;
    }

    private static RateLimiter limiter(LimiterFactory factory) {
        return factory.build("search", OWN);
    }

    private static String access(Decision decision) {
        return decision.source() != Source.OVERRIDE ? "none" : decision.isGranted() ? "exempt" : "banned";
    }

    private static void obeys(Map<String, Object> obeyed, String what, Object value) {
        if (!value.equals(obeyed.put(what, value))) {
            System.out.println(what + " " + value);
        }
    }

    /** Threads that decide all the time, each for a key of its own. */
    static final class Load implements AutoCloseable {

        private final LongAdder decisions = new LongAdder();
        private final List<Thread> threads = new ArrayList<>();

        Load(LimiterFactory factory) {
            RateLimiter limiter = limiter(factory);
            for (int i = 0; i < THREADS; i++) {
                String key = "k" + i;
                Thread thread = new Thread(() -> {
                    while (!Thread.currentThread().isInterrupted()) {
                        limiter.tryAcquire(key);
                        decisions.increment();
                        LockSupport.parkNanos(1_000_000);
                    }
                });
                threads.add(thread);
                thread.start();
            }
        }

        long decisions() {
            return decisions.sum();
        }

        @Override
        public void close() throws InterruptedException {
            threads.forEach(Thread::interrupt);
            for (Thread thread : threads) {
                thread.join();
            }
        }
    }
}
