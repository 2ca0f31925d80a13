package io.limiter.faults.experiment;

import static io.limiter.faults.experiment.Experiment.named;

import io.limiter.faults.account.Limiters;
import io.limiter.faults.process.Awaited;
import io.limiter.faults.process.MemberProcess;
import io.limiter.faults.process.MemberProcess.Use;
import io.limiter.faults.process.MemberSettings;
import io.limiter.faults.process.RedisConsole;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;

/**
 * Three JVMs that do not count each other, a million keys and limits of all kinds, while faults come at random. None of them loses what
 * Redis knows.
 */
public final class Soak {

    /** Permits of these may be prefetched and lost with each fault, need JVMs that count each other, or have a key for each call. */
    private static final Set<Limiters> NOT_CALLED =
            EnumSet.of(Limiters.PREFETCHED_COUNTED, Limiters.HOT, Limiters.OWNED, Limiters.ONCE);

    /** Not the second of a set by itself. */
    private static final Limiters[] CALLED = Arrays.stream(Limiters.values())
            .filter(limiter -> !NOT_CALLED.contains(limiter))
            .filter(limiter -> Arrays.stream(Limiters.values()).noneMatch(first -> first.second() == limiter))
            .toArray(Limiters[]::new);

    private static final MemberSettings SETTINGS =
            MemberSettings.standard().notCounted().limiters(CALLED).threads(4 * CALLED.length, 40);

    /** Keys of these outlive the calls by some ten seconds, of all others by a minute and more. */
    private static final Set<Limiters> EXPIRING =
            EnumSet.of(Limiters.LEASED, Limiters.MANY, Limiters.WINDOWED, Limiters.LOGGED, Limiters.SLIDING);

    /** Of a JVM for each fault, stack traces included: what fails often is logged once a minute. */
    private static final int LINES = 10;

    private static final int SIZE = 3;

    private static final int MEGABYTE = 1 << 20;

    private final Scene scene;
    private final Random random;
    private int faults;

    private Soak(Scene scene) {
        this.scene = scene;
        this.random = scene.random();
    }

    public static Experiment of(Duration duration) {
        return named("soak")
                .does("Random faults for " + duration.toMinutes()
                        + " min: Redis stopped, paused or busy, scripts flushed, connections cut, slow or silent, JVMs stopped"
                        + " or killed; 3 JVMs that do not count each other, a million keys, all kinds of limits")
                .promises("All bounds, and nothing grows: heap, threads, connections, keys in Redis, lines logged")
                .members(Collections.nCopies(SIZE, SETTINGS).toArray(MemberSettings[]::new))
                .redis("--lua-time-limit", "200")
                .withNetwork()
                .recoversWithin(Duration.ofSeconds(2))
                .mayLoseLeases()
                .fault(duration.plusSeconds(30), scene -> new Soak(scene).run(duration));
    }

    private void run(Duration duration) throws Exception {
        // JVMs that have just started, with a hundred threads each, grant few leases.
        scene.pass(Duration.ofSeconds(10));
        Total before = measure();
        scene.begins();
        long endNanos = System.nanoTime() + duration.toNanos();
        while (System.nanoTime() < endNanos) {
            fault();
            faults++;
            scene.pass(millis(1000, 4000));
        }
        scene.healed();
        scene.pass(Experiment.AFTER);
        Total after = measure();
        compare(before, after);
        countLines();
        long keys = keys();
        for (MemberProcess member : alive()) {
            member.end();
        }
        awaitExpiry(keys);
    }

    private void fault() throws Exception {
        switch (random.nextInt(11)) {
            case 0 -> {
                scene.redis().stop();
                scene.pass(millis(50, 3000));
                scene.redis().goOn();
            }
            case 1 -> scene.redis().command("CLIENT", "PAUSE", "" + random.nextInt(50, 2000));
            case 2 -> busyScript();
            case 3 -> scene.redis().command("SCRIPT", "FLUSH");
            case 4 -> scene.network().cut();
            case 5 -> through(() -> scene.network().delayReplies(random.nextInt(10, 150)));
            case 6 -> through(() -> scene.network().loseReplies());
            case 7 -> through(() -> scene.network().blackhole());
            case 8 -> through(() -> scene.network().refuse());
            case 9 -> {
                MemberProcess member = any();
                member.pause();
                scene.pass(millis(50, 3000));
                member.goOn();
            }
            default -> {
                any().kill();
                scene.join(SETTINGS);
            }
        }
    }

    private void busyScript() throws Exception {
        try (RedisConsole console = new RedisConsole(scene.redis().port())) {
            console.send("EVAL", "while true do end", "0");
            scene.pass(millis(300, 2000));
            scene.redis().command("SCRIPT", "KILL");
        }
    }

    private void through(Runnable badNetwork) throws InterruptedException {
        badNetwork.run();
        scene.pass(millis(50, 3000));
        scene.network().heal();
    }

    private Duration millis(int least, int most) {
        return Duration.ofMillis(random.nextInt(least, most));
    }

    private MemberProcess any() {
        List<MemberProcess> alive = alive();
        return alive.get(random.nextInt(alive.size()));
    }

    private List<MemberProcess> alive() {
        return scene.members().stream().filter(MemberProcess::isAlive).toList();
    }

    /** Of that JVM that uses most. */
    private record Total(long heapBytes, int threads, int connections) {}

    private Total measure() throws IOException, InterruptedException {
        List<Use> uses = new ArrayList<>();
        for (MemberProcess member : alive()) {
            uses.add(member.measure());
        }
        return new Total(
                uses.stream().mapToLong(Use::heapBytes).max().orElse(0),
                uses.stream().mapToInt(Use::threads).max().orElse(0),
                Integer.parseInt(scene.redis().info("connected_clients")));
    }

    private void compare(Total before, Total after) {
        scene.note(String.format(
                Locale.ROOT,
                "%d faults; heap of a JVM after collection %d MB at the start, %d MB at the end; %d threads at the start, %d at the"
                        + " end; %d connections at the start, %d at the end",
                faults,
                before.heapBytes / MEGABYTE,
                after.heapBytes / MEGABYTE,
                before.threads,
                after.threads,
                before.connections,
                after.connections));
        // 100,000 keys of the local engine, and rejections known.
        scene.require(
                Measure.GROWTH, after.heapBytes < before.heapBytes + 64L * MEGABYTE, "the heap of a JVM has grown");
        // Some are started when they are needed first.
        scene.require(Measure.GROWTH, after.threads <= before.threads + 16, "a JVM has more threads");
        // After an outage a JVM may have one more, and one that is being made.
        scene.require(
                Measure.GROWTH,
                after.connections <= before.connections + 2 * alive().size(),
                "there are more connections");
    }

    private void countLines() throws IOException {
        long lines = 0;
        for (MemberProcess member : scene.members()) {
            lines += member.linesLogged();
        }
        long most = (long) LINES * SIZE * faults;
        scene.note(String.format(Locale.ROOT, "%,d lines logged, of at most %,d", lines, most));
        scene.require(Measure.GROWTH, lines <= most, "JVMs have logged " + lines + " lines");
    }

    private long keys() throws IOException {
        return Long.parseLong(scene.redis().command("DBSIZE"));
    }

    private void awaitExpiry(long atMost) throws IOException, InterruptedException {
        int lasting = Arrays.stream(Limiters.values())
                .filter(limiter -> !EXPIRING.contains(limiter) && !NOT_CALLED.contains(limiter))
                .mapToInt(Limiters::keys)
                .sum();
        Awaited.await(() -> keys() <= lasting, "keys in Redis do not expire");
        long left = keys();
        scene.note(String.format(
                Locale.ROOT,
                "%,d keys in Redis at the end, and %d after the keys of the calls had expired",
                atMost,
                left));
        scene.require(Measure.GROWTH, left == lasting, "Redis has " + left + " keys instead of " + lasting);
    }
}
