/** What orders the limits of methods among other advice. */
@NullMarked
package io.limiter.spring.aop;

import org.jspecify.annotations.NullMarked;
