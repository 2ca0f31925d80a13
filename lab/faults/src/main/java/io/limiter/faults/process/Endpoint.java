package io.limiter.faults.process;

/**
 * Where JVMs find Redis.
 *
 * @param port of the Redis, of a network in front of it, of the Sentinel, or of a node of the Cluster
 */
public record Endpoint(Kind kind, int port) {

    /** What is there. */
    public enum Kind {
        STANDALONE,
        SENTINEL,
        CLUSTER
    }

    public static Endpoint standalone(int port) {
        return new Endpoint(Kind.STANDALONE, port);
    }

    static Endpoint parse(String text) {
        int separator = text.indexOf(':');
        return new Endpoint(
                Kind.valueOf(text.substring(0, separator)), Integer.parseInt(text.substring(separator + 1)));
    }

    @Override
    public String toString() {
        return kind + ":" + port;
    }
}
