package io.limiter.faults.experiment;

import io.limiter.faults.account.AccountFile;
import io.limiter.faults.account.Accounts.Slice;
import io.limiter.faults.account.Entry;
import io.limiter.faults.account.Limiters;
import io.limiter.faults.experiment.Measure.Violation;
import io.limiter.faults.process.Endpoint;
import io.limiter.faults.process.MemberProcess;
import io.limiter.faults.process.MemberSettings;
import io.limiter.faults.process.Neighbours;
import io.limiter.faults.process.Network;
import io.limiter.faults.process.RedisCluster;
import io.limiter.faults.process.RedisServer;
import io.limiter.faults.process.ReplicatedRedis;
import io.limiter.faults.process.ServerClock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What an experiment acts on: a Redis, JVMs that call, and if it needs them a network and a clock. */
public final class Scene implements AutoCloseable {

    private final Experiment experiment;
    private final long seed;
    private final IntFunction<String> classPath;
    private final Random random;
    private final List<MemberProcess> members = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    private final List<Violation> violations = new ArrayList<>();
    private final Neighbours neighbours = Neighbours.watch();
    private @Nullable ServerClock clock;
    private @Nullable RedisServer redis;
    private @Nullable ReplicatedRedis replicated;
    private @Nullable RedisCluster cluster;
    private @Nullable Network network;
    private @Nullable Predicate<Entry> affected;
    private long faultMicros;
    private long healedMicros;

    private Scene(Experiment experiment, long seed, IntFunction<String> classPath) {
        this.experiment = experiment;
        this.seed = seed;
        this.classPath = classPath;
        this.random = new Random(seed);
    }

    /**
     * All processes run; the limiters are not called yet.
     *
     * @param classPath of each JVM, which have numbers from 0
     */
    public static Scene open(Experiment experiment, long seed, IntFunction<String> classPath)
            throws IOException, InterruptedException {
        Scene scene = new Scene(experiment, seed, classPath);
        try {
            scene.startRedis();
        } catch (IOException | InterruptedException | RuntimeException e) {
            scene.close();
            throw e;
        }
        return scene;
    }

    private void startRedis() throws IOException, InterruptedException {
        String[] settings = experiment.redisSettings().toArray(String[]::new);
        switch (experiment.parts().servers()) {
            case ONE -> startOne(settings);
            case REPLICATED -> replicated = ReplicatedRedis.start(settings);
            case CLUSTER -> cluster = RedisCluster.start(false);
            case CLUSTER_WITH_REPLICAS -> cluster = RedisCluster.start(true);
        }
    }

    private void startOne(String... settings) throws IOException, InterruptedException {
        if (experiment.parts().clock()) {
            clock = ServerClock.create();
            redis = RedisServer.start(clock, settings);
        } else {
            redis = RedisServer.start(settings);
        }
        if (experiment.parts().network()) {
            network = new Network(redis.port());
        }
    }

    /** From before the calls to after them. */
    public void play() throws Exception {
        for (MemberSettings settings : experiment.members()) {
            startMember(settings);
        }
        for (MemberProcess member : members) {
            member.awaitReady();
        }
        if (experiment.counted() > 1) {
            for (MemberProcess member : members) {
                member.awaitInstances(members.size());
            }
        }
        pass(Experiment.BEFORE);
        faultMicros = AccountFile.nowMicros();
        experiment.fault().on(this);
        if (healedMicros == 0) {
            healed();
        }
        pass(Experiment.AFTER);
        for (MemberProcess member : members) {
            member.endCalls();
        }
        if (experiment.calls(Limiters.LEASED)) {
            requireFreeLeases("after all leases were closed");
        }
        for (MemberProcess member : members) {
            member.end();
        }
    }

    /** Requires the leases of all JVMs to be free; a lease that was released does not wait for its time to be over. */
    void requireFreeLeases(String since) throws InterruptedException {
        try (Observer observer = new Observer(endpoint())) {
            requireFreeLeases(observer, since, Duration.ZERO);
        }
    }

    /** The same, of JVMs that could not release them. */
    void requireFreeLeases(Observer observer, String since, Duration leaseTime) throws InterruptedException {
        long startNanos = System.nanoTime();
        Duration free = Duration.ZERO;
        long held = observer.leases();
        for (long left = held; left > 0 && free.compareTo(Duration.ofSeconds(5)) < 0; left = observer.leases()) {
            pass(Duration.ofMillis(5));
            free = Duration.ofNanos(System.nanoTime() - startNanos);
        }
        note(String.format(Locale.ROOT, "all leases free %.1f s %s", free.toMillis() / 1000.0, since));
        require(
                Measure.LEASES_FREE,
                free.compareTo(leaseTime.plusMillis(500)) < 0,
                held + " leases were free only " + free.toMillis() + " ms " + since);
    }

    private MemberProcess startMember(MemberSettings settings) throws IOException {
        Endpoint where = network != null ? Endpoint.standalone(network.port()) : endpoint();
        int number = members.size();
        MemberProcess member =
                MemberProcess.start(where, settings, seed * 31 + number, experiment.prefix(), classPath.apply(number));
        members.add(member);
        return member;
    }

    /** One more JVM, as if it were a new instance. */
    public MemberProcess join(MemberSettings settings) throws IOException, InterruptedException {
        MemberProcess member = startMember(settings);
        member.awaitReady();
        return member;
    }

    /** The fault begins only now, after preparations. */
    public void begins() {
        faultMicros = AccountFile.nowMicros();
    }

    /** Records that Redis can decide again from now on; unless called, from the end of the fault. */
    public void healed() {
        healedMicros = AccountFile.nowMicros();
    }

    public void pass(Duration duration) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(duration.toNanos());
    }

    public RedisServer redis() {
        return required(redis, "Redis");
    }

    public ReplicatedRedis replicated() {
        return required(replicated, "replica");
    }

    public RedisCluster cluster() {
        return required(cluster, "Cluster");
    }

    /** Where Redis is, without a network in between. */
    public Endpoint endpoint() {
        if (replicated != null) {
            return replicated.endpoint();
        }
        return cluster != null ? cluster.endpoint() : Endpoint.standalone(redis().port());
    }

    /** Only these calls concern what fails; Redis can decide all others. */
    public void affects(Predicate<Entry> calls) {
        affected = calls;
    }

    public boolean isAffected(Entry call) {
        return affected == null || affected.test(call);
    }

    /** Whether there are others. */
    public boolean affectsSome() {
        return affected != null;
    }

    public Network network() {
        return required(network, "network");
    }

    public ServerClock clock() {
        return required(clock, "clock");
    }

    private static <T> T required(@Nullable T part, String name) {
        if (part == null) {
            throw new IllegalStateException("this experiment has no " + name);
        }
        return part;
    }

    /** Something worth a place in the table. */
    public void note(String text) {
        notes.add(text);
    }

    /** What an experiment itself finds. */
    public void require(Measure measure, boolean holds, String otherwise) {
        if (!holds) {
            violations.add(new Violation(measure, otherwise));
        }
    }

    public List<String> notes() {
        return List.copyOf(notes);
    }

    public List<Violation> violations() {
        return List.copyOf(violations);
    }

    /** What the machine did for others during the experiment. */
    public List<Slice> neighbours() {
        return neighbours.slices();
    }

    /** All that were started, in this order; some may be dead. */
    public List<MemberProcess> members() {
        return members;
    }

    public MemberProcess member(int index) {
        return members.get(index);
    }

    /** Of this experiment's seed. */
    public Random random() {
        return random;
    }

    public long faultMicros() {
        return faultMicros;
    }

    public long healedMicros() {
        return healedMicros;
    }

    @Override
    public void close() {
        neighbours.close();
        members.forEach(MemberProcess::close);
        if (network != null) {
            network.close();
        }
        if (redis != null) {
            redis.close();
        }
        if (replicated != null) {
            replicated.close();
        }
        if (cluster != null) {
            cluster.close();
        }
        if (clock != null) {
            clock.close();
        }
    }
}
