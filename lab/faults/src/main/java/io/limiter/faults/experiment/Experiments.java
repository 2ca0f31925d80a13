package io.limiter.faults.experiment;

import java.util.List;
import java.util.stream.Stream;

/** All there are, family by family. */
public final class Experiments {

    private static final List<Family> FAMILIES = List.of(
            new Family(
                    "Redis stops or restarts",
                    "Each instance decides alone, under its share of the limit. A Redis that comes back empty grants one capacity more",
                    Outages.all()),
            new Family(
                    "Redis is unavailable under each failure policy",
                    "`allow` grants everything, `deny` nothing, `local` the share, and `owner` the limit in one instance for each key. A"
                            + " refund returns permits once, and a set takes all or nothing",
                    Policies.all()),
            new Family(
                    "Redis is busy, or replies with errors",
                    "What Redis has not executed, each instance decides alone. What it can decide, it decides",
                    Stream.of(BusyRedis.all(), ErrorReplies.all(), Rights.all())
                            .flatMap(List::stream)
                            .toList()),
            new Family(
                    "The network delays, loses or cuts",
                    "What was sent is never sent again, and counts as spent if its reply is lost",
                    BadNetworks.all()),
            new Family(
                    "Redis loses scripts or keys",
                    "Scripts are loaded again within the decision. A bucket that is lost is full again",
                    LostState.all()),
            new Family(
                    "A Sentinel promotes a replica",
                    "What had not reached the replica is granted again, a capacity at most",
                    Failovers.promotions()),
            new Family(
                    "A Sentinel promotes a replica while the primary still decides",
                    "Each primary grants the limit, so that both grant it twice until there is one again. With `min-replicas-to-write`, the"
                            + " old one grants nothing once its replica is gone",
                    Failovers.splits()),
            new Family(
                    "A Cluster loses a master, or moves a slot",
                    "Redis decides the keys of the other masters, and each instance decides the rest alone",
                    Clusters.all()),
            new Family(
                    "An instance is killed, paused, starved or closed",
                    "No permit is granted twice, leases and bans end when they should, and a closed factory grants nothing",
                    Instances.all()),
            new Family("A fleet of 64 instances prefetches", Fleets.BOUND, Fleets.all()),
            new Family(
                    "Redis's clock steps",
                    "A step back grants nothing extra. A step forward refills the bucket to its capacity at most",
                    Clocks.all()));

    private Experiments() {}

    /**
     * Experiments on one kind of fault, which share a row of the page.
     *
     * @param name what fails
     * @param promise what holds nevertheless
     */
    public record Family(String name, String promise, List<Experiment> experiments) {}

    public static List<Family> families() {
        return FAMILIES;
    }

    public static List<Experiment> all() {
        return FAMILIES.stream()
                .flatMap(family -> family.experiments().stream())
                .toList();
    }

    /** The name of the family that has an experiment; empty if none has, as for a soak. */
    public static String familyOf(Experiment experiment) {
        return FAMILIES.stream()
                .filter(family -> family.experiments().stream()
                        .anyMatch(each -> each.name().equals(experiment.name())))
                .map(Family::name)
                .findFirst()
                .orElse("");
    }
}
