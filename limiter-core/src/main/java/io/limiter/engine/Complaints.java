package io.limiter.engine;

import io.limiter.LimiterBackendException;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs what somebody has to solve, once a minute for each kind of problem. */
final class Complaints {

    private static final Logger log = LoggerFactory.getLogger(Complaints.class);

    private final ConcurrentHashMap<String, OncePerMinute> said = new ConcurrentHashMap<>();

    void about(LimiterBackendException failure) {
        long unsaid = said.computeIfAbsent(failure.problem(), problem -> new OncePerMinute())
                .unsaid(System.nanoTime());
        if (unsaid != OncePerMinute.NOT_NOW) {
            log.error(
                    "{} ({} more like this since it was last said; it is said once a minute at most)",
                    failure.getMessage(),
                    unsaid,
                    failure);
        }
    }
}
