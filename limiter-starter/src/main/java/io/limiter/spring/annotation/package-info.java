/** The annotations that limit a method. */
@NullMarked
package io.limiter.spring.annotation;

import org.jspecify.annotations.NullMarked;
