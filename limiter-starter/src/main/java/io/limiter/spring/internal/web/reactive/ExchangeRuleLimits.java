package io.limiter.spring.internal.web.reactive;

import io.limiter.spring.internal.key.spel.Needs;
import io.limiter.spring.internal.web.HttpKeyRequest;
import io.limiter.spring.internal.web.HttpRule;
import io.limiter.spring.key.ClientAddress;
import io.limiter.spring.key.CurrentUser;
import io.limiter.spring.web.ReactiveRuleLimits;
import io.limiter.spring.web.RuleLimits.Left;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * What is left for the exchange in Reactor's context.
 *
 * @param rules finds a rule
 * @param users gives {@code null} if the application has no users
 */
public record ExchangeRuleLimits(
        Function<String, HttpRule> rules,
        ExchangeSubscriptions subscriptions,
        ClientAddress addresses,
        Supplier<@Nullable CurrentUser> users)
        implements ReactiveRuleLimits {

    @Override
    public Mono<List<Left>> peek(String rule) {
        return Mono.deferContextual(context -> {
            HttpRule found = rules.apply(rule);
            Needs needs = found.rule().needs();
            return subscriptions
                    .call(context, needs.user(), needs.form(), () -> start(found))
                    .flatMap(ExchangeChecks::outcome);
        });
    }

    private CompletableFuture<List<Left>> start(HttpRule rule) {
        HttpKeyRequest request = CurrentExchange.facts(addresses, users.get());
        if (request == null) {
            throw new IllegalStateException("Reactor's context has no exchange whose key the rule '" + rule.name()
                    + "' could find: return the Mono of peek from a handler, so that it is subscribed to while an exchange is"
                    + " handled");
        }
        return rule.peek(request);
    }
}
