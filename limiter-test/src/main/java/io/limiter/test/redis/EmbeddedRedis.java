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
 * <p>Methods of the test can have its {@link RedisAddress} as a parameter. In a Spring application context,
 * {@code spring.data.redis.url} is set to that address, and {@code spring.data.redis.ssl.enabled} to {@code false}. There,
 * {@code limiter.rejection-cache.size} is 0 and {@code limiter.on-failure} is {@code throw} with a decision timeout of 10 s, unless
 * the application sets them. The context fails to start if the application sets the nodes of a Cluster, of Sentinel, or of a master
 * and its replicas, because Spring Boot prefers them to the URL. Classes with this annotation must not run concurrently.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ExtendWith(EmbeddedRedisExtension.class)
public @interface EmbeddedRedis {}
