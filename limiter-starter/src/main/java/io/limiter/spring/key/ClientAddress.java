package io.limiter.spring.key;

/**
 * Finds the client's address of the current call, for {@link io.limiter.spring.annotation.LimitType#IP}. A bean of
 * this type replaces the servlet one. It is looked up once, so one of a narrower scope has to be a scoped proxy.
 */
@FunctionalInterface
public interface ClientAddress {

    /**
     * The address as a key, the same for all notations of an address; called in the thread of the limited call.
     *
     * @throws MissingLimitKeyException if it is not known
     */
    String address();
}
