/** Finds the limits that annotations declare for a method, its class, and what these extend and implement. */
@NullMarked
package io.limiter.spring.internal.aop.annotated;

import org.jspecify.annotations.NullMarked;
