package io.limiter.spring.internal.key.address;

import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns once if keys seem to be addresses of proxies, because {@code limiter.key.trusted-proxies} is not set or names too few:
 * then all callers behind such a proxy share one key.
 */
final class ProxyWarnings {

    private static final Logger log = LoggerFactory.getLogger(ProxyWarnings.class);

    /** How many requests a warning is taken from, and how many of them have to show it. */
    private static final int SAMPLE = 1000;

    private static final int MOST = 900;

    /** After the first sample, only one request in 16 is looked at. */
    private static final int FEWER = 15;

    private final AtomicBoolean ignored = new AtomicBoolean();
    private volatile boolean warned;
    private volatile boolean sampledOnce;

    private String candidate = "";
    private int seen;
    private int same;
    private int longer;

    boolean isSampled() {
        return !warned && (!sampledOnce || (ThreadLocalRandom.current().nextInt() & FEWER) == 0);
    }

    /** A request while no proxy is trusted. If the server itself has taken the remote address from the header, that is fine. */
    void ignored(String remote, Function<String, List<String>> headers) {
        if (ignored.get()) {
            return;
        }
        for (String name : List.of("X-Forwarded-For", "Forwarded")) {
            List<String> lines = headers.apply(name);
            if (!lines.isEmpty()
                    && lines.stream().noneMatch(line -> line.contains(remote))
                    && ignored.compareAndSet(false, true)) {
                log.warn(
                        "A request from {} has the header {}, which does not count, because no proxy is trusted and callers can"
                                + " send it themselves. If {} is a proxy, all callers behind it share one key: set"
                                + " limiter.key.trusted-proxies to the addresses of your proxies, such as 10.0.0.0/8",
                        remote,
                        name,
                        remote);
            }
        }
    }

    /**
     * A request by IP.
     *
     * @param more whether the header has more addresses behind the one that is the key
     */
    synchronized void key(String key, boolean more) {
        if (seen == 0) {
            candidate = key;
        }
        seen++;
        same += key.equals(candidate) ? 1 : 0;
        longer += more ? 1 : 0;
        if (seen < SAMPLE) {
            return;
        }
        if (!warned && longer > MOST) {
            warned = true;
            log.warn(
                    "{} of {} requests by IP have more addresses in the forwarded header in front of the one that is the key, such"
                            + " as {}. If that is a proxy, all callers behind it share one key: add its addresses to"
                            + " limiter.key.trusted-proxies",
                    longer,
                    SAMPLE,
                    key);
        } else if (!warned && same > MOST) {
            warned = true;
            log.warn(
                    "{} of {} requests by IP have the key {}. If that is a proxy or a load balancer, all callers behind it share one"
                            + " key: add its addresses to limiter.key.trusted-proxies",
                    same,
                    SAMPLE,
                    candidate);
        }
        sampledOnce = true;
        seen = 0;
        same = 0;
        longer = 0;
    }
}
