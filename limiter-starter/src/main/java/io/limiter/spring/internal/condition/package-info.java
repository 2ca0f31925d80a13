/** Conditions on properties of the limiter, which mean what Spring Boot's binder says that they mean. */
@NullMarked
package io.limiter.spring.internal.condition;

import org.jspecify.annotations.NullMarked;
