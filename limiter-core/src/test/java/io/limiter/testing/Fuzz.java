package io.limiter.testing;

import java.util.Random;
import java.util.function.Consumer;

/**
 * Random inputs: ten thousand in the everyday suite, ten million with {@code -Pfuzz}. Each has a random generator of its own,
 * so that a failure names one input; {@code -Dfuzz.input=} tries that one alone.
 */
public final class Fuzz {

    private static final long TOTAL = Long.getLong("fuzz.inputs", 10_000);
    private static final long ONE = Long.getLong("fuzz.input", -1);

    private Fuzz() {}

    /** @param share of all inputs, in percent */
    public static void run(int share, Consumer<Random> input) {
        long end = ONE >= 0 ? ONE + 1 : TOTAL * share / 100;
        for (long i = Math.max(0, ONE); i < end; i++) {
            try {
                input.accept(random(i));
            } catch (Exception | Error e) {
                throw new AssertionError("[-Dtest.seed=" + Seed.VALUE + " -Dfuzz.input=" + i + "] " + e, e);
            }
        }
    }

    private static Random random(long input) {
        // Nearby seeds have similar first numbers, so they are spread.
        return new Random((Seed.VALUE + input) * 0x9E3779B97F4A7C15L);
    }

    /** One of them. */
    @SafeVarargs
    public static <T> T one(Random random, T... values) {
        return values[random.nextInt(values.length)];
    }

    /** A few changes, as a writer of another version, a bug or another program could have made them. */
    public static byte[] mutated(Random random, byte[] value) {
        byte[] changed = value.clone();
        for (int i = random.nextInt(4); i >= 0; i--) {
            changed = mutatedOnce(random, changed);
        }
        return changed;
    }

    private static byte[] mutatedOnce(Random random, byte[] value) {
        int at = random.nextInt(value.length + 1);
        switch (random.nextInt(6)) {
            case 0:
                return java.util.Arrays.copyOf(value, at);
            case 1:
                return java.util.Arrays.copyOf(value, value.length + random.nextInt(30));
            case 2:
                return java.util.Arrays.copyOfRange(value, at, value.length);
            case 3:
                // A number that is none, too large, too small, or ends in between.
                if (value.length >= Double.BYTES) {
                    double number =
                            one(random, 0., -0., -1., .5, 1e-320, 1e300, 0x1p53, 0x1p63, 1 / 0., -1 / 0., 0 / 0.);
                    java.nio.ByteBuffer.wrap(value)
                            .order(java.nio.ByteOrder.LITTLE_ENDIAN)
                            .putDouble(Math.min(at, value.length - Double.BYTES), number);
                }
                return value;
            default:
                if (at < value.length) {
                    value[at] = random.nextBoolean()
                            ? (byte) (value[at] ^ 1 << random.nextInt(8))
                            : (byte) random.nextInt();
                }
                return value;
        }
    }

    /** A text of pieces, of which some have a meaning to whoever reads it. */
    public static String text(Random random, int mostPieces, String... pieces) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(mostPieces + 1); i > 0; i--) {
            switch (random.nextInt(8)) {
                case 0 -> text.append((char) random.nextInt(0x80));
                case 1 -> text.append((char) random.nextInt(0x10000));
                default -> text.append(one(random, pieces));
            }
        }
        return text.toString();
    }
}
