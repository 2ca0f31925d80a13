package io.limiter.spring.autoconfigure;

import org.springframework.beans.factory.NoUniqueBeanDefinitionException;

/** Several connections could be the limiter's. */
final class SeveralRedisConnectionsException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    SeveralRedisConnectionsException(NoUniqueBeanDefinitionException cause) {
        super(
                "there are several RedisConnectionFactory beans that the limiter could use, and it uses one: "
                        + (cause.getBeanNamesFound() == null
                                ? cause.getMessage()
                                : String.join(", ", cause.getBeanNamesFound())),
                cause);
    }
}
