/** Live limits in Spring: their Actuator endpoint, events and audit. */
@NullMarked
package io.limiter.spring.live;

import org.jspecify.annotations.NullMarked;
