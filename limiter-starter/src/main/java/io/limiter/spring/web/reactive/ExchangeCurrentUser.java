package io.limiter.spring.web.reactive;

import io.limiter.spring.key.CurrentUser;
import org.jspecify.annotations.Nullable;

/** The user of the current exchange. */
public final class ExchangeCurrentUser implements CurrentUser {

    @Override
    public @Nullable String name() {
        return CurrentExchange.user();
    }
}
