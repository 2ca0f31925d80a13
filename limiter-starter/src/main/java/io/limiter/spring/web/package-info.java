/** Responses to rejections, which an application can change, and what callers have left of a rule. */
@NullMarked
package io.limiter.spring.web;

import org.jspecify.annotations.NullMarked;
