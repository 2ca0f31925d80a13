package io.limiter.spring.web;

import io.limiter.spring.key.RequestFacts;
import java.util.List;
import java.util.Optional;
import org.springframework.http.server.PathContainer;

/**
 * Limits on requests, in the order in which they are asked. Each is asked by itself: what earlier ones granted stays taken
 * if a later one refuses.
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

    /** Whether they can be asked only when the user is known. */
    public boolean usesUser() {
        return limits.stream().anyMatch(HttpLimit::usesUser);
    }

    /**
     * What they are asked for a request; all keys are found before the first limit is asked. A dry run that has none is
     * left out.
     *
     * @throws io.limiter.spring.key.MissingLimitKeyException if it has no key for one of them that is enforced
     */
    public List<HttpQuestion> questions(RequestFacts request) {
        return limits.stream()
                .map(limit -> limit.question(request))
                .flatMap(Optional::stream)
                .toList();
    }
}
