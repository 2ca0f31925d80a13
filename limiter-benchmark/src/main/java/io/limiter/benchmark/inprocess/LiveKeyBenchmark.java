package io.limiter.benchmark.inprocess;

import io.limiter.internal.key.SipHash;
import io.limiter.internal.override.KeyTable;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;

/**
 * What live limits of keys cost a decision: beside a decision that has none, the same lookup with 10,000, of keys that have none and of
 * one that has one, stored as they are and hashed.
 */
public class LiveKeyBenchmark extends InProcessBenchmark {

    private static final int LIMITS = 10_000;
    private static final int KEYS = 1024;

    private final SipHash hash = new SipHash("0001763650000123 7f9c2ba4-e88f-4c1d-9bb1-4d5a1f3e7a10");
    private final KeyTable<Integer> plain = new KeyTable<>(() -> hash);
    private final KeyTable<Integer> hashed = new KeyTable<>(() -> hash);
    private volatile @Nullable KeyTable<Integer> none;
    private volatile @Nullable KeyTable<Integer> somePlain = plain;
    private volatile @Nullable KeyTable<Integer> someHashed = hashed;
    private final String[] others =
            IntStream.range(0, KEYS).mapToObj(i -> "198.51.100." + (LIMITS + i)).toArray(String[]::new);
    private final String[] known =
            IntStream.range(0, KEYS).mapToObj(i -> "198.51.100." + i).toArray(String[]::new);
    private int next;

    public LiveKeyBenchmark() {
        for (int i = 0; i < LIMITS; i++) {
            String key = "198.51.100." + i;
            plain.put(key, false, i);
            hashed.put(hash.text(key), true, i);
        }
    }

    private static @Nullable Integer lookup(@Nullable KeyTable<Integer> table, String key) {
        return table == null ? null : table.get(key);
    }

    private String of(String[] keys) {
        return keys[next++ & KEYS - 1];
    }

    @Benchmark
    public String onlyTheKey() {
        return of(others);
    }

    @Benchmark
    public long onlyTheHash() {
        return hash.of(of(others));
    }

    @Benchmark
    public @Nullable Integer noLimits() {
        return lookup(none, of(others));
    }

    @Benchmark
    public @Nullable Integer tenThousandOfOthers() {
        return lookup(somePlain, of(others));
    }

    @Benchmark
    public @Nullable Integer oneOfTenThousand() {
        return lookup(somePlain, of(known));
    }

    @Benchmark
    public @Nullable Integer tenThousandHashedOfOthers() {
        return lookup(someHashed, of(others));
    }

    @Benchmark
    public @Nullable Integer oneOfTenThousandHashed() {
        return lookup(someHashed, of(known));
    }
}
