/** Sets everything up in a Spring Boot application; each part steps back for a bean of the application's own. */
@NullMarked
package io.limiter.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
