package io.limiter.spring.key.spel;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.text.Normalizer;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationException;

/** The texts of values, and the functions that all expressions have: {@code number(text)} and {@code normalize(text)}. A null stays null. */
final class TextFunctions {

    static final String NUMBER = "number";
    static final String NORMALIZE = "normalize";

    private static final Map<String, Function<Object, Object>> FUNCTIONS =
            Map.of(NUMBER, TextFunctions::number, NORMALIZE, value -> normalize(value.toString()));

    /** Without exponents, which would let a few characters stand for a number of gigabytes. */
    private static final Pattern WHOLE = Pattern.compile("[+-]?\\d{1,18}");

    private static final Pattern FRACTION = Pattern.compile("[+-]?\\d{1,18}\\.\\d{1,9}");
    private static final Pattern NORMAL = Pattern.compile("[\\x21-\\x7e&&[^A-Z]]*");

    /** Controls, marks without a width, and those that only choose between two forms of a character. */
    private static final Pattern INVISIBLE = Pattern.compile(
            "[\\p{Cc}\\p{Cf}\\x{34f}\\x{115f}\\x{1160}\\x{17b4}\\x{17b5}\\x{3164}\\x{fe00}-\\x{fe0f}\\x{ffa0}"
                    + "\\x{e0100}-\\x{e01ef}]");

    private static final ClassValue<Boolean> HAS_TEXT = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            try {
                return type.getMethod("toString").getDeclaringClass() != Object.class;
            } catch (NoSuchMethodException e) {
                throw new IllegalStateException(e);
            }
        }
    };

    private TextFunctions() {}

    /** Whether values of a type have a text, rather than the {@code toString()} of {@link Object}, which differs each time. */
    static boolean hasText(Class<?> type) {
        return HAS_TEXT.get(type);
    }

    static String noText(Class<?> type) {
        return "a " + type.getTypeName()
                + " has no toString() of its own, so it would be another text each time: use one of its properties";
    }

    /**
     * The value's {@code toString()}; of an {@link Optional}, that of its content.
     *
     * @throws IllegalArgumentException if the class inherits {@code toString()} from {@link Object}, so that each call would
     *     have another key
     */
    static @Nullable String textOf(@Nullable Object value) {
        Object content = value instanceof Optional<?> optional ? optional.orElse(null) : value;
        if (content == null) {
            return null;
        }
        if (!hasText(content.getClass())) {
            throw new IllegalArgumentException(noText(content.getClass()));
        }
        return content.toString();
    }

    static boolean has(String name) {
        return FUNCTIONS.containsKey(name);
    }

    /** @throws EvaluationException if the function has no result for the value */
    static @Nullable Object call(String name, @Nullable Object value) {
        Function<Object, Object> function = FUNCTIONS.get(name);
        return value == null || function == null ? null : function.apply(value);
    }

    /**
     * The number that a text of at most 18 digits is, perhaps with a point and at most 9 more. Results of whole numbers are exact
     * however large they become, so that no caller can make a product overflow into a small one.
     */
    private static Object number(Object value) {
        if (value instanceof Number) {
            return value;
        }
        String text = value.toString();
        if (WHOLE.matcher(text).matches()) {
            return new BigInteger(text);
        }
        if (FRACTION.matcher(text).matches()) {
            return new BigDecimal(text);
        }
        throw new ArgumentException(
                "number() needs a text of at most 18 digits, perhaps with a point and at most 9 more");
    }

    /**
     * The same text for all that look the same, as far as Unicode says so: compatible and composed characters (NFKC), lower case, nothing
     * that is invisible, and no spaces at its ends.
     */
    private static String normalize(String text) {
        if (NORMAL.matcher(text).matches()) {
            return text;
        }
        String visible = INVISIBLE
                .matcher(Normalizer.normalize(text, Normalizer.Form.NFKC))
                .replaceAll("");
        // By upper case, because some letters have two lower ones, such as the sigma.
        String lower = visible.toUpperCase(Locale.ROOT).toLowerCase(Locale.ROOT).replace('\u03c2', '\u03c3');
        return Normalizer.normalize(lower, Normalizer.Form.NFKC).strip();
    }

    /** A failure of an expression that the caller's values cause. */
    static final class ArgumentException extends EvaluationException {

        private static final long serialVersionUID = 1L;

        ArgumentException(String message) {
            super(message);
        }

        /** It costs little, because callers can cause as many as they like. */
        @Override
        public synchronized Throwable fillInStackTrace() {
            return this;
        }
    }
}
