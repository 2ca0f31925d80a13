package io.limiter.benchmark.subject;

import static io.limiter.benchmark.subject.Contender.Family.FLOOR;
import static io.limiter.benchmark.subject.Contender.Family.OURS;
import static io.limiter.benchmark.subject.Contender.Family.PEER;
import static io.limiter.benchmark.subject.Contender.Guarantee.EXACT;
import static io.limiter.benchmark.subject.Contender.Guarantee.EXACT_IN_PROCESS;
import static io.limiter.benchmark.subject.Contender.Guarantee.EXACT_LOG;
import static io.limiter.benchmark.subject.Contender.Guarantee.NONE;
import static io.limiter.benchmark.subject.Contender.Guarantee.PREFETCH;
import static io.limiter.benchmark.subject.Contender.Guarantee.WHOLE_SECONDS;

import java.util.List;

/** All contenders, in the order of the report. */
public final class Contenders {

    public static final Contender RAW_EVALSHA = new Contender("raw-evalsha", FLOOR, false, true, NONE, Peers::raw);

    public static final Contender LIMITER =
            new Contender("limiter", OURS, false, true, EXACT, LimiterSubject::standard);

    public static final List<Contender> ALL = List.of(
            RAW_EVALSHA,
            LIMITER,
            new Contender("limiter-yield", OURS, false, false, EXACT, LimiterSubject::yielding),
            new Contender("limiter-prefetch", OURS, false, true, PREFETCH, LimiterSubject::prefetching),
            new Contender("limiter-local", OURS, true, false, EXACT_IN_PROCESS, LimiterSubject::local),
            new Contender("bucket4j-batching", PEER, false, true, EXACT, Peers::bucket4jBatching),
            new Contender("redisson", PEER, false, true, EXACT_LOG, Peers::redisson),
            new Contender("gateway-script", PEER, false, true, WHOLE_SECONDS, Peers::gateway),
            new Contender("guava", PEER, true, false, EXACT_IN_PROCESS, Peers::guava));

    private Contenders() {}
}
