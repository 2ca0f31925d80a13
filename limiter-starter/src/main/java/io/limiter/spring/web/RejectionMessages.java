package io.limiter.spring.web;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.text.MessageFormat;
import java.util.Locale;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.springframework.context.MessageSource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.support.EncodedResource;
import org.springframework.core.io.support.PropertiesLoaderUtils;

/**
 * The details of rejections: the application's message if its {@link MessageSource} has the code, otherwise one in English or
 * Chinese. {@code {0}} in a message is the retry-after in seconds.
 */
final class RejectionMessages {

    /** For an exceeded limit; followed by a dot and the name of a limit, for that one. */
    static final String EXCEEDED = "limiter.message";

    /** For a call that will never be granted. */
    static final String NEVER = "limiter.message-never";

    private static final String SECONDS = "{0}";

    /** For a call without a key. */
    static final String NO_KEY = "limiter.no-key";

    /** For limits that cannot be decided. */
    static final String UNAVAILABLE = "limiter.unavailable";

    // Not by resource bundles, which look for files again for each new locale that a caller sends.
    private static final Properties ENGLISH = read("messages.properties");
    private static final Properties CHINESE = read("messages_zh.properties");

    private final @Nullable MessageSource application;

    RejectionMessages(@Nullable MessageSource application) {
        this.application = application;
    }

    /** Whether the application has messages, which may be in a file. */
    boolean areOfApplication() {
        return application != null;
    }

    /**
     * The message of a code in braces; any other text itself. If the text has a place for the seconds and there are none, the
     * message {@link #NEVER}.
     *
     * @param seconds empty if waiting does not help
     */
    String literalOrCode(String text, String seconds, Locale locale) {
        boolean isCode = text.length() > 2 && text.startsWith("{") && text.endsWith("}");
        String message = isCode ? find(text.substring(1, text.length() - 1), seconds, locale) : null;
        if (message == null && seconds.isEmpty() && text.contains(SECONDS)) {
            message = find(NEVER, seconds, locale);
        }
        // A MessageFormat would remove apostrophes.
        return message == null ? text.replace(SECONDS, seconds) : message;
    }

    /** {@code null} if there is no such message. */
    @Nullable
    String find(String code, String seconds, Locale locale) {
        if (application != null) {
            String message = application.getMessage(code, new Object[] {seconds}, null, locale);
            // Some message sources return the code of a message that they do not have.
            if (message != null && !message.equals(code)) {
                return message;
            }
        }
        boolean chinese = Locale.CHINESE.getLanguage().equals(locale.getLanguage());
        String message = (chinese ? CHINESE : ENGLISH).getProperty(code);
        return message == null ? null : new MessageFormat(message, locale).format(new Object[] {seconds});
    }

    private static Properties read(String file) {
        try {
            return PropertiesLoaderUtils.loadProperties(
                    new EncodedResource(new ClassPathResource(file, RejectionMessages.class), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
