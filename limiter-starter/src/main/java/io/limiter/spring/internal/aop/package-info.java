/** Limits the annotated methods of beans: one interceptor, the annotations parsed once. */
@NullMarked
package io.limiter.spring.internal.aop;

import org.jspecify.annotations.NullMarked;
