/** Conditions on limiter properties, which read them as Spring Boot's binder does. */
@NullMarked
package io.limiter.spring.internal.condition;

import org.jspecify.annotations.NullMarked;
