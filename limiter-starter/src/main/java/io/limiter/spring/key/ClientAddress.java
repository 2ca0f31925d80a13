package io.limiter.spring.key;

/**
 * Finds the client's address of the current call, for {@link io.limiter.spring.annotation.LimitType#IP}. A bean of
 * this type replaces the default. It is looked up once, so a bean of a narrower scope must be a scoped proxy.
 */
@FunctionalInterface
public interface ClientAddress {

    /**
     * The address as a key, always in the same notation. Called in the thread of the limited call.
     *
     * @throws MissingLimitKeyException if the address is unknown
     */
    String address();
}
