package io.limiter.spring.internal.web;

import io.limiter.spring.internal.check.MessageCode;
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

    private static final String SECONDS = "{0}";

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
     * The message of a {@link MessageCode}, {@code null} if there is none; any other text itself. If the text has a place for the
     * seconds and there are none, the message {@link MessageCode#NEVER}.
     *
     * @param seconds empty if waiting does not help
     */
    @Nullable
    String literalOrCode(String text, String seconds, Locale locale) {
        String code = MessageCode.of(text);
        if (code != null) {
            return find(code, seconds, locale);
        }
        String message = seconds.isEmpty() && text.contains(SECONDS) ? find(MessageCode.NEVER, seconds, locale) : null;
        // A MessageFormat would remove apostrophes.
        return message == null ? text.replace(SECONDS, seconds) : message;
    }

    /** {@code null} if there is no such message. */
    @Nullable
    String find(String code, String seconds, Locale locale) {
        if (application != null) {
            String message = MessageCode.find(application, code, seconds, locale);
            if (message != null) {
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
