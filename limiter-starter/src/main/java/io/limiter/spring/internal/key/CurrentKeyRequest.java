package io.limiter.spring.internal.key;

import io.limiter.spring.key.KeyRequest;
import org.jspecify.annotations.Nullable;

/** Finds the request in which the current thread calls a limited method. Web applications have a bean of this type. */
@FunctionalInterface
public interface CurrentKeyRequest {

    /** {@code null} if there is none. */
    @Nullable
    KeyRequest get();
}
