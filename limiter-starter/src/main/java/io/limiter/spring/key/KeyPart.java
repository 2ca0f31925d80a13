package io.limiter.spring.key;

/**
 * A part of a key: a text that is always the same, or a {@linkplain KeyPlaceholder placeholder}.
 *
 * @param <C> what it is found in
 */
@FunctionalInterface
interface KeyPart<C> {

    /**
     * @throws MissingLimitKeyException if the call has no value for it
     */
    String in(C call);
}
