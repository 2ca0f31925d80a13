package io.limiter.test.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;

/**
 * Lets the limits of a test be decided in the process, with a {@link io.limiter.test.TestClock} that the test moves.
 *
 * <p>It works with {@code @SpringBootTest} and with slices such as {@code @WebMvcTest}. Annotations, HTTP rules and injected limiters need no
 * Redis. Each test starts with all permits and without a pause of outgoing calls, but the clock keeps its time. The clock and the
 * {@link io.limiter.test.TestLimiterFactory}, which is the primary factory, are beans. It also enables limits that
 * {@code limiter.enabled=false} disables in other tests.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ImportAutoConfiguration
public @interface AutoConfigureLimiter {}
