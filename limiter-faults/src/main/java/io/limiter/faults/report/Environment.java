package io.limiter.faults.report;

import io.limiter.faults.process.RedisServer;
import java.io.IOException;
import java.time.LocalDate;
import java.time.ZoneOffset;

/** Where results were obtained. */
public record Environment(LocalDate date, String machine, String jvm, String redis) {

    /** This machine, today and the version of a Redis. */
    public static Environment here() throws IOException, InterruptedException {
        try (RedisServer redis = RedisServer.start()) {
            return new Environment(
                    LocalDate.now(ZoneOffset.UTC),
                    System.getProperty("os.name") + " " + System.getProperty("os.arch") + ", "
                            + Runtime.getRuntime().availableProcessors() + " processors",
                    System.getProperty("java.vm.name") + " " + Runtime.version(),
                    redis.info("redis_version"));
        }
    }

    @Override
    public String toString() {
        return date + ", " + machine + ", " + jvm + ", Redis " + redis;
    }
}
