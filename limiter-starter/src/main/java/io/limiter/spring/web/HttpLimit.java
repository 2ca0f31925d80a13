package io.limiter.spring.web;

import io.limiter.Limiter;
import io.limiter.spring.check.CheckPart;
import io.limiter.spring.check.CheckStep;
import io.limiter.spring.check.CheckedLimit;
import io.limiter.spring.check.LimitName;
import io.limiter.spring.check.PermitRequest;
import io.limiter.spring.check.RejectionLog;
import io.limiter.spring.key.RequestFacts;
import io.limiter.spring.key.spel.RequestKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;

/** A limit on HTTP requests: a rule of {@code limiter.http}. Safe for use by many threads. */
public final class HttpLimit {

    private final String prefix;
    private final HttpRoute route;
    private final RequestKey key;
    private final List<Limiter> limiters;
    private final List<Duration> timeouts;
    private final List<CheckedLimit> checked;
    private final boolean enforced;
    private final RejectionLog log;

    /**
     * @param prefix starts the keys in Redis
     * @param limiters at least one; all or nothing. Of several, the first key is the hash tag
     * @param timeouts how long a request waits for the permits of each limiter
     * @param enforced whether the limit rejects; otherwise it is in shadow mode
     * @param log of rejections, also in shadow mode
     */
    public HttpLimit(
            String prefix,
            HttpRoute route,
            RequestKey key,
            List<Limiter> limiters,
            List<Duration> timeouts,
            boolean enforced,
            RejectionLog log) {
        this.prefix = prefix;
        this.route = route;
        this.key = key;
        this.limiters = List.copyOf(limiters);
        this.timeouts = List.copyOf(timeouts);
        this.checked = this.limiters.stream()
                .map(limiter -> new CheckedLimit(LimitName.chosen(prefix, limiter.name()), enforced, "", log))
                .toList();
        this.enforced = enforced;
        this.log = log;
    }

    /** Whether the user must be known before the limit is decided. */
    public boolean usesUser() {
        return key.usesUser();
    }

    /** See {@link HttpRoute#matches}. */
    boolean matches(String method, boolean preflight, List<PathContainer> paths) {
        return route.matches(method, preflight, paths);
    }

    /**
     * The step of a request's check; empty if the limit is in shadow mode and the request has no key, which is logged.
     *
     * @throws io.limiter.spring.key.MissingLimitKeyException if the request has no key and the limit is enforced
     */
    Optional<CheckStep<?>> step(RequestFacts request) {
        try {
            return Optional.of(step(key.of(request)));
        } catch (RuntimeException e) {
            log.failed(e);
            if (enforced) {
                throw e;
            }
            return Optional.empty();
        }
    }

    private CheckStep<?> step(@Nullable String ofRequest) {
        // In a Cluster several are decided in one call if they are in one slot.
        String hashTag = limiters.size() > 1 ? hashTag(ofRequest) : null;
        List<CheckPart> parts = new ArrayList<>(limiters.size());
        for (int i = 0; i < limiters.size(); i++) {
            CheckedLimit limit = checked.get(i);
            PermitRequest request = new PermitRequest(limit.name(), ofRequest, hashTag, 1);
            parts.add(new CheckPart(limit, limiters.get(i), request, timeouts.get(i), null));
        }
        return CheckStep.of(parts);
    }

    /**
     * The hash tag of the permits of a key; {@code null} if the limiter is none of this limit's, or the key alone decides it.
     *
     * @param limiterPrefix starts the limiter's keys in Redis
     */
    public @Nullable String hashTag(String limiterPrefix, String limiterName, @Nullable String limiterKey) {
        boolean isOurs = limiterPrefix.startsWith(prefix)
                && limiters.stream().anyMatch(limiter -> limiter.name().equals(limiterName));
        return isOurs && limiters.size() > 1 ? hashTag(limiterKey) : null;
    }

    private String hashTag(@Nullable String ofRequest) {
        String name = limiters.get(0).name();
        return ofRequest == null ? name : name + ":" + ofRequest;
    }
}
