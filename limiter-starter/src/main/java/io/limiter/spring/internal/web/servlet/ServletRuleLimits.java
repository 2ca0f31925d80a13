package io.limiter.spring.internal.web.servlet;

import io.limiter.internal.backend.AsyncFailures;
import io.limiter.spring.internal.web.HttpKeyRequest;
import io.limiter.spring.internal.web.HttpRule;
import io.limiter.spring.key.ClientAddress;
import io.limiter.spring.key.CurrentUser;
import io.limiter.spring.web.RuleLimits;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What is left for the request of the current thread.
 *
 * @param rules finds a rule
 * @param users gives {@code null} if the application has no users
 */
public record ServletRuleLimits(
        Function<String, HttpRule> rules, ClientAddress addresses, Supplier<@Nullable CurrentUser> users)
        implements RuleLimits {

    @Override
    public List<Left> peek(String rule) {
        HttpRule found = rules.apply(rule);
        HttpKeyRequest request = CurrentRequest.facts(addresses, users.get());
        if (request == null) {
            throw new IllegalStateException("this thread handles no request whose key the rule '" + rule
                    + "' could find: call peek in the thread of a request");
        }
        return AsyncFailures.join(found.peek(request));
    }
}
