package io.limiter.spring.web.reactive;

import io.limiter.spring.check.DecisionRecorder;
import io.limiter.spring.check.DecisionRecorders;
import org.jspecify.annotations.Nullable;
import org.springframework.web.server.ServerWebExchange;

/** Finds the recorder of the {@link CurrentExchange}. */
public final class ExchangeRecorders implements DecisionRecorders {

    @Override
    public @Nullable DecisionRecorder current() {
        ServerWebExchange exchange = CurrentExchange.get();
        return exchange == null ? null : ExchangeRecorder.find(exchange);
    }
}
