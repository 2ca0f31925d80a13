package io.limiter.spring.internal.check;

import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.context.MessageSource;

/** The code of a message, which an annotation, a rule or a setting names in braces instead of a text. */
public final class MessageCode {

    /** For an exceeded limit; followed by a dot and the name of a limit, for that one. */
    public static final String EXCEEDED = "limiter.message";

    /** For a call that will never be granted. */
    public static final String NEVER = "limiter.message-never";

    /** For a call without a key. */
    public static final String NO_KEY = "limiter.no-key";

    /** For limits that cannot be decided. */
    public static final String UNAVAILABLE = "limiter.unavailable";

    private static final Set<String> OWN = Set.of(EXCEEDED, NEVER, NO_KEY, UNAVAILABLE);

    /** <code>{0}</code> is the place of a number. */
    private static final Pattern IN_BRACES = Pattern.compile("\\{(?!\\d+})([^{}]+)}");

    private MessageCode() {}

    /** The code that a text is; {@code null} if it is a message itself. */
    public static @Nullable String of(String text) {
        Matcher code = IN_BRACES.matcher(text);
        return code.matches() ? code.group(1) : null;
    }

    /**
     * The message of the application; {@code null} if it has none in the language.
     *
     * @param seconds until the next try; empty if waiting does not help
     */
    public static @Nullable String find(MessageSource messages, String code, String seconds, Locale locale) {
        String message = messages.getMessage(code, new Object[] {seconds}, null, locale);
        // Some message sources return the code of a message that they do not have.
        return code.equals(message) ? null : message;
    }

    /**
     * Why a text is a code without a message in any language; {@code null} if it is a message, or the code of one.
     *
     * @param messages the application's; {@code null} if it has none
     */
    public static @Nullable String problem(String text, @Nullable MessageSource messages) {
        String code = of(text);
        if (code == null || OWN.contains(code) || messages != null && has(messages, code)) {
            return null;
        }
        return "must be a message, or the code of one in braces, and the MessageSource of the application has none of this"
                + " code in any language, was '" + text + "': add " + code
                + " to messages.properties, or write the message itself";
    }

    private static boolean has(MessageSource messages, String code) {
        return Stream.concat(Stream.of(Locale.getDefault(), Locale.ROOT), Arrays.stream(Locale.getAvailableLocales()))
                .anyMatch(locale -> find(messages, code, "", locale) != null);
    }
}
