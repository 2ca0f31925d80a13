/** The events of live limits. */
@NullMarked
package io.limiter.spring.live;

import org.jspecify.annotations.NullMarked;
