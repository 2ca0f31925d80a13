package io.limiter.testing;

import java.util.List;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.ClassUtils;

/**
 * Has Spring Boot serve WebFlux by Netty. Tomcat, which is there too, would come first, and has no event loop. Spring Boot 4 has moved
 * the class.
 */
public class OnNetty implements ImportBeanDefinitionRegistrar {

    private static final List<String> FACTORIES = List.of(
            "org.springframework.boot.web.embedded.netty.NettyReactiveWebServerFactory",
            "org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory");

    @Override
    public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
        ClassLoader loader = getClass().getClassLoader();
        String factory = FACTORIES.stream()
                .filter(name -> ClassUtils.isPresent(name, loader))
                .findFirst()
                .orElseThrow();
        registry.registerBeanDefinition("netty", new RootBeanDefinition(ClassUtils.resolveClassName(factory, loader)));
    }
}
