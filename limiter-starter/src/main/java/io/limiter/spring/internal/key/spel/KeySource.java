package io.limiter.spring.internal.key.spel;

import io.limiter.spring.key.KeyRequest;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What keys, costs and other expressions can read of the request of a call. A new source is a constant here and a method of
 * {@link KeyRequest}, which the compiler asks all implementations for: its function in expressions, such as {@code header('X-Tenant')}, its form without one, such as
 * {@code header:X-Tenant}, what an application must have for it, and the messages about it follow from the constant.
 */
enum KeySource {
    IP(From.ADDRESS, KeyRequest::ip),
    USER(From.USER, KeyRequest::user),
    METHOD(From.REQUEST, KeyRequest::method),
    PATH(From.REQUEST, KeyRequest::path),
    HEADER(From.REQUEST, "header", "X-Tenant", KeySource::isToken, KeyRequest::header),
    COOKIE(From.REQUEST, "cookie", "sid", KeySource::isToken, KeyRequest::cookie),
    PARAM(From.FORM, "parameter", "id", name -> !name.isBlank(), KeyRequest::param),
    /** Its name may be a URI. */
    CLAIM(From.USER, "claim", "tenant", name -> !name.isBlank(), KeyRequest::claim);

    /** What must be known before it is read, and so what an application must have. */
    enum From {
        ADDRESS,
        USER,
        REQUEST,
        /** The request and its form. */
        FORM
    }

    /** Names of headers and cookies are tokens of RFC 9110. */
    private static final Pattern TOKEN = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

    private static final Map<String, KeySource> BY_FUNCTION =
            Stream.of(values()).collect(Collectors.toMap(KeySource::function, Function.identity()));

    /** With a name behind a colon. */
    private static final Pattern FORM =
            Pattern.compile("(" + named().map(KeySource::function).collect(Collectors.joining("|")) + "):(.*)");

    private final From from;
    private final @Nullable String sent;
    private final String example;
    private final Predicate<String> names;
    private final BiFunction<KeyRequest, String, @Nullable String> reader;

    /** A source of one value. */
    KeySource(From from, Function<KeyRequest, @Nullable String> reader) {
        this(from, null, "", String::isEmpty, (request, none) -> reader.apply(request));
    }

    /**
     * A source of values with names.
     *
     * @param sent what a caller sends for it, in messages that callers see
     * @param example of a name
     * @param names whether there can be a value of this name
     */
    KeySource(
            From from,
            @Nullable String sent,
            String example,
            Predicate<String> names,
            BiFunction<KeyRequest, String, @Nullable String> reader) {
        this.from = from;
        this.sent = sent;
        this.example = example;
        this.names = names;
        this.reader = reader;
    }

    private static boolean isToken(String name) {
        return TOKEN.matcher(name).matches();
    }

    private static Stream<KeySource> named() {
        return Arrays.stream(values()).filter(KeySource::isNamed);
    }

    /**
     * A value that is read.
     *
     * @param name such as that of a header; empty if the source has one value
     */
    record Read(KeySource source, String name) {

        @Nullable
        String of(KeyRequest request) {
            return source.reader.apply(request, name);
        }

        /** In words that callers may see, such as {@code parameter n}; empty if they send nothing for it. */
        String sent() {
            return source.sent == null ? "" : source.sent + " " + name;
        }
    }

    /** What a caller can send for several, in words that callers may see; empty if that is nothing. */
    static String sent(Set<Read> reads) {
        return reads.stream().map(Read::sent).filter(each -> !each.isEmpty()).collect(Collectors.joining(" and "));
    }

    /** The source that a function of expressions reads; {@code null} if there is none. */
    static @Nullable KeySource ofFunction(String name) {
        return BY_FUNCTION.get(name);
    }

    /** Whether a text has the form {@code header:X-Tenant} of one of the sources. */
    static boolean isForm(String text) {
        return FORM.matcher(text).matches();
    }

    /** What a text of the form {@code header:X-Tenant} reads; {@code null} if it has another form or no such name. */
    static @Nullable Read parse(String text) {
        Matcher form = FORM.matcher(text);
        KeySource source = form.matches() ? ofFunction(form.group(1)) : null;
        return source == null || !source.hasName(form.group(2)) ? null : new Read(source, form.group(2));
    }

    From from() {
        return from;
    }

    /** The name of its function. */
    String function() {
        return name().toLowerCase(Locale.ROOT);
    }

    boolean isNamed() {
        return sent != null;
    }

    /** Whether it can have a value of this name; without names, whether there is none. */
    boolean hasName(String name) {
        return names.test(name);
    }

    /** How it is called, for messages. */
    String call() {
        return function() + (isNamed() ? "('" + example + "')" : "()");
    }

    /** All functions, for messages. */
    static String functions() {
        String all = Arrays.stream(values())
                .map(each -> each.function() + (each.isNamed() ? "('...')" : "()"))
                .collect(Collectors.joining(", "));
        int last = all.lastIndexOf(", ");
        return all.substring(0, last) + " and" + all.substring(last + 1);
    }

    /** All forms without a function, for messages. */
    static String forms() {
        return named().map(each -> each.function() + ":<name>").collect(Collectors.joining(", "));
    }
}
