package io.limiter.spring.internal.condition;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Matches unless {@code limiter.enabled} is false. */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@ConditionalOnSetting(name = "limiter.enabled", otherwise = "true")
public @interface ConditionalOnEnabledLimiter {}
