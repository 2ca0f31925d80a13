package io.limiter.spring.settings;

import org.jspecify.annotations.Nullable;

/** A setting that cannot work. Its message names the setting, the value and the allowed range. */
public final class InvalidSettingException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    private final String setting;

    /**
     * @param setting the name of the setting, or what the names of several start with
     * @param problem follows the name in the message
     */
    public InvalidSettingException(String setting, String problem) {
        this(setting, problem, null);
    }

    /** With the exception of the failed check. */
    public InvalidSettingException(String setting, String problem, @Nullable Throwable cause) {
        this("", setting, problem, cause);
    }

    /** With what precedes the name in the message, such as {@code "with "}. */
    public InvalidSettingException(String before, String setting, String problem, @Nullable Throwable cause) {
        super(before + setting + problem, cause);
        this.setting = setting;
    }

    /** The name of the setting, or what the names of several start with. */
    public String setting() {
        return setting;
    }
}
