/** The Actuator endpoint {@code limiters}, and the health of the limiters. */
@NullMarked
package io.limiter.spring.internal.actuate;

import org.jspecify.annotations.NullMarked;
