/** Limits the annotated methods of beans. One interceptor runs the checks, and the annotations of a method are parsed once. */
@NullMarked
package io.limiter.spring.internal.aop;

import org.jspecify.annotations.NullMarked;
