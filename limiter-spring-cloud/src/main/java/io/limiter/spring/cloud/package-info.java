/** Filters that limit the routes of Spring Cloud Gateway. */
@NullMarked
package io.limiter.spring.cloud;

import org.jspecify.annotations.NullMarked;
