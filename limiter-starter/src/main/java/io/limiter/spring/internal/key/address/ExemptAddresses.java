package io.limiter.spring.internal.key.address;

import java.net.InetAddress;
import java.util.List;

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

    /** Whether a request is from one of them. */
    public boolean contain(Sender sender) {
        InetAddress caller = callers.certain(sender);
        return caller != null && ranges.stream().anyMatch(range -> range.contains(caller));
    }
}
