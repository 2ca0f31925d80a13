package io.limiter.test.redis;

/** Where the embedded Redis listens. */
public record RedisAddress(String host, int port) {

    /** {@code redis://host:port}. */
    public String uri() {
        return "redis://" + host + ":" + port;
    }
}
