package io.limiter.benchmark.subject;

import static io.limiter.benchmark.subject.Contender.Family.FLOOR;
import static io.limiter.benchmark.subject.Contender.Family.OURS;
import static io.limiter.benchmark.subject.Contender.Family.PEER;
import static io.limiter.benchmark.subject.Contender.Guarantee.CYCLES;
import static io.limiter.benchmark.subject.Contender.Guarantee.DELAYED;
import static io.limiter.benchmark.subject.Contender.Guarantee.EXACT;
import static io.limiter.benchmark.subject.Contender.Guarantee.EXACT_IN_PROCESS;
import static io.limiter.benchmark.subject.Contender.Guarantee.EXACT_LOG;
import static io.limiter.benchmark.subject.Contender.Guarantee.NONE;
import static io.limiter.benchmark.subject.Contender.Guarantee.PREFETCH;
import static io.limiter.benchmark.subject.Contender.Guarantee.WHOLE_SECONDS;
import static io.limiter.benchmark.subject.Contender.Where.IN_PROCESS;
import static io.limiter.benchmark.subject.Contender.Where.REDIS;

import java.util.List;
import java.util.Set;

/** All contenders, in the order of the report. */
public final class Contenders {

    public static final Contender RAW_EVALSHA = new Contender("raw-evalsha", FLOOR, REDIS, true, NONE, Peers::raw);

    public static final Contender LIMITER =
            new Contender("limiter", OURS, REDIS, true, EXACT, LimiterSubject::standard);

    public static final List<Contender> ALL = List.of(
            RAW_EVALSHA,
            LIMITER,
            new Contender("limiter-plain", OURS, REDIS, true, EXACT, LimiterSubject::plain),
            new Contender("limiter-yield", OURS, REDIS, false, EXACT, LimiterSubject::yielding),
            new Contender("limiter-prefetch", OURS, REDIS, true, PREFETCH, LimiterSubject::prefetching),
            new Contender("limiter-lock-redisson", OURS, REDIS, false, EXACT, LimiterSubject::redissonLock),
            new Contender("limiter-lock-redis", OURS, REDIS, false, EXACT, LimiterSubject::redisLock),
            new Contender("limiter-local", OURS, IN_PROCESS, false, EXACT_IN_PROCESS, LimiterSubject::local),
            new Contender("bucket4j", PEER, REDIS, true, EXACT, Peers::bucket4j),
            new Contender("bucket4j-batching", PEER, REDIS, true, EXACT, Peers::bucket4jBatching),
            new Contender("bucket4j-delaying", PEER, REDIS, true, DELAYED, Peers::bucket4jDelaying),
            new Contender("redisson", PEER, REDIS, true, EXACT_LOG, Peers::redisson),
            new Contender("gateway-script", PEER, REDIS, true, WHOLE_SECONDS, Peers::gateway),
            new Contender("guava", PEER, IN_PROCESS, false, EXACT_IN_PROCESS, Peers::guava),
            new Contender("resilience4j", PEER, IN_PROCESS, false, CYCLES, Peers::resilience4j));

    /** Other settings of some of them, or much alike; measured in {@link io.limiter.benchmark.load.Cell#OF_VARIANTS}. */
    private static final Set<String> VARIANTS = Set.of(
            "limiter-plain",
            "limiter-lock-redisson",
            "limiter-lock-redis",
            "bucket4j",
            "bucket4j-delaying",
            "resilience4j");

    private Contenders() {}

    public static boolean isVariant(Contender contender) {
        return VARIANTS.contains(contender.name());
    }
}
