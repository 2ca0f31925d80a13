/** Knows when the work of a limited method has ended, and makes the result of a rejected call. */
@NullMarked
package io.limiter.spring.internal.aop.result;

import org.jspecify.annotations.NullMarked;
