package io.limiter.spring.internal.web.usage;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Passes over the bytes of JSON that mean nothing alone. */
final class JsonBytes {

    private static final VarHandle EIGHT = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /** Each of eight bytes is 1. */
    private static final long EACH = 0x0101010101010101L;

    private JsonBytes() {}

    /** The first byte of a string that is not of its text alone. Most of a large body are long strings, so it takes eight at a time. */
    static int endOfText(byte[] bytes, int from, int to) {
        int i = from;
        while (i <= to - Long.BYTES && !mayEndText((long) EIGHT.get(bytes, i))) {
            i += Long.BYTES;
        }
        while (i < to && bytes[i] != '"' && bytes[i] != '\\' && (bytes[i] < 0 || bytes[i] >= ' ')) {
            i++;
        }
        return i;
    }

    /** Whether one of eight bytes is a quote, a backslash or a control character. */
    private static boolean mayEndText(long eight) {
        long quote = eight ^ EACH * '"';
        long backslash = eight ^ EACH * '\\';
        // The high bit of a byte is set if the byte is 0, or less than a space.
        long ends = ((quote - EACH) & ~quote) | ((backslash - EACH) & ~backslash) | ((eight - EACH * ' ') & ~eight);
        return (ends & (EACH << 7)) != 0;
    }

    static int endOfSpaces(byte[] bytes, int from, int to) {
        int i = from;
        while (i < to && isSpace(bytes[i])) {
            i++;
        }
        return i;
    }

    static int endOfNumber(byte[] bytes, int from, int to) {
        int i = from;
        while (i < to && isOfNumber(bytes[i])) {
            i++;
        }
        return i;
    }

    static boolean isSpace(int c) {
        return c == ' ' || c == '\n' || c == '\r' || c == '\t';
    }

    static boolean isDigit(int c) {
        return c >= '0' && c <= '9';
    }

    static boolean isOfNumber(int c) {
        return isDigit(c) || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-';
    }
}
