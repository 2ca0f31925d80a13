package io.limiter.spring.aop;

import io.limiter.algorithm.Limit;
import io.limiter.spring.annotation.LimitType;
import io.limiter.spring.key.CallKey;

/**
 * What one annotation says about one method, parsed and checked. It needs no bean, so that it can be had while beans
 * are still being made.
 *
 * @param where the annotation and the method, for messages
 * @param message empty for the default
 */
record DeclaredLimit(
        String where,
        String prefix,
        String name,
        Limit<?> limit,
        int permits,
        LimitType type,
        CallKey key,
        String message) {}
