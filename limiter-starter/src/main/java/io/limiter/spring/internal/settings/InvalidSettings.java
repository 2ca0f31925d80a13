package io.limiter.spring.internal.settings;

import io.limiter.spring.key.PlanResolver;
import io.limiter.spring.settings.InvalidSettingException;

/** The exceptions for settings that are wrong together. */
public final class InvalidSettings {

    private InvalidSettings() {}

    /** The settings of this name together, perhaps with an annotation, make no valid limit, unless the cause names one of them. */
    static InvalidSettingException together(String name, IllegalArgumentException cause) {
        if (cause instanceof InvalidSettingException named && named.setting().startsWith(name)) {
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
     * A plan without a limit that callers choose for themselves.
     *
     * @param source with which they choose it
     */
    public static InvalidSettingException ofChosenPlan(String setting, String source) {
        return new InvalidSettingException(
                setting,
                "=true would leave the limit out for any caller, because the plan of a call is read from " + source
                        + ", which callers choose: find the plan with claim('...'), user(), an argument or a bean of type "
                        + PlanResolver.class.getName() + ", or give it a limit");
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
}
