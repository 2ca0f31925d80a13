package io.limiter.spring.settings;

import org.jspecify.annotations.Nullable;

/** A setting that cannot work. Its message names the setting, the value and the allowed range. */
public final class InvalidSettingException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    private final String setting;

    /**
     * @param setting the name of the setting, or the common beginning of several names
     * @param problem follows the name in the message
     */
    public InvalidSettingException(String setting, String problem) {
        this(setting, problem, null);
    }

    /** An invalid setting, with the exception of the failed check. */
    public InvalidSettingException(String setting, String problem, @Nullable Throwable cause) {
        this("", setting, problem, cause);
    }

    /** An invalid setting, with a text that precedes the name in the message, such as {@code "with "}. */
    public InvalidSettingException(String before, String setting, String problem, @Nullable Throwable cause) {
        super(before + setting + problem, cause);
        this.setting = setting;
    }

    /** The name of the setting, or the common beginning of several names. */
    public String setting() {
        return setting;
    }
}
