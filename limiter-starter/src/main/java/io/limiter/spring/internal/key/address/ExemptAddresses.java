package io.limiter.spring.internal.key.address;

import java.net.InetAddress;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Addresses whose requests are not limited, compared as a whole. A request whose address is not certain has none of them, because who
 * can choose an address could leave the limit out: see {@link CallerAddress#certain}. Safe for use by many threads.
 */
public final class ExemptAddresses {

    private final List<IpAddresses.Range> ranges;
    private final CallerAddress callers;

    /**
     * @param ranges addresses and ranges such as {@code 10.0.0.0/8}
     * @throws IllegalArgumentException if one of them cannot be parsed
     */
    public ExemptAddresses(List<String> ranges, CallerAddress callers) {
        this.ranges = ranges.stream().map(IpAddresses::parseRange).toList();
        this.callers = callers;
    }

    /**
     * Whether a request is from one of them.
     *
     * @param remote the remote address, as the server knows it
     * @param headers finds the lines of a header by its name
     */
    public boolean contain(@Nullable String remote, Function<String, List<String>> headers) {
        InetAddress caller = callers.certain(remote, headers);
        return caller != null && ranges.stream().anyMatch(range -> range.contains(caller));
    }
}
