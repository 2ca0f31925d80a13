package io.limiter.spring.text;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.IntStream;

/** Finds the name that a misspelt one stands for. */
public final class NearestName {

    private NearestName() {}

    /** The known name that is spelt most like another; empty if none is like it. Case does not matter. */
    public static Optional<String> of(String misspelt, Collection<String> known) {
        return known.stream()
                .min(Comparator.comparingInt(each -> distance(each, misspelt)))
                .filter(nearest -> distance(nearest, misspelt) <= 1 + nearest.length() / 3);
    }

    /** How many letters to add, remove or replace. */
    private static int distance(String name, String other) {
        int[] row = IntStream.rangeClosed(0, other.length()).toArray();
        for (int i = 1; i <= name.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= other.length(); j++) {
                boolean same = Character.toLowerCase(name.charAt(i - 1)) == Character.toLowerCase(other.charAt(j - 1));
                int replaced = same ? diagonal : diagonal + 1;
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[other.length()];
    }
}
