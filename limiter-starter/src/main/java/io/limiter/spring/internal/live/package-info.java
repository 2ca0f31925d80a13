/** Live limits in Spring: their Actuator endpoint, events and audit. */
@NullMarked
package io.limiter.spring.internal.live;

import org.jspecify.annotations.NullMarked;
