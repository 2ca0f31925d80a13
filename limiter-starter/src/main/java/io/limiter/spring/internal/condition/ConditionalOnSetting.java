package io.limiter.spring.internal.condition;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Conditional;

/**
 * Matches if a property of the limiter has a value. Unlike Spring Boot's own conditions, which compare texts, it converts the
 * property as the binder does: {@code yes}, {@code on} and {@code 1} are {@code true}. The application fails to start if the text is not a value of the
 * type, even if it is empty.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Conditional(OnSetting.class)
public @interface ConditionalOnSetting {

    /** The name of the property. */
    String name();

    /** {@code Boolean} or an enum. */
    Class<?> type() default Boolean.class;

    /** The value that matches. */
    String havingValue() default "true";

    /** The value of a property that is not set. */
    String otherwise();
}
