package io.limiter.faults.experiment;

import static io.limiter.faults.experiment.Experiment.named;

import io.limiter.faults.account.Limiters;
import io.limiter.faults.process.Awaited;
import io.limiter.faults.process.MemberSettings;
import io.limiter.faults.process.RedisConsole;
import io.limiter.faults.process.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** Redis is there, and replies that it does not execute what it is sent. */
final class ErrorReplies {

    private static final String PERMANENT = "A permanent failure: each JVM decides alone until it is corrected";
    private static final String SOON = "Nothing is executed; each JVM decides alone, until Redis executes again";

    private static final Duration TAKES = Duration.ofSeconds(2);

    private static final int JUNK_KEYS = 60;

    private ErrorReplies() {}

    static List<Experiment> all() {
        return List.of(
                named("wrong-type")
                        .does("Something else is stored under one of the keys for 2 s: WRONGTYPE")
                        .promises(PERMANENT + ", and Redis decides all other keys")
                        .members(
                                MemberSettings.standard().notCounted(),
                                MemberSettings.standard().notCounted())
                        .localAtMost(0.05)
                        .fault(TAKES, ErrorReplies::occupyKey),
                named("no-password")
                        .does("Redis requires another password for 2 s, and all connections break: NOAUTH")
                        .promises(PERMANENT)
                        .fault(TAKES, ErrorReplies::requirePassword),
                named("cannot-save")
                        .does("Redis cannot save to its disk for 2 s, and rejects what writes: MISCONF")
                        .promises(PERMANENT)
                        .fault(TAKES, ErrorReplies::failToSave),
                named("loading")
                        .does("Redis is shut down, started again, and loads its data for some seconds: LOADING")
                        .promises(SOON)
                        .redis("--key-load-delay", "40000", "--rdbcompression", "no")
                        .fault(Duration.ofSeconds(4), ErrorReplies::load),
                named("read-only")
                        .does("Redis becomes the replica of a server that does not exist for 2 s: READONLY")
                        .promises(SOON)
                        .fault(TAKES, ErrorReplies::demote));
    }

    /** And its former state is back afterwards. */
    private static void occupyKey(Scene scene) throws Exception {
        scene.affects(call -> call.limiter() == Limiters.LIMITED && call.key() == 0);
        String key = scene.redis().command("KEYS", "*{" + Limiters.LIMITED.key(0) + "}{limited}*");
        scene.redis()
                .command(
                        "EVAL",
                        "redis.call('RENAME', KEYS[1], KEYS[2]) redis.call('LPUSH', KEYS[1], 'x')",
                        "2",
                        key,
                        "saved");
        scene.pass(TAKES);
        scene.redis().command("RENAME", "saved", key);
        requireReplies(scene, "WRONGTYPE");
    }

    private static void requirePassword(Scene scene) throws Exception {
        try (RedisConsole console = new RedisConsole(scene.redis().port())) {
            console.command("CONFIG", "SET", "requirepass", "another");
            console.command("CLIENT", "KILL", "TYPE", "normal");
            scene.pass(TAKES);
            console.command("CONFIG", "SET", "requirepass", "");
        }
        requireReplies(scene, "NOAUTH");
    }

    private static void failToSave(Scene scene) throws Exception {
        RedisServer redis = scene.redis();
        // It cannot replace a folder by its file.
        redis.command("CONFIG", "SET", "dbfilename", "folder");
        Files.createDirectory(Path.of(redis.command("CONFIG", "GET", "dir").split("\n", -1)[1], "folder"));
        redis.command("CONFIG", "SET", "save", "3600 1");
        redis.command("BGSAVE");
        Awaited.await(() -> redis.info("rdb_last_bgsave_status").equals("err"), "Redis has still saved");
        scene.begins();
        requireRejectedWrite(scene, "MISCONF");
        scene.pass(TAKES);
        redis.command("CONFIG", "SET", "save", "");
    }

    /** Nothing is lost: it saves when it is shut down. */
    private static void load(Scene scene) throws Exception {
        try (RedisConsole console = new RedisConsole(scene.redis().port())) {
            for (int i = 0; i < JUNK_KEYS; i++) {
                console.command("SETRANGE", "junk" + i, "1000000", "x");
            }
            scene.begins();
            console.send("SHUTDOWN", "SAVE");
        }
        scene.redis().awaitEnd();
        scene.redis().startAgain();
        scene.healed();
        // Not of LOADING, which the waiting above provokes itself.
        String calls = scene.redis().info("cmdstat_evalsha");
        long rejected = Long.parseLong(calls.replaceFirst(".*rejected_calls=([0-9]+).*", "$1"));
        scene.note(String.format(Locale.ROOT, "%,d calls of a script rejected", rejected));
        scene.require(Measure.VALIDITY, rejected > 0, "Redis rejected no call while it loaded");
    }

    private static void demote(Scene scene) throws Exception {
        scene.redis().command("REPLICAOF", "127.0.0.1", "" + RedisServer.freePort());
        requireRejectedWrite(scene, "READONLY");
        scene.pass(TAKES);
        scene.redis().command("REPLICAOF", "NO", "ONE");
    }

    /** Or the experiment would say nothing about them. */
    private static void requireReplies(Scene scene, String error) throws Exception {
        scene.healed();
        String count = scene.redis().info("errorstat_" + error);
        scene.note(error + " " + count.replace("count=", "") + " times");
        scene.require(Measure.VALIDITY, !count.isEmpty(), "Redis never replied " + error);
    }

    /** The same, where scripts catch the error, so that Redis does not count it. */
    private static void requireRejectedWrite(Scene scene, String error) throws IOException {
        String reply;
        try {
            reply = scene.redis().command("SET", "written", "x");
        } catch (RedisConsole.RedisError e) {
            reply = String.valueOf(e.getMessage());
        }
        scene.require(Measure.VALIDITY, reply.startsWith(error), "Redis replied " + reply + " to a write");
    }
}
