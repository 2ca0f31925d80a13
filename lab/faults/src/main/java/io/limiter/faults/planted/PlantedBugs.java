package io.limiter.faults.planted;

import static io.limiter.faults.planted.Change.method;
import static io.limiter.faults.planted.Change.script;
import static io.limiter.faults.planted.PlantedBug.named;

import io.limiter.faults.experiment.Measure;
import java.util.List;
import java.util.stream.Stream;

/** All there are: at least one for each promise of the pages that an experiment judges. */
public final class PlantedBugs {

    private static final String BUCKET = "token_bucket.lua";
    private static final String CONCURRENCY = "concurrency.lua";
    private static final String SET = "set.lua";

    private static final List<PlantedBug> ALL = Stream.of(
                    leases(),
                    states(),
                    rejections(),
                    requests(),
                    outages(),
                    clocks(),
                    others(),
                    BlindBugs.executedTwice(),
                    BlindBugs.endless(),
                    BlindBugs.parts(),
                    BlindBugs.tooLittle(),
                    BlindBugs.partly())
            .flatMap(List::stream)
            .toList();

    private PlantedBugs() {}

    public static List<PlantedBug> all() {
        return ALL;
    }

    private static List<PlantedBug> leases() {
        return List.of(
                named(
                                "lease-close-does-nothing",
                                "Lease.close() does nothing",
                                "A closed lease is free immediately",
                                "leases-closed",
                                Measure.LEASE_RATE,
                                method("internal.lease.CountedLease", "markClosed", Advices.Skip.class))
                        .inShort(),
                named(
                        "release-ignored",
                        "Redis ignores the release of a lease",
                        "A closed lease is free immediately",
                        "leases-closed",
                        Measure.LEASES_FREE,
                        script(
                                CONCURRENCY,
                                "if release then\n            if place then",
                                "if release then\n if false then")),
                named(
                        "factory-close-keeps-leases",
                        "factory.close() releases no lease",
                        "Leases of a closed factory are free immediately",
                        "close-with-leases",
                        Measure.LEASES_FREE,
                        method("internal.lease.LeaseRenewer", "release", Advices.Skip.class)),
                named(
                        "lease-not-renewed",
                        "A lease is never renewed",
                        "A lease is held until it is closed",
                        "leases-closed",
                        Measure.LEASES_LOST,
                        method("internal.lease.LeaseRenewer", "renewDue", Advices.Skip.class)),
                named(
                        "leases-of-the-dead-stay",
                        "A lease expires after a thousand times its time",
                        "Leases of a dead JVM are free after the lease time",
                        "jvm-killed-leases-free",
                        Measure.LEASES_FREE,
                        script(
                                CONCURRENCY,
                                "limit, lease, at = unpack_bytes('<dd', arg, at)",
                                "limit, lease, at = unpack_bytes('<dd', arg, at)\n lease = 1000 * lease")),
                named(
                        "lost-lease-held",
                        "A JVM that was stopped does not see that its leases have expired",
                        "Never more leases than the limit",
                        "jvm-stopped-with-leases",
                        Measure.LEASES,
                        method("internal.lease.CountedLease", "isOver", Advices.Skip.class)));
    }

    private static List<PlantedBug> states() {
        return List.of(
                named(
                        "write-left-out",
                        "The script leaves out one write in 1,000",
                        "What is granted is taken in Redis",
                        "jvm-killed-with-batches",
                        Measure.TAKEN,
                        script(
                                BUCKET,
                                "redis_pcall('SETRANGE', key, CHANGES_AT, packed)",
                                "now % 1000 == 0 and 44 or redis_pcall('SETRANGE', key, CHANGES_AT, packed)")),
                named(
                        "expiry-forgotten",
                        "Keys are written without an expiry",
                        "Every key expires",
                        "close-under-load",
                        Measure.EXPIRY,
                        script(BUCKET, ",\n            'PX', string.format('%.0f', keep))", ")")),
                named(
                        "expiry-too-early",
                        "Keys expire after 1.5 s, before the bucket is full again",
                        "An expiry grants nothing",
                        "close-under-load",
                        Measure.EXCESS,
                        script(BUCKET, "string.format('%.0f', keep)", "'1500'")),
                named(
                        "refund-counts-twice",
                        "A refund returns twice the permits",
                        "A refund returns permits once",
                        "refunds-replies-lost",
                        Measure.TAKEN,
                        script(BUCKET, "for _ = 1, times do", "for _ = 1, 2 * times do")),
                named(
                        "rejected-set-takes-a-part",
                        "A set that one limit rejects takes permits of the other",
                        "All or nothing",
                        "sets-redis-stopped-2s",
                        Measure.TAKEN,
                        script(SET, "if not saves or least > 0 or granted_all[i] == 0 then", "if true then"),
                        script(SET, "agrees and grants or -1", "grants")),
                named(
                        "prefetch-granted-twice",
                        "Each prefetched permit is granted twice",
                        "Prefetched permits were taken in Redis",
                        "jvm-stopped-with-prefetched-permits",
                        Measure.TAKEN,
                        method("internal.prefetch.PrefetchedPermits", "<init>", Advices.TwiceAsMany.class)),
                named(
                        "prefetch-takes-nothing",
                        "Redis gives permits to instances that prefetch, and does not take them",
                        "All instances use at most what the limit and the prefetch time allow",
                        "fleet-prefetches",
                        Measure.EXCESS,
                        script(
                                "token_bucket_prefetch.lua",
                                "stored, granted = stored - taken, granted + taken",
                                "granted = granted + taken")),
                named(
                        "prefetched-not-returned",
                        "A JVM keeps prefetched permits that it does not use",
                        "Only a JVM that is killed loses what it has prefetched",
                        "jvm-closed-with-prefetched-permits",
                        Measure.TAKEN,
                        method("internal.prefetch.PrefetchedPermits", "takeRest", Advices.ReturnZero.class)));
    }

    private static List<PlantedBug> rejections() {
        return List.of(
                named(
                        "rejection-takes-permits",
                        "A rejected request takes its permits",
                        "A rejection takes nothing",
                        "close-under-load",
                        Measure.SHORTFALL,
                        script(
                                BUCKET,
                                "usual = (permits_1 - available) * limit_micros >= rejected_from",
                                "usual = false"),
                        script(
                                BUCKET,
                                "most = fewest\n              else\n",
                                "most = fewest\n else\n next_free, changed = free, true\n")),
                named(
                        "rejection-cached-too-long",
                        "A rejection is cached for ten seconds more than it holds",
                        "A rejection is cached until there are permits again",
                        "close-under-load",
                        Measure.SHORTFALL,
                        method("internal.cache.KnownRejections$Rejection", "<init>", Advices.TenSecondsLater.class),
                        method("internal.cache.KnownRejections$Rejection", "outcome", Advices.ImmediateEngine.class)),
                named(
                        "answers-in-another-order",
                        "The requests of a call get each other's answers",
                        "No call is rejected while there are permits",
                        "jvm-killed-with-batches",
                        Measure.WRONGLY_REJECTED,
                        method("internal.redis.script.BatchCall", "answers", Advices.Reverse.class)));
    }

    private static List<PlantedBug> requests() {
        return List.of(
                named(
                        "sent-again",
                        "One call in 200 is sent a second time",
                        "What was sent is never sent again",
                        "redis-stopped-1s",
                        Measure.TAKEN,
                        method("internal.redis.client.LettuceCalls", "send", Advices.SendTwice.class)),
                named(
                        "ambiguous-not-said",
                        "A call that Redis may have executed is said not to be executed",
                        "What was sent counts as spent",
                        "replies-lost",
                        Measure.TAKEN,
                        method("LimiterBackendException", "isAmbiguous", Advices.Skip.class)),
                named(
                        "script-not-loaded",
                        "A script that Redis has forgotten is not loaded again",
                        "Scripts are loaded again within the decision",
                        "script-flush",
                        Measure.SOURCE,
                        method("internal.redis.client.LettuceCalls", "runSource", Advices.SkipOnceReady.class)),
                named(
                        "interrupt-withdraws",
                        "An interrupted call counts as not executed",
                        "An interrupt withdraws no request",
                        "interrupts",
                        Measure.TAKEN,
                        method("internal.resilience.Failover", "decide", Advices.ThrowIfInterrupted.class)),
                named(
                        "another-exception",
                        "A failure is thrown as an IllegalStateException",
                        "No call throws what is not documented",
                        "redis-stopped-1s",
                        Measure.ERRORS,
                        method("internal.engine.Ask", "await", Advices.ThrowAnother.class)),
                named(
                        "one-key-fails-all",
                        "A key that Redis cannot decide fails the others of its call",
                        "The policy decides for the keys concerned, and for no others",
                        "wrong-type",
                        Measure.SOURCE,
                        method("internal.redis.script.BatchCall", "answers", Advices.FailAll.class)),
                named(
                        "close-does-nothing",
                        "factory.close() does nothing",
                        "A closed factory grants nothing",
                        "close-under-load",
                        Measure.CLOSED,
                        method("redis.RedisRateLimiterFactory", "close", Advices.Skip.class)));
    }

    private static List<PlantedBug> outages() {
        return List.of(
                named(
                        "breaker-never-opens",
                        "The circuit breaker never opens",
                        "An outage costs a call microseconds, not the decision timeout",
                        "redis-stopped-5s",
                        Measure.FAILS_FAST,
                        method("internal.resilience.Breaker", "open", Advices.Skip.class)),
                named(
                                "breaker-never-closes",
                                "The circuit breaker never closes",
                                "Redis decides again within a second",
                                "redis-stopped-1s",
                                Measure.RECOVERY,
                                method("internal.resilience.Breaker", "recovered", Advices.Skip.class))
                        .inShort(),
                named(
                        "one-breaker-for-all",
                        "All masters of a Cluster share a circuit breaker",
                        "An unavailable master affects its own keys only",
                        "cluster-master-restarted",
                        Measure.SOURCE,
                        method("internal.resilience.Breakers", "nodeOf", Advices.ReturnEmpty.class)),
                named(
                        "deny-grants",
                        "The failure policy deny grants",
                        "deny grants nothing",
                        "policies-redis-stopped-2s",
                        Measure.POLICY,
                        method("internal.resilience.Failover", "rejected", Advices.Grant.class)),
                named(
                        "allow-rejects",
                        "The failure policy allow rejects",
                        "allow grants everything",
                        "policies-redis-stopped-2s",
                        Measure.POLICY,
                        method("internal.resilience.Failover", "granted", Advices.Reject.class)),
                named(
                        "share-ignored",
                        "The failure policy local grants the whole limit instead of a share",
                        "A JVM alone grants its share",
                        "policies-redis-stopped-2s",
                        Measure.EXCESS,
                        method("internal.resilience.Failover", "share", Advices.ReturnOne.class)),
                named(
                        "count-ignored",
                        "The share of a JVM alone is always 1, however many it has counted",
                        "In an outage, instances grant the limit once and not once each",
                        "counted-redis-stopped-8s",
                        Measure.EXCESS,
                        method("internal.resilience.Failover", "share", Advices.ReturnOne.class)),
                named(
                        "all-own-each-key",
                        "Under the policy owner, each instance believes that it owns every key",
                        "In an outage, one instance grants the limit of a key, and all others reject",
                        "owner-redis-stopped-4s",
                        Measure.EXCESS,
                        method("internal.resilience.Instances", "owns", Advices.ReturnTrue.class)),
                named(
                        "none-owns-a-key",
                        "Under the policy owner, no instance owns a key",
                        "In an outage, the owner of a key grants the limit",
                        "owner-redis-stopped-4s",
                        Measure.SHORTFALL,
                        method("internal.resilience.Instances", "owns", Advices.Skip.class)),
                named(
                        "waiting-caller-wakes-early",
                        "A caller that has to wait for its permits returns immediately",
                        "A waiting caller never wakes early",
                        "redis-stopped-5s-waiting",
                        Measure.EXCESS,
                        method("internal.limiter.BoundLimit", "await", Advices.Skip.class)),
                named(
                        "count-forgotten",
                        "Instances believe a Redis that has lost all others",
                        "In an outage, instances grant the limit once and not once each",
                        "counted-redis-restarted-empty-twice",
                        Measure.EXCESS,
                        method("internal.live.KnownInstances", "after", Advices.ForgetCount.class)),
                named(
                        "pause-is-an-outage",
                        "The decision timeout counts time in which the JVM did not run",
                        "A pause of the JVM is not an outage of Redis",
                        "jvm-paused-25-times",
                        Measure.SOURCE,
                        method("internal.time.RunningClock", "counted", Advices.ReturnArgument.class),
                        method("internal.time.RunningClock", "tick", Advices.ReturnTrue.class)));
    }

    private static List<PlantedBug> clocks() {
        return List.of(
                named(
                        "clock-steps-back-believed",
                        "A bucket believes a clock that steps back",
                        "No step of the clock grants extra permits",
                        "clock-back-and-forth",
                        Measure.EXCESS,
                        script(
                                "token_bucket_resync.lua",
                                "if settled_to > (remainder > negligible and next_free + 1 or next_free) then\n",
                                "if next_free > now then\n next_free, must_save = now, true\n else\n")),
                named(
                        "clock-freezes",
                        "A step back by hours stops the refill until the clock is where it was",
                        "After a step of more than two hours the refill stops for an hour, no longer",
                        "refill-after-clock-back-3h",
                        Measure.REFILL,
                        script(BUCKET, "if next_free - now > 2 * HOUR then", "if false then"),
                        method("algorithm.RedisPermits", "boundClockStep", Advices.ReturnThis.class)));
    }

    private static List<PlantedBug> others() {
        return List.of(
                named(
                                "live-limit-not-applied",
                                "One JVM of two does not apply live limits",
                                "A live limit holds in each JVM within a second",
                                "live-limit-lowered",
                                Measure.LIVE,
                                method("internal.named.NamedLimit", "live", Advices.Skip.class))
                        .inOthers(),
                named(
                                "live-limit-of-a-key-not-applied",
                                "All JVMs but one do not apply live limits of keys",
                                "A live limit of a key holds in each JVM within a second",
                                "live-limit-of-a-key",
                                Measure.LIVE,
                                method("internal.named.NamedLimit", "liveOfKey", Advices.Skip.class))
                        .inOthers(),
                named(
                        "rejections-not-counted",
                        "No rejection counts for a ban",
                        "A key that is rejected too often is banned",
                        "jvm-killed-with-bans",
                        Measure.BANS,
                        method("internal.limiter.LimiterBan$Check", "decided", Advices.Skip.class)));
    }
}
