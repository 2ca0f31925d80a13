package io.limiter.spring.web;

import io.limiter.spring.check.Check;
import io.limiter.spring.check.CheckStep;
import io.limiter.spring.check.DecisionRecorder;
import io.limiter.spring.key.KeyRequest;
import io.limiter.spring.key.spel.RuleKey;
import java.util.ArrayList;
import java.util.List;
import org.springframework.http.server.PathContainer;

/**
 * Limits on HTTP requests at one position, such as before Spring Security. Those that are enforced are all or nothing, and their permits
 * are cancelled if the request is rejected at a later position.
 */
public record HttpLimits(List<HttpLimit> limits) {

    public static final HttpLimits NONE = new HttpLimits(List.of());

    public HttpLimits {
        limits = List.copyOf(limits);
    }

    /** The limits of a request; see {@link HttpRoute#matches}. */
    public HttpLimits matching(HttpKeyRequest request) {
        List<PathContainer> paths = request.pathVariants();
        List<HttpLimit> matching = new ArrayList<>(limits.size());
        for (HttpLimit limit : limits) {
            if (limit.matches(request, paths)) {
                matching.add(limit);
            }
        }
        return matching.size() == limits.size() ? this : new HttpLimits(matching);
    }

    /** The same limits with other keys. */
    public HttpLimits by(RuleKey keys) {
        return new HttpLimits(limits.stream().map(limit -> limit.by(keys)).toList());
    }

    /** Whether the user must be known before the limits are decided. */
    public boolean usesUser() {
        return limits.stream().anyMatch(HttpLimit::usesUser);
    }

    /** Whether the form of the request must be read before the limits are decided. */
    public boolean usesForm() {
        return limits.stream().anyMatch(HttpLimit::usesForm);
    }

    /**
     * The check of a request. It finds all keys before it decides the first limit, and leaves out limits in shadow mode that
     * the request has no key for.
     *
     * @throws io.limiter.spring.key.MissingLimitKeyException if the request has no key for an enforced limit
     */
    public Check check(KeyRequest request, DecisionRecorder recorder) {
        List<CheckStep<?>> steps = new ArrayList<>(limits.size());
        for (HttpLimit limit : limits) {
            steps.addAll(limit.steps(request, recorder));
        }
        return Check.ofRequest(CheckStep.inOrder(steps), recorder);
    }
}
