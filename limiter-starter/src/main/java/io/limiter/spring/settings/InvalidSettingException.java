package io.limiter.spring.settings;

/** A setting that cannot work. Its message names the setting, the value and what is allowed. */
public final class InvalidSettingException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    private final String setting;

    /**
     * @param setting the name of the setting, or what the names of several start with
     * @param message names the setting too
     */
    public InvalidSettingException(String setting, String message) {
        super(message);
        this.setting = setting;
    }

    /** With the exception of the failed check. */
    public InvalidSettingException(String setting, String message, Throwable cause) {
        super(message, cause);
        this.setting = setting;
    }

    /** The name of the setting, or what the names of several start with. */
    public String setting() {
        return setting;
    }
}
