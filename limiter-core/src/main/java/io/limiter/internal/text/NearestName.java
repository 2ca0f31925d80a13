package io.limiter.internal.text;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Finds the name that a misspelt one stands for. */
public final class NearestName {

    private NearestName() {}

    /** The known name that is spelt most like another; empty if none is like it. Case does not matter. */
    public static Optional<String> of(String misspelt, Collection<String> known) {
        return known.stream()
                .min(Comparator.comparingInt(each -> distance(each, misspelt)))
                .filter(nearest -> distance(nearest, misspelt) <= 1 + nearest.length() / 3);
    }

    /** The known names that are spelt most like another, the nearest first. Case does not matter. */
    public static List<String> nearest(String misspelt, Collection<String> known, int most) {
        return known.stream()
                .sorted(Comparator.comparingInt(each -> distance(each, misspelt)))
                .limit(most)
                .toList();
    }

    /** How many letters must be added, removed, replaced or swapped with the next one. Case does not matter. */
    public static int distance(String name, String other) {
        String one = name.toLowerCase(Locale.ROOT);
        String two = other.toLowerCase(Locale.ROOT);
        int[][] distances = new int[one.length() + 1][two.length() + 1];
        for (int i = 0; i <= one.length(); i++) {
            for (int j = 0; j <= two.length(); j++) {
                distances[i][j] = i == 0 || j == 0 ? i + j : least(distances, one, two, i, j);
            }
        }
        return distances[one.length()][two.length()];
    }

    private static int least(int[][] distances, String one, String two, int i, int j) {
        boolean same = one.charAt(i - 1) == two.charAt(j - 1);
        int least = Math.min(distances[i - 1][j], distances[i][j - 1]) + 1;
        least = Math.min(least, distances[i - 1][j - 1] + (same ? 0 : 1));
        boolean swapped =
                i > 1 && j > 1 && one.charAt(i - 1) == two.charAt(j - 2) && one.charAt(i - 2) == two.charAt(j - 1);
        return swapped ? Math.min(least, distances[i - 2][j - 2] + 1) : least;
    }
}
