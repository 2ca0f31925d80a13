package io.limiter.spring.internal.condition;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.convert.ApplicationConversionService;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** All {@link ConditionalOnSetting} of a class or method, also those of annotations that it has. */
final class OnSetting extends SpringBootCondition {

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        StringBuilder matched = new StringBuilder();
        for (var condition :
                metadata.getAnnotations().stream(ConditionalOnSetting.class).toList()) {
            String name = condition.getString("name");
            Object value = read(context.getEnvironment(), name, condition.getClass("type"), condition);
            boolean matches = value.equals(value(condition, condition.getClass("type"), "havingValue"));
            String found = name + " is " + value;
            if (!matches) {
                return ConditionOutcome.noMatch(message(found));
            }
            matched.append(matched.isEmpty() ? "" : ", ").append(found);
        }
        return ConditionOutcome.match(message(matched.toString()));
    }

    private static <T> T read(
            Environment environment, String name, Class<T> type, MergedAnnotation<ConditionalOnSetting> condition) {
        return SettingValue.read(environment, name, type, value(condition, type, "otherwise"));
    }

    private static <T> T value(MergedAnnotation<ConditionalOnSetting> condition, Class<T> type, String attribute) {
        String text = condition.getString(attribute);
        T value = ApplicationConversionService.getSharedInstance().convert(text, type);
        if (value == null) {
            throw new IllegalStateException(attribute + " must not be empty");
        }
        return value;
    }

    private static ConditionMessage message(String found) {
        return ConditionMessage.forCondition(ConditionalOnSetting.class).because(found);
    }
}
