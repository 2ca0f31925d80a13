package io.limiter.spring.settings;

import org.jspecify.annotations.Nullable;

/** A setting that cannot work. Its message names the setting, the value and what is allowed. */
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

    private InvalidSettingException(String before, String setting, String problem, @Nullable Throwable cause) {
        super(before + setting + problem, cause);
        this.setting = setting;
    }

    /** The settings of this name together, perhaps with an annotation, make no valid limit. */
    static InvalidSettingException together(String name, IllegalArgumentException cause) {
        return new InvalidSettingException("with ", name, ".*: " + cause.getMessage(), cause);
    }

    /** The name of the setting, or what the names of several start with. */
    public String setting() {
        return setting;
    }
}
