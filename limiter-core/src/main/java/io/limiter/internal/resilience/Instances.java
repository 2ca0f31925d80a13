package io.limiter.internal.resilience;

import io.limiter.internal.key.SipHash;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/**
 * The instances that share the limits, as this one knew them when it last reached the backend. It may never have: then it knows
 * how many are expected, and owns no key.
 *
 * <p>The owner of a key is found by rendezvous hashing (Thaler and Ravishankar, 1998): each instance has a hash of the key, and
 * the highest one owns it. So instances that know the same others agree, and if one ends, only its keys change their owner.
 */
public final class Instances {

    private final int expected;
    private volatile int counted = 1;
    private volatile boolean areOwnersWanted;
    // One for each instance, this one first; none before they are known.
    private volatile List<SipHash> members = List.of();

    /** The only instance. */
    public Instances() {
        this(1);
    }

    /**
     * @param expected how many there are at least
     * @throws IllegalArgumentException if less than 1
     */
    public Instances(int expected) {
        if (expected < 1) {
            throw new IllegalArgumentException("expectedInstances must be at least 1, was " + expected);
        }
        this.expected = expected;
    }

    /** How many there are, this one included; at least 1. */
    public int count() {
        return Math.max(expected, counted);
    }

    /** Sets how many were counted. */
    public void counted(int alive) {
        counted = alive;
    }

    /** Says that a failure policy needs to know owners, so that their names are worth reading. */
    void wantOwners() {
        areOwnersWanted = true;
    }

    public boolean areOwnersWanted() {
        return areOwnersWanted;
    }

    /**
     * Sets which instances own keys.
     *
     * @param own the name of this one; it owns keys even if it is none of them
     * @param all the names of all
     */
    public void members(String own, Collection<String> all) {
        members = Stream.concat(Stream.of(own), all.stream().filter(each -> !each.equals(own)))
                .map(SipHash::new)
                .toList();
    }

    /** Whether this instance owns a key; none, before instances were counted. */
    boolean owns(String key) {
        List<SipHash> all = members;
        if (all.isEmpty()) {
            return false;
        }
        long own = all.get(0).of(key);
        for (int i = 1; i < all.size(); i++) {
            // If two hashes are equal, both instances grant, which happens for one of 2^64 keys.
            if (all.get(i).of(key) > own) {
                return false;
            }
        }
        return true;
    }
}
