package io.limiter.spring.autoconfigure;

/** Limits are to be kept in Redis, and the application has no connection to one. */
final class NoRedisConnectionException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    NoRedisConnectionException() {
        super("limiter.type is redis, and there is no RedisConnectionFactory bean");
    }
}
