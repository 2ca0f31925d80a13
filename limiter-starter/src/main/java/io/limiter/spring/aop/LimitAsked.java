package io.limiter.spring.aop;

import org.jspecify.annotations.Nullable;

/**
 * What a limit is asked for by one call. Two that are equal ask for the same permits.
 *
 * @param prefix starts the keys in Redis
 * @param name the limiter's
 * @param named whether somebody chose the name; if not, it is made of a class and a method
 * @param owner whose permits; {@code null} if all callers share them
 * @param slot where they are in a Cluster; {@code null} if the owner decides it
 * @param permits at least 1
 */
public record LimitAsked(
        String prefix,
        String name,
        boolean named,
        @Nullable String owner,
        @Nullable String slot,
        int permits) {}
