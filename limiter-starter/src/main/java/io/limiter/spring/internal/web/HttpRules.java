package io.limiter.spring.internal.web;

import io.limiter.spring.internal.check.Check;
import io.limiter.spring.internal.check.DecisionRecorder;
import io.limiter.spring.internal.check.Facts;
import io.limiter.spring.internal.check.Rule;
import io.limiter.spring.internal.key.spel.RuleKey;
import io.limiter.spring.key.InvalidLimitArgumentException;
import java.util.ArrayList;
import java.util.List;
import org.springframework.http.server.PathContainer;

/**
 * The rules at one position, such as before Spring Security. If several match a request, one {@link Check} decides it: all limits that
 * are enforced are all or nothing, and their permits are cancelled if the request is rejected at a later position.
 *
 * @param rules in their order
 */
public record HttpRules(List<HttpRule> rules) {

    public static final HttpRules NONE = new HttpRules(List.of());

    public HttpRules {
        rules = List.copyOf(rules);
    }

    public boolean isEmpty() {
        return rules.isEmpty();
    }

    /** The rules that match a request; see {@link RequestPattern#matches}. */
    public HttpRules matching(HttpKeyRequest request) {
        List<PathContainer> paths = request.pathVariants();
        List<HttpRule> matching = new ArrayList<>(rules.size());
        for (HttpRule rule : rules) {
            if (rule.matches(request, paths)) {
                matching.add(rule);
            }
        }
        return matching.size() == rules.size() ? this : new HttpRules(matching);
    }

    /** The same rules with other keys. */
    public HttpRules by(RuleKey keys) {
        return new HttpRules(rules.stream().map(rule -> rule.by(keys)).toList());
    }

    /** Whether the user must be known before a request is checked. */
    public boolean usesUser() {
        return rules.stream().anyMatch(each -> each.rule().needs().user());
    }

    /** Whether the form of a request must be read before the request is checked. */
    public boolean usesForm() {
        return rules.stream().anyMatch(each -> each.rule().needs().form());
    }

    /**
     * The check that decides a request by all of these rules.
     *
     * @throws io.limiter.spring.key.MissingLimitKeyException if the request has no key, or no valid cost or condition, for a limit that is
     *     enforced
     */
    public Check check(HttpKeyRequest request, DecisionRecorder recorder) {
        List<Rule> all = new ArrayList<>(rules.size());
        for (HttpRule each : rules) {
            if (!each.exempts(request)) {
                all.add(each.rule());
            }
        }
        try {
            return Check.ofRequest(all, Facts.of(request), recorder);
        } catch (InvalidLimitArgumentException e) {
            throw e.forCaller();
        }
    }
}
