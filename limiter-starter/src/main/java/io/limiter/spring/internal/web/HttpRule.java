package io.limiter.spring.internal.web;

import io.limiter.spring.internal.check.Rule;
import io.limiter.spring.internal.key.spel.RuleKey;
import java.util.List;
import org.springframework.http.server.PathContainer;

/**
 * A rule of {@code limiter.http}: which requests it limits, and how. Safe for use by many threads.
 *
 * @param order among several rules that match a request, the lowest first; their enforced limits are decided together, all or nothing,
 *     where they can be a set
 */
public record HttpRule(int order, String name, RequestPattern requests, Rule rule) {

    HttpRule by(RuleKey keys) {
        return new HttpRule(order, name, requests, rule.by(keys));
    }

    /** @param paths {@link HttpKeyRequest#pathVariants} of the request */
    boolean matches(HttpKeyRequest request, List<PathContainer> paths) {
        return requests.matches(request.method(), request.isPreflight(), paths);
    }
}
