package io.limiter.faults.planted;

import static io.limiter.faults.planted.Change.method;
import static io.limiter.faults.planted.Change.script;
import static io.limiter.faults.planted.PlantedBug.named;

import io.limiter.faults.experiment.Measure;
import java.util.List;

/**
 * Bugs that experiments missed when somebody who had not seen them planted bugs, and others of the same four kinds: what is executed
 * twice, what must end, what is all or nothing in a fault, and what is granted too little.
 */
final class BlindBugs {

    private static final String CALLS = "internal.redis.client.";
    private static final String EXECUTED_ONCE = "What was sent is never sent again";

    private BlindBugs() {}

    static List<PlantedBug> executedTwice() {
        return List.of(
                named(
                        "ambiguous-sent-again",
                        "One ambiguous call in 50 is sent again",
                        EXECUTED_ONCE,
                        "calls-cut-under-way",
                        Measure.ONCE,
                        method(CALLS + "LettuceCalls", "send", Advices.SendAmbiguousAgain.class)),
                named(
                        "ambiguous-sent-again-jedis",
                        "Over Jedis, one call in 50 whose connection breaks is sent again",
                        EXECUTED_ONCE,
                        "calls-cut-under-way-jedis",
                        Measure.ONCE,
                        method(CALLS + "SpringCalls", "send", Advices.SendAmbiguousAgain.class)),
                // The other way round, a withdrawn request that is sent, needs two bugs at the same time: a batch takes
                // no request
                // that has ended, and markSent() checks again.
                named(
                        "sent-is-called-withdrawn",
                        "A request that was sent and has no answer in time is said to have been withdrawn",
                        "A call that is said not to be executed is not executed",
                        "calls-cut-under-way-jedis",
                        Measure.ONCE,
                        method("internal.engine.Ask", "withdraw", Advices.ReturnTrue.class)));
    }

    static List<PlantedBug> endless() {
        return List.of(
                named(
                        "ban-never-ends",
                        "A ban lasts 3,600 times as long",
                        "A ban ends when its time is over",
                        "jvm-killed-with-bans",
                        Measure.ENDS,
                        script(
                                "ban.lua",
                                "length = math.min(math.max(2 * before, lasting), at_most)",
                                "length = 3600 * math.min(math.max(2 * before, lasting), at_most)")),
                named(
                        "live-limit-never-expires",
                        "A live limit that expires stays in the JVMs",
                        "A live limit ends when it expires",
                        "live-limit-expires",
                        Measure.ENDS,
                        method("internal.live.LiveCopy", "endExpired", Advices.Skip.class)),
                named(
                        "call-never-returns",
                        "One in four calls whose connection breaks, or that get no reply in time, does not return",
                        "A call returns within the decision timeout",
                        "calls-cut-under-way",
                        Measure.ENDS,
                        method(CALLS + "SentCommands$Sent", "end", Advices.EndNoFailure.class),
                        method("internal.resilience.Guard", "expire", Advices.SkipOnceReady.class)));
    }

    static List<PlantedBug> parts() {
        return List.of(
                named(
                        "set-keeps-first-part",
                        "A set over two masters keeps its first part when the second rejects",
                        "All or nothing",
                        "cluster-set-across-masters",
                        Measure.TAKEN,
                        method("internal.backend.SequentialSet", "end", Advices.CancelNone.class)),
                named(
                        "set-keeps-first-part-in-a-fault",
                        "A set over two masters keeps its first part when the second cannot be reached",
                        "All or nothing",
                        "cluster-set-across-masters",
                        Measure.TAKEN,
                        method("internal.backend.SequentialSet", "end", Advices.CancelNoneAfterFailure.class)));
    }

    static List<PlantedBug> partly() {
        return List.of(
                named(
                        "leave-ignored",
                        "A limiter that leaves permits to others takes all",
                        "What is left to others stays",
                        "partial-redis-stopped-2s",
                        Measure.EXCESS,
                        method("step.Request", "withLeave", Advices.ReturnThis.class)),
                named(
                        "warns-again",
                        "A window forgets that it has warned",
                        "A window warns once in the whole fleet",
                        "partial-redis-stopped-2s",
                        Measure.WARNINGS,
                        script(
                                "fixed_window.lua",
                                "                warned_at = warn_at",
                                "                warned_at = 0")),
                named(
                        "up-to-returns-all",
                        "tryAcquireUpTo returns what was requested, and not what was taken",
                        "Callers have what was taken, whole or in part",
                        "partial-redis-stopped-2s",
                        Measure.EXCESS,
                        method("internal.limiter.EngineLimiter", "tryAcquireUpTo", Advices.ReturnArgument.class)));
    }

    static List<PlantedBug> tooLittle() {
        return List.of(
                named(
                        "dead-counted-for-ever",
                        "Instances that died are counted for ever",
                        "The share of an instance is that of those that are alive",
                        "counted-redis-stopped-after-two-died",
                        Measure.SHORTFALL,
                        script(
                                "live/store/alive.lua",
                                "redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('(%.0f', now))",
                                "")),
                named(
                        "share-of-a-share",
                        "The share of an instance is divided by the number of instances once more",
                        "Each of n instances grants an n-th of the limit",
                        "counted-redis-stopped-8s",
                        Measure.SHORTFALL,
                        method("internal.resilience.Failover", "share", Advices.Square.class)));
    }
}
