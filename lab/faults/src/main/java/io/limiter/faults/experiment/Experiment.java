package io.limiter.faults.experiment;

import io.limiter.faults.account.Limiters;
import io.limiter.faults.process.MemberSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A promise, and a fault under which it must hold. Immutable; the methods return a changed copy.
 *
 * @param does what is done, in a few words
 * @param promise what must hold beyond what is judged of every experiment
 * @param members the JVMs that call
 * @param prefix words before the command of each JVM
 * @param redisSettings as on the command line of Redis
 * @param parts what else there is
 * @param takes how long the fault takes about
 * @param expected what this fault may change
 * @param quick whether it belongs to the short selection
 */
public record Experiment(
        String name,
        String does,
        String promise,
        List<MemberSettings> members,
        List<String> prefix,
        List<String> redisSettings,
        Parts parts,
        Fault fault,
        Duration takes,
        Expected expected,
        boolean quick) {

    /** How long calls are made before the fault, and after it. */
    public static final Duration BEFORE = Duration.ofSeconds(2);

    public static final Duration AFTER = Duration.ofSeconds(4);

    /** Does it to the scene, and undoes it. */
    @FunctionalInterface
    public interface Fault {
        void on(Scene scene) throws Exception;
    }

    /**
     * Parts that only some experiments need.
     *
     * @param network whether members reach Redis through a {@link io.limiter.faults.process.Network}
     * @param clock whether the clock of Redis can be stepped
     */
    public record Parts(Servers servers, boolean network, boolean clock) {}

    /** What Redis there is. */
    public enum Servers {
        ONE,
        /** A {@link io.limiter.faults.process.ReplicatedRedis}. */
        REPLICATED,
        /** A {@link io.limiter.faults.process.RedisCluster} of masters only. */
        CLUSTER,
        /** The same, in which each master has a replica. */
        CLUSTER_WITH_REPLICAS
    }

    /**
     * What the fault may change.
     *
     * @param statesLost how often Redis may have lost all it knew, each of which grants a capacity again
     * @param forgotten how much of the latest past Redis may have forgotten, what was granted in which is granted again
     * @param primaries how many servers may decide about one key at the same time, each by its own state
     * @param extraPermits what the limits may grant on top, because the clock says so
     * @param recovery how long after the end of the fault Redis decides again at the latest
     * @param localShare the largest share of decisions about keys that Redis can decide that JVMs make alone
     * @param freezes whether buckets may not be refilled for a while after the fault
     * @param losesLeases whether leases may be lost before they are closed
     * @param counted how many JVMs know of each other before the fault, if that is not all of them; 0 for all
     */
    public record Expected(
            int statesLost,
            Duration forgotten,
            int primaries,
            double extraPermits,
            Duration recovery,
            double localShare,
            boolean freezes,
            boolean losesLeases,
            int counted) {

        private static final Expected NOTHING =
                new Expected(0, Duration.ZERO, 1, 0, Duration.ofSeconds(1), 1, false, false, 0);

        /** Whether Redis may know less than was granted. */
        public boolean forgets() {
            return statesLost > 0 || !forgotten.isZero() || primaries > 1;
        }
    }

    /** Two standard JVMs on one Redis, and no fault yet. */
    public static Experiment named(String name) {
        return new Experiment(
                name,
                "",
                "",
                List.of(MemberSettings.standard(), MemberSettings.standard()),
                List.of(),
                List.of(),
                new Parts(Servers.ONE, false, false),
                scene -> {},
                Duration.ZERO,
                Expected.NOTHING,
                false);
    }

    public Experiment does(String newDoes) {
        return new Experiment(
                name, newDoes, promise, members, prefix, redisSettings, parts, fault, takes, expected, quick);
    }

    public Experiment promises(String newPromise) {
        return new Experiment(
                name, does, newPromise, members, prefix, redisSettings, parts, fault, takes, expected, quick);
    }

    public Experiment members(MemberSettings... newMembers) {
        return new Experiment(
                name, does, promise, List.of(newMembers), prefix, redisSettings, parts, fault, takes, expected, quick);
    }

    public Experiment prefix(String... newPrefix) {
        return new Experiment(
                name, does, promise, members, List.of(newPrefix), redisSettings, parts, fault, takes, expected, quick);
    }

    public Experiment redis(String... settings) {
        List<String> all = new ArrayList<>(redisSettings);
        all.addAll(Arrays.asList(settings));
        return new Experiment(
                name, does, promise, members, prefix, List.copyOf(all), parts, fault, takes, expected, quick);
    }

    public Experiment withNetwork() {
        return with(new Parts(parts.servers, true, parts.clock));
    }

    public Experiment withClock() {
        return with(new Parts(parts.servers, parts.network, true));
    }

    public Experiment on(Servers servers) {
        return with(new Parts(servers, parts.network, parts.clock));
    }

    private Experiment with(Parts newParts) {
        return new Experiment(
                name, does, promise, members, prefix, redisSettings, newParts, fault, takes, expected, quick);
    }

    public Experiment fault(Duration about, Fault newFault) {
        return new Experiment(
                name, does, promise, members, prefix, redisSettings, parts, newFault, about, expected, quick);
    }

    public Experiment mayLoseState(int times) {
        return expect(new Expected(
                times,
                expected.forgotten,
                expected.primaries,
                expected.extraPermits,
                expected.recovery,
                expected.localShare,
                expected.freezes,
                expected.losesLeases,
                expected.counted));
    }

    public Experiment mayForget(Duration latest) {
        return expect(new Expected(
                expected.statesLost,
                latest,
                expected.primaries,
                expected.extraPermits,
                expected.recovery,
                expected.localShare,
                expected.freezes,
                expected.losesLeases,
                expected.counted));
    }

    public Experiment mayHave(int primaries) {
        return expect(new Expected(
                expected.statesLost,
                expected.forgotten,
                primaries,
                expected.extraPermits,
                expected.recovery,
                expected.localShare,
                expected.freezes,
                expected.losesLeases,
                expected.counted));
    }

    public Experiment mayGrant(double extraPermits) {
        return expect(new Expected(
                expected.statesLost,
                expected.forgotten,
                expected.primaries,
                extraPermits,
                expected.recovery,
                expected.localShare,
                expected.freezes,
                expected.losesLeases,
                expected.counted));
    }

    public Experiment recoversWithin(Duration recovery) {
        return expect(new Expected(
                expected.statesLost,
                expected.forgotten,
                expected.primaries,
                expected.extraPermits,
                recovery,
                expected.localShare,
                expected.freezes,
                expected.losesLeases,
                expected.counted));
    }

    public Experiment localAtMost(double share) {
        return expect(new Expected(
                expected.statesLost,
                expected.forgotten,
                expected.primaries,
                expected.extraPermits,
                expected.recovery,
                share,
                expected.freezes,
                expected.losesLeases,
                expected.counted));
    }

    public Experiment mayFreeze() {
        return expect(new Expected(
                expected.statesLost,
                expected.forgotten,
                expected.primaries,
                expected.extraPermits,
                expected.recovery,
                expected.localShare,
                true,
                expected.losesLeases,
                expected.counted));
    }

    public Experiment mayLoseLeases() {
        return expect(new Expected(
                expected.statesLost,
                expected.forgotten,
                expected.primaries,
                expected.extraPermits,
                expected.recovery,
                expected.localShare,
                expected.freezes,
                true,
                expected.counted));
    }

    public Experiment counts(int jvms) {
        return expect(new Expected(
                expected.statesLost,
                expected.forgotten,
                expected.primaries,
                expected.extraPermits,
                expected.recovery,
                expected.localShare,
                expected.freezes,
                expected.losesLeases,
                jvms));
    }

    private Experiment expect(Expected newExpected) {
        return new Experiment(
                name, does, promise, members, prefix, redisSettings, parts, fault, takes, newExpected, quick);
    }

    /** Belongs to the short selection. */
    public Experiment inShort() {
        return new Experiment(name, does, promise, members, prefix, redisSettings, parts, fault, takes, expected, true);
    }

    /** How many JVMs know of each other before the fault, so that each alone has its part of the limit; 1 if they do not count. */
    public int counted() {
        if (!members.stream().allMatch(MemberSettings::live)) {
            return 1;
        }
        return expected.counted > 0 ? expected.counted : members.size();
    }

    /** Whether its JVMs call such a limiter. */
    public boolean calls(Limiters limiter) {
        return members.stream().anyMatch(member -> member.limiters().contains(limiter));
    }

    /** How long it runs about, with the start of its processes. */
    public Duration duration() {
        return BEFORE.plus(takes).plus(AFTER).plusSeconds(parts.servers == Servers.ONE ? 6 : 9);
    }
}
