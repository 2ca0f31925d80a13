package io.limiter.spring.key;

/** A part of a key: a text that is always the same, or a {@linkplain KeyPlaceholder placeholder}. */
@FunctionalInterface
interface KeyPart {

    /**
     * @throws MissingLimitKeyException if the call has no value for it
     */
    String in(CallContext call);
}
