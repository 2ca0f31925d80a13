/** What operators see of the limiters, and do to them. */
@NullMarked
package io.limiter.spring.actuate;

import org.jspecify.annotations.NullMarked;
