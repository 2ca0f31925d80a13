/** Changes the limits of limiters while they run, without a restart. */
@NullMarked
package io.limiter.internal.live.override;

import org.jspecify.annotations.NullMarked;
