package io.limiter.spring.internal.key.spel;

import io.limiter.spring.internal.key.spel.Expression.Text;
import io.limiter.spring.key.KeyRequest;
import io.limiter.spring.key.MissingLimitKeyException;
import java.lang.reflect.Method;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.ResolverStyle;
import java.time.temporal.TemporalAccessor;
import java.util.Date;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationException;

/**
 * The date from which the periods of a call are counted, an expression such as <code>#{customer.since}</code>. Callers must not choose
 * when their quota begins again, so it reads nothing that they send but the arguments. Safe for use by many threads.
 */
public final class CallAnchor {

    private static final DateTimeFormatter ISO = new DateTimeFormatterBuilder()
            .append(DateTimeFormatter.ISO_LOCAL_DATE)
            .optionalStart()
            .appendLiteral('T')
            .append(DateTimeFormatter.ISO_LOCAL_TIME)
            .optionalStart()
            .appendOffsetId()
            .toFormatter()
            .withResolverStyle(ResolverStyle.STRICT);

    private final Expression expression;

    private CallAnchor(Expression expression) {
        this.expression = expression;
    }

    /**
     * Parses and checks the anchor of an annotation.
     *
     * @param annotated the method that declares the arguments
     * @throws IllegalArgumentException if the text is not one expression, or it cannot work or is forbidden, as one that reads a header,
     *     a cookie or a parameter is
     */
    public static CallAnchor parse(String text, Method annotated) {
        Text anchor = Text.of("anchor", text, Names.ofMethod(annotated));
        Expression expression = Expression.value(anchor, "#{customer.since}, or a date, such as 2026-01-15");
        Needs.of(expression.facts()).chosenByCallers().ifPresent(source -> {
            throw new IllegalArgumentException(anchor.quoted() + " must not use " + source
                    + ", with which callers choose when their quota begins again: use an argument,"
                    + " claim('...') or user()");
        });
        if (!expression.readsCall()) {
            throw new IllegalArgumentException(
                    anchor.quoted() + " is the same for all calls: write a date, such as 2026-01-15");
        }
        return new CallAnchor(expression);
    }

    /** The facts that it reads. */
    public Needs needs() {
        return Needs.of(expression.facts());
    }

    /**
     * The anchor of a call; {@code null} if it has none.
     *
     * @param zone whose date a moment has
     * @throws MissingLimitKeyException if it is neither a date nor a moment nor an ISO text of one
     */
    public @Nullable LocalDate of(@Nullable Object[] arguments, KeyRequest request, ZoneId zone) {
        Object value;
        try {
            value = expression.value(arguments, request);
        } catch (EvaluationException e) {
            throw Expression.noValue(expression.where(), e, this::missing);
        }
        Object content = value instanceof Optional<?> optional ? optional.orElse(null) : value;
        try {
            return content == null ? null : date(content, zone);
        } catch (DateTimeException e) {
            throw missing(
                    expression.where()
                            + " must be a date, a moment, an ISO text such as 2026-01-15, or null for none, was "
                            + content,
                    e);
        }
    }

    private static LocalDate date(Object value, ZoneId zone) {
        if (value instanceof LocalDate date) {
            return date;
        }
        if (value instanceof LocalDateTime local) {
            return local.toLocalDate();
        }
        if (value instanceof CharSequence text) {
            TemporalAccessor parsed = ISO.parseBest(text, OffsetDateTime::from, LocalDateTime::from, LocalDate::from);
            return date(parsed, zone);
        }
        if (value instanceof java.sql.Date day) {
            // Its moment is the first one of the date in the zone of the JVM, where the zone of the limit may have
            // another date.
            return day.toLocalDate();
        }
        return LocalDate.ofInstant(instant(value), zone);
    }

    private static Instant instant(Object value) {
        if (value instanceof Instant || value instanceof OffsetDateTime || value instanceof ZonedDateTime) {
            return Instant.from((TemporalAccessor) value);
        }
        if (value instanceof Date date) {
            return Instant.ofEpochMilli(date.getTime());
        }
        throw new DateTimeException("neither a date nor a moment");
    }

    private RuntimeException missing(String message, @Nullable Throwable cause) {
        return MissingLimitKeyException.inCall(message, cause);
    }
}
