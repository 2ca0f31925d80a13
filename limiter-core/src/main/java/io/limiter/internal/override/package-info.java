/** What changes the limits of limiters after they were built, and decides with them. */
@NullMarked
package io.limiter.internal.override;

import org.jspecify.annotations.NullMarked;
