package io.limiter.spring.internal.web.usage;

import io.limiter.internal.arithmetic.Ranges;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/**
 * Reads one response while it passes, and finds in it what its request has cost. It keeps nothing of the body. Safe for use by many
 * threads, each piece of a body at a time.
 */
public final class UsageReader {

    /** Instead of a number. */
    public static final long NONE = Ranges.NO_COST;

    private static final int LONGEST_HEADER = 64;
    private static final String EVENTS = "text/event-stream";
    private static final Set<String> JSON =
            Set.of("application/json", "text/json", "application/x-ndjson", "application/ndjson", "application/jsonl");

    /** Reads a piece of a body. */
    @FunctionalInterface
    private interface Body {
        void read(byte[] bytes, int from, int to);
    }

    private static final Body UNREADABLE = (bytes, from, to) -> {};

    private final UsageSources sources;
    private final List<String> keys;
    private final long[] ofHeaders;
    private JsonNumbers numbers;
    private @Nullable Body body;
    private boolean brokenOff;

    /**
     * @param sources of the rule
     * @param keys whose permits the rule took
     */
    public UsageReader(UsageSources sources, List<String> keys) {
        this.sources = sources;
        this.keys = keys;
        this.ofHeaders = new long[sources.all().size()];
        this.numbers = new JsonNumbers(sources.pointers());
        headers(name -> null);
    }

    /** The response ends before it is whole, so a larger number may have followed. */
    public synchronized void breakOff() {
        brokenOff = true;
    }

    public synchronized boolean isBrokenOff() {
        return brokenOff;
    }

    /** Whether both are for one rule and one caller. A route can apply a rule to several keys of a request. */
    boolean isForSameCaller(UsageReader other) {
        return sources == other.sources && keys.equals(other.keys);
    }

    /** See {@link UsageSources#readsBody}. */
    public boolean readsBody() {
        return sources.readsBody();
    }

    /**
     * Finds numbers in the headers of the response.
     *
     * @param headers finds the value of a header; {@code null} if there is none
     */
    public synchronized void headers(UnaryOperator<@Nullable String> headers) {
        for (int i = 0; i < ofHeaders.length; i++) {
            String header = sources.all().get(i).header();
            String value = header == null ? null : headers.apply(header);
            ofHeaders[i] = value == null || value.length() > LONGEST_HEADER ? NONE : number(value.strip());
        }
    }

    /**
     * Reads the next piece of the body, whose bytes stay in the buffer.
     *
     * @param headers of the response, by which the first piece decides how the body is read
     */
    public synchronized void read(ByteBuffer piece, UnaryOperator<@Nullable String> headers) {
        if (!readsBody()) {
            return;
        }
        Body reading = body(headers);
        if (reading == UNREADABLE) {
            return;
        }
        if (piece.hasArray()) {
            int from = piece.arrayOffset() + piece.position();
            reading.read(piece.array(), from, from + piece.remaining());
        } else {
            byte[] bytes = new byte[piece.remaining()];
            piece.duplicate().get(bytes);
            reading.read(bytes, 0, bytes.length);
        }
    }

    private Body body(UnaryOperator<@Nullable String> headers) {
        Body known = body;
        if (known == null) {
            known = body(headers.apply(HttpHeaders.CONTENT_TYPE), headers.apply(HttpHeaders.CONTENT_ENCODING));
            body = known;
        }
        return known;
    }

    private Body body(@Nullable String contentType, @Nullable String contentEncoding) {
        if (contentType == null
                || contentEncoding != null && !contentEncoding.strip().equalsIgnoreCase("identity")) {
            return UNREADABLE;
        }
        String type = contentType.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
        if (type.equals(EVENTS)) {
            return new EventStream(numbers)::read;
        }
        return JSON.contains(type) || type.endsWith("+json") ? numbers::read : UNREADABLE;
    }

    /** What was read of the body is not sent, so another body follows, or none. */
    public synchronized void discard() {
        numbers = new JsonNumbers(sources.pointers());
        body = null;
    }

    /** What the request has cost, rounded up; {@link #NONE} if no source has a number from 0 on. */
    public synchronized long number() {
        for (int i = 0; i < ofHeaders.length; i++) {
            UsageSources.Source source = sources.all().get(i);
            long number = source.header() == null ? sum(source) : ofHeaders[i];
            if (number != NONE) {
                return number;
            }
        }
        return NONE;
    }

    private long sum(UsageSources.Source source) {
        long sum = 0;
        for (int i = source.from(); i < source.to(); i++) {
            long number = numbers.number(i);
            if (number == NONE || sum + number > Ranges.MAX_PERMITS) {
                return NONE;
            }
            sum += number;
        }
        return sum;
    }

    /**
     * A number, rounded up.
     *
     * @param text not longer than a number may be
     * @return {@link #NONE} if it is none that permits can have
     */
    static long number(String text) {
        try {
            return Ranges.cost(new BigDecimal(text));
        } catch (NumberFormatException e) {
            return NONE;
        }
    }
}
