package io.limiter.benchmark.load;

import java.util.Arrays;
import java.util.Locale;
import java.util.Random;

/** The keys of the requests. */
public enum KeySpace {
    /** One id. */
    HOT(1),
    /** 10,000 ids, equally often. */
    UNIFORM(10_000),
    /** 1,000,000 ids by Zipf's law with exponent 0.99: the first is 7 % of all requests, the first 1,000 are half. */
    ZIPF(1_000_000);

    /** How many requests there are before the same ids come again; a power of two. */
    private static final int REQUESTS = 1 << 20;

    private static final double ZIPF_EXPONENT = 0.99;
    private static final long SEED = 20_261_120;

    private final int ids;

    KeySpace(int ids) {
        this.ids = ids;
    }

    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * The id of each request: the same for every subject, and drawn beforehand so that it costs nothing. Only ids that
     * occur are numbered, from 0.
     */
    public int[] requests() {
        Random random = new Random(SEED);
        return switch (this) {
            case HOT -> new int[1];
            case UNIFORM -> numbered(random.ints(REQUESTS, 0, ids).toArray());
            case ZIPF -> numbered(zipf(random));
        };
    }

    private int[] zipf(Random random) {
        double[] cumulated = new double[ids];
        double sum = 0;
        for (int i = 0; i < ids; i++) {
            sum += Math.pow(i + 1, -ZIPF_EXPONENT);
            cumulated[i] = sum;
        }
        int[] drawn = new int[REQUESTS];
        for (int i = 0; i < drawn.length; i++) {
            int found = Arrays.binarySearch(cumulated, random.nextDouble() * sum);
            drawn[i] = Math.min(ids - 1, found >= 0 ? found : -found - 1);
        }
        return drawn;
    }

    /** Numbers the ids in the order in which they are first drawn. */
    private int[] numbered(int[] drawn) {
        int[] numbers = new int[ids];
        int next = 0;
        int[] requests = new int[drawn.length];
        for (int i = 0; i < drawn.length; i++) {
            if (numbers[drawn[i]] == 0) {
                numbers[drawn[i]] = ++next;
            }
            requests[i] = numbers[drawn[i]] - 1;
        }
        return requests;
    }
}
