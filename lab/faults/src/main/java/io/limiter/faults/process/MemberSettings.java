package io.limiter.faults.process;

import io.limiter.faults.account.Limiters;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * How a JVM calls its limiters.
 *
 * @param redis where it is, or the network in front of it
 * @param user by which it connects, whose password is the same; empty for the default
 * @param instances how many factories it has, each with a connection of its own, as if it were so many JVMs
 * @param threads that call; each has one of the limiters of an instance
 * @param pauseMillis how long each pauses between two calls
 * @param interrupts whether threads are interrupted at random
 * @param logMillis how long each line of the log takes
 * @param live whether it follows live limits
 * @param account where the account goes
 */
public record MemberSettings(
        Endpoint redis,
        String user,
        boolean jedis,
        int instances,
        int threads,
        int pauseMillis,
        List<Limiters> limiters,
        boolean interrupts,
        int logMillis,
        boolean live,
        long seed,
        Path account) {

    /** Two dozen threads that pause 2 ms, over Lettuce; with live limits, so that the JVMs count each other. */
    public static MemberSettings standard() {
        return new MemberSettings(
                Endpoint.standalone(0),
                "",
                false,
                1,
                24,
                2,
                List.of(Limiters.LIMITED, Limiters.COUNTED, Limiters.ROOMY),
                false,
                0,
                true,
                0,
                Path.of(""));
    }

    public MemberSettings at(Endpoint newRedis, long newSeed, Path newAccount) {
        return with("redis=" + newRedis, "seed=" + newSeed, "account=" + newAccount);
    }

    public MemberSettings user(String newUser) {
        return with("user=" + newUser);
    }

    /** Over Jedis. */
    public MemberSettings byJedis() {
        return with("jedis=true");
    }

    public MemberSettings instances(int newInstances) {
        return with("instances=" + newInstances);
    }

    public MemberSettings threads(int newThreads, int newPauseMillis) {
        return with("threads=" + newThreads, "pause=" + newPauseMillis);
    }

    public MemberSettings limiters(Limiters... newLimiters) {
        return with("limiters=" + names(List.of(newLimiters)));
    }

    public MemberSettings interrupted() {
        return with("interrupts=true");
    }

    public MemberSettings logMillis(int newLogMillis) {
        return with("log=" + newLogMillis);
    }

    /** Without live limits: each JVM believes that it is the only one. */
    public MemberSettings notCounted() {
        return with("live=false");
    }

    private MemberSettings with(String... changed) {
        return parse(Stream.concat(arguments().stream(), Stream.of(changed)).toArray(String[]::new));
    }

    private static String names(List<Limiters> limiters) {
        return limiters.stream().map(Limiters::name).collect(Collectors.joining(","));
    }

    /** As arguments of {@link Member}. */
    List<String> arguments() {
        return List.of(
                "redis=" + redis,
                "user=" + user,
                "jedis=" + jedis,
                "instances=" + instances,
                "threads=" + threads,
                "pause=" + pauseMillis,
                "limiters=" + names(limiters),
                "interrupts=" + interrupts,
                "log=" + logMillis,
                "live=" + live,
                "seed=" + seed,
                "account=" + account);
    }

    /** Of two arguments of one name, the last counts. */
    static MemberSettings parse(String... arguments) {
        Map<String, String> values = new HashMap<>();
        for (String argument : arguments) {
            int separator = argument.indexOf('=');
            values.put(argument.substring(0, separator), argument.substring(separator + 1));
        }
        return new MemberSettings(
                Endpoint.parse(value(values, "redis")),
                value(values, "user"),
                Boolean.parseBoolean(value(values, "jedis")),
                Integer.parseInt(value(values, "instances")),
                Integer.parseInt(value(values, "threads")),
                Integer.parseInt(value(values, "pause")),
                Arrays.stream(value(values, "limiters").split(",", -1))
                        .map(Limiters::valueOf)
                        .toList(),
                Boolean.parseBoolean(value(values, "interrupts")),
                Integer.parseInt(value(values, "log")),
                Boolean.parseBoolean(value(values, "live")),
                Long.parseLong(value(values, "seed")),
                Path.of(value(values, "account")));
    }

    private static String value(Map<String, String> values, String name) {
        String value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("a member needs " + name + "=, was given " + values);
        }
        return value;
    }
}
