/**
 * The evaluation of the limits of a call or a request, shared by annotated methods and HTTP rules: decisions, shadow mode,
 * recording and rejections.
 */
@NullMarked
package io.limiter.spring.internal.check;

import org.jspecify.annotations.NullMarked;
