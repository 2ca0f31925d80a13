package io.limiter.spring.internal.web;

import io.limiter.spring.internal.check.Facts;
import io.limiter.spring.internal.check.Rule;
import io.limiter.spring.internal.key.address.ExemptAddresses;
import io.limiter.spring.internal.key.address.Sender;
import io.limiter.spring.internal.key.spel.RuleKey;
import io.limiter.spring.web.RuleLimits.Left;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.PathContainer;

/**
 * A rule of {@code limiter.http}: which requests it limits, and how. Safe for use by many threads.
 *
 * @param order among several rules that match a request, the lowest first; their enforced limits are decided together, all or nothing,
 *     where they can be a set
 * @param exempt the addresses that it does not limit; {@code null} for none
 */
public record HttpRule(
        int order,
        String name,
        RequestPattern requests,
        Rule rule,
        @Nullable ExemptAddresses exempt) {

    HttpRule by(RuleKey keys) {
        return new HttpRule(order, name, requests, rule.by(keys), exempt);
    }

    /** Whether it leaves a request out because of its address; then the request is counted. */
    boolean exempts(HttpKeyRequest request) {
        boolean exempts = isExempt(request);
        if (exempts) {
            rule.skip();
        }
        return exempts;
    }

    private boolean isExempt(HttpKeyRequest request) {
        ExemptAddresses addresses = exempt;
        Sender sender = addresses == null ? null : request.sender();
        return addresses != null && sender != null && addresses.contain(sender);
    }

    /**
     * Starts to ask what is left for the caller of a request, whether or not it matches, as {@link Rule#peek} does. Nothing limits the
     * caller if it leaves the address out.
     *
     * @throws io.limiter.spring.key.MissingLimitKeyException if the request has no key
     */
    public CompletableFuture<List<Left>> peek(HttpKeyRequest request) {
        return isExempt(request) ? CompletableFuture.completedFuture(List.of()) : rule.peek(Facts.of(request));
    }

    /** @param paths {@link HttpKeyRequest#pathVariants} of the request */
    boolean matches(HttpKeyRequest request, List<PathContainer> paths) {
        return requests.matches(request.method(), request.isPreflight(), paths);
    }
}
