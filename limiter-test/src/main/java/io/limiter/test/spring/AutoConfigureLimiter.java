package io.limiter.test.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;

/**
 * Limits of a test are decided in the process, by a {@link io.limiter.test.TestClock} that the test moves.
 *
 * <p>For {@code @SpringBootTest} and slices such as {@code @WebMvcTest}. Annotations, HTTP rules and injected limiters need no
 * Redis. Each test starts with all permits; the clock goes on from where it is. The clock and the
 * {@link io.limiter.test.TestLimiterFactory}, which is the primary factory, are beans. It also enables limits that
 * {@code limiter.enabled=false} disables in other tests.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ImportAutoConfiguration
public @interface AutoConfigureLimiter {}
