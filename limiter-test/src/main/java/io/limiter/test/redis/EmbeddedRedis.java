package io.limiter.test.redis;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives a JUnit test an embedded Redis, which all tests of this JVM share and which is emptied before each test.
 *
 * <p>Methods of the test can have its {@link RedisAddress} as a parameter. In a Spring application context, {@code spring.data.redis.url} is set to
 * that address. There, {@code limiter.rejection-cache.size} is 0 and {@code limiter.on-failure} is
 * {@code throw} with a decision timeout of 10 s, unless the application sets them. Classes with this annotation must not run
 * concurrently.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ExtendWith(EmbeddedRedisExtension.class)
public @interface EmbeddedRedis {}
