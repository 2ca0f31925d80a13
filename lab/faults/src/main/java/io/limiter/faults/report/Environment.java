package io.limiter.faults.report;

import io.limiter.faults.process.RedisServer;
import java.time.LocalDate;
import java.time.ZoneOffset;

/**
 * Where results were obtained.
 *
 * @param redis name and version of the server
 */
public record Environment(LocalDate date, String machine, String jvm, String redis) {

    /** This machine and its Redis, today. */
    public static Environment here() {
        return new Environment(
                LocalDate.now(ZoneOffset.UTC),
                System.getProperty("os.name") + " " + System.getProperty("os.arch") + ", "
                        + Runtime.getRuntime().availableProcessors() + " processors",
                System.getProperty("java.vm.name") + " " + Runtime.version(),
                RedisServer.version());
    }

    /** What differs between runs on the same machine. */
    String runAndRedis() {
        return date + ", " + redis;
    }

    @Override
    public String toString() {
        return date + ", " + machine + ", " + jvm + ", " + redis;
    }
}
