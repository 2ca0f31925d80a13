package io.limiter.spring.cloud;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The settings of Spring Cloud Gateway.
 *
 * @param replaceRedisRateLimiter Whether the limiter decides the requests of RequestRateLimiter filters, rather than the
 *     gateway's own RedisRateLimiter. Their arguments and headers are the same.
 */
@ConfigurationProperties("limiter.gateway")
record GatewayProperties(@DefaultValue("false") boolean replaceRedisRateLimiter) {}
