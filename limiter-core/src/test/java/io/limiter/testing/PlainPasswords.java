package io.limiter.testing;

import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.ClassUtils;

/**
 * Has Spring Security compare passwords as they are. By default, it replaces a plain one by a hash, which takes a tenth of a second of
 * processor time to compute, and as long for each request from then on.
 */
public class PlainPasswords implements ImportBeanDefinitionRegistrar {

    @Override
    public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
        Class<?> encoder = ClassUtils.resolveClassName(
                "org.springframework.security.crypto.password.NoOpPasswordEncoder",
                getClass().getClassLoader());
        registry.registerBeanDefinition("plainPasswords", new RootBeanDefinition(encoder));
    }
}
