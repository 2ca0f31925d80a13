package io.limiter.benchmark.subject;

import static io.limiter.benchmark.subject.Contender.Family.FLOOR;
import static io.limiter.benchmark.subject.Contender.Family.OURS;
import static io.limiter.benchmark.subject.Contender.Family.PEER;
import static io.limiter.benchmark.subject.Contender.Where.IN_PROCESS;
import static io.limiter.benchmark.subject.Contender.Where.REDIS;
import static io.limiter.benchmark.subject.Guarantee.CYCLES;
import static io.limiter.benchmark.subject.Guarantee.DELAYED;
import static io.limiter.benchmark.subject.Guarantee.EXACT;
import static io.limiter.benchmark.subject.Guarantee.EXACT_IN_PROCESS;
import static io.limiter.benchmark.subject.Guarantee.EXACT_LOG;
import static io.limiter.benchmark.subject.Guarantee.NONE;
import static io.limiter.benchmark.subject.Guarantee.PREFETCH;
import static io.limiter.benchmark.subject.Guarantee.WHOLE_SECONDS;

import java.util.List;
import java.util.Set;

/** All contenders, in the order of the report. */
public final class Contenders {

    public static final Contender RAW_EVALSHA = new Contender("raw-evalsha", FLOOR, REDIS, true, NONE, RawScript::open);

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
            new Contender("bucket4j", PEER, REDIS, true, EXACT, Bucket4jSubject::plain),
            new Contender("bucket4j-batching", PEER, REDIS, true, EXACT, Bucket4jSubject::batching),
            new Contender("bucket4j-delaying", PEER, REDIS, true, DELAYED, Bucket4jSubject::delaying),
            new Contender("redisson", PEER, REDIS, true, EXACT_LOG, RedissonSubject::open),
            new Contender("gateway-script", PEER, REDIS, true, WHOLE_SECONDS, GatewayScript::open),
            new Contender("guava", PEER, IN_PROCESS, false, EXACT_IN_PROCESS, GuavaSubject::open),
            new Contender("resilience4j", PEER, IN_PROCESS, false, CYCLES, Resilience4jSubject::open));

    /** Other settings of some of them, or much alike; measured in {@link io.limiter.benchmark.load.Cells#OF_VARIANTS}. */
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
