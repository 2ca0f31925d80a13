package io.limiter.benchmark.subject;

import static io.limiter.benchmark.subject.Contender.Family.FLOOR;
import static io.limiter.benchmark.subject.Contender.Family.OURS;
import static io.limiter.benchmark.subject.Contender.Family.PEER;
import static io.limiter.benchmark.subject.Contender.Where.IN_PROCESS;
import static io.limiter.benchmark.subject.Contender.Where.REDIS;

import java.util.List;

/** All contenders, in the order of the report. */
public final class Contenders {

    public static final Contender RAW_EVALSHA = new Contender("raw-evalsha", FLOOR, REDIS, true, RawScript::open);

    public static final List<Contender> ALL = List.of(
            RAW_EVALSHA,
            new Contender("limiter", OURS, REDIS, true, LimiterSubject::standard),
            new Contender("limiter-plain", OURS, REDIS, true, LimiterSubject::plain),
            new Contender("limiter-yield", OURS, REDIS, false, LimiterSubject::yielding),
            new Contender("limiter-leases", OURS, REDIS, true, LimiterSubject::leasing),
            new Contender("limiter-lock-redisson", OURS, REDIS, false, LimiterSubject::redissonLock),
            new Contender("limiter-lock-redis", OURS, REDIS, false, LimiterSubject::redisLock),
            new Contender("limiter-local", OURS, IN_PROCESS, false, LimiterSubject::local),
            new Contender("bucket4j", PEER, REDIS, true, Bucket4jSubject::plain),
            new Contender("bucket4j-batching", PEER, REDIS, true, Bucket4jSubject::batching),
            new Contender("bucket4j-delaying", PEER, REDIS, true, Bucket4jSubject::delaying),
            new Contender("redisson", PEER, REDIS, true, RedissonSubject::open),
            new Contender("gateway-script", PEER, REDIS, true, GatewayScript::open),
            new Contender("guava", PEER, IN_PROCESS, false, GuavaSubject::open),
            new Contender("resilience4j", PEER, IN_PROCESS, false, Resilience4jSubject::open));

    private Contenders() {}
}
