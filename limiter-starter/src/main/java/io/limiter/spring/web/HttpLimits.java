package io.limiter.spring.web;

import io.limiter.spring.check.Check;
import io.limiter.spring.check.CheckStep;
import io.limiter.spring.check.DecisionRecorder;
import io.limiter.spring.key.RequestFacts;
import java.util.ArrayList;
import java.util.List;
import org.springframework.http.server.PathContainer;

/**
 * Limits on requests, in the order in which they are decided. Each is decided by itself: what earlier ones granted stays
 * taken if a later one rejects.
 */
public record HttpLimits(List<HttpLimit> limits) {

    public HttpLimits {
        limits = List.copyOf(limits);
    }

    /** Those for a request; see {@link HttpRoute#matches}. */
    public HttpLimits matching(String method, boolean preflight, List<PathContainer> ways) {
        return new HttpLimits(limits.stream()
                .filter(limit -> limit.isFor(method, preflight, ways))
                .toList());
    }

    /** Whether a key is the user, who must be known before. */
    public boolean usesUser() {
        return limits.stream().anyMatch(HttpLimit::usesUser);
    }

    /**
     * The check of a request. All keys are found before the first limit is decided; a limit in shadow mode that the request
     * has no key for is left out.
     *
     * @throws io.limiter.spring.key.MissingLimitKeyException if the request has no key for a limit that is enforced
     */
    public Check check(RequestFacts request, DecisionRecorder recorder) {
        List<CheckStep<?>> steps = new ArrayList<>(limits.size());
        for (HttpLimit limit : limits) {
            limit.step(request).ifPresent(steps::add);
        }
        return new Check(steps, recorder);
    }
}
