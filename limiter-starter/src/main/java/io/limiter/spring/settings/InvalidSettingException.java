package io.limiter.spring.settings;

import io.limiter.spring.key.PlanResolver;
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

    private InvalidSettingException(String before, String setting, String problem, @Nullable Throwable cause) {
        super(before + setting + problem, cause);
        this.setting = setting;
    }

    /** The settings of this name together, perhaps with an annotation, make no valid limit, unless the cause names one of them. */
    static InvalidSettingException together(String name, IllegalArgumentException cause) {
        if (cause instanceof InvalidSettingException named && named.setting.startsWith(name)) {
            return named;
        }
        return new InvalidSettingException("with ", name, ".*: " + cause.getMessage(), cause);
    }

    /**
     * A setting for callers that differ, where all share the permits.
     *
     * @param effect such as {@code "ban all callers at once"}
     * @param key what says that they share them
     */
    public static InvalidSettingException ofSharedPermits(String setting, String effect, String key, String remedy) {
        return new InvalidSettingException(
                setting,
                " would " + effect + ", but with " + key + " they share the permits: " + remedy + ", or remove "
                        + setting);
    }

    /**
     * Plans that nothing finds.
     *
     * @param remedy how the limit itself can find them
     */
    public static InvalidSettingException ofUnusedPlans(String plans, String remedy) {
        return new InvalidSettingException(
                plans,
                " would have no effect: " + remedy + ", define a bean of type " + PlanResolver.class.getName()
                        + ", or remove the plans");
    }

    /** The name of the setting, or what the names of several start with. */
    public String setting() {
        return setting;
    }
}
