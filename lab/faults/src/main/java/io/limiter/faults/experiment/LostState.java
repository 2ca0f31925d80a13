package io.limiter.faults.experiment;

import static io.limiter.faults.experiment.Experiment.named;

import io.limiter.faults.process.RedisConsole;
import java.time.Duration;
import java.util.List;

/** Redis forgets scripts or keys, or has no room for them. */
final class LostState {

    private static final int FLUSHES = 5;

    /** More often than a key is evicted here, which nothing bounds. */
    private static final int EVICTIONS = 1000;

    private LostState() {}

    static List<Experiment> all() {
        return List.of(
                named("script-flush")
                        .does("SCRIPT FLUSH 100 times a second for 4 s")
                        .promises("Scripts are loaded again within the decision, which Redis still makes")
                        .localAtMost(0.05)
                        .fault(Duration.ofSeconds(4), LostState::flushScripts),
                named("flushall")
                        .does("FLUSHALL, " + FLUSHES + " times in 3 s")
                        .promises("Buckets are full again: one capacity more for each FLUSHALL")
                        .mayLoseState(FLUSHES)
                        .fault(Duration.ofSeconds(3), scene -> {
                            for (int i = 0; i < FLUSHES; i++) {
                                scene.redis().command("FLUSHALL");
                                scene.pass(Duration.ofMillis(600));
                            }
                        }),
                named("no-memory")
                        .does("maxmemory is exceeded for 3 s, noeviction: Redis rejects what writes")
                        .promises("A permanent failure: each JVM decides alone")
                        .fault(Duration.ofSeconds(3), scene -> {
                            scene.redis().command("CONFIG", "SET", "maxmemory", "1");
                            scene.pass(Duration.ofSeconds(3));
                            scene.redis().command("CONFIG", "SET", "maxmemory", "0");
                        }),
                named("evictions")
                        .does("maxmemory is exceeded for 4 s, allkeys-lru: Redis evicts keys, limiters' too")
                        .promises("None: an evicted bucket is full again; the excess is measured")
                        .mayLoseState(EVICTIONS)
                        .redis("--maxmemory-policy", "allkeys-lru")
                        .fault(Duration.ofSeconds(4), LostState::evict));
    }

    private static void flushScripts(Scene scene) throws Exception {
        try (RedisConsole console = new RedisConsole(scene.redis().port())) {
            for (int i = 0; i < 400; i++) {
                console.command("SCRIPT", "FLUSH");
                scene.pass(Duration.ofMillis(10));
            }
        }
    }

    /** Others write so much that nothing stays for long. */
    private static void evict(Scene scene) throws Exception {
        long used = Long.parseLong(scene.redis().info("used_memory"));
        scene.redis().command("CONFIG", "SET", "maxmemory", Long.toString(used + 1_000_000));
        try (RedisConsole console = new RedisConsole(scene.redis().port())) {
            long end = System.nanoTime() + Duration.ofSeconds(4).toNanos();
            for (int i = 0; System.nanoTime() < end; i++) {
                console.command("SET", "junk" + i, "x".repeat(1000));
            }
        }
        scene.redis().command("CONFIG", "SET", "maxmemory", "0");
    }
}
