package io.limiter.benchmark.load;

import java.util.Locale;
import java.util.Random;

/** The keys of the requests. */
public enum KeySpace {
    /** One id. */
    HOT,
    /** 10,000 ids, equally often. */
    UNIFORM;

    /** How many requests there are before the same ids come again; a power of two. */
    private static final int REQUESTS = 1 << 20;

    private static final int IDS = 10_000;
    private static final long SEED = 20_261_120;

    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** How many there are. */
    public int ids() {
        return this == HOT ? 1 : IDS;
    }

    /** The id of each request, from 0: the same for every subject, and drawn beforehand so that it costs nothing. */
    public int[] requests() {
        return this == HOT
                ? new int[1]
                : new Random(SEED).ints(REQUESTS, 0, IDS).toArray();
    }
}
