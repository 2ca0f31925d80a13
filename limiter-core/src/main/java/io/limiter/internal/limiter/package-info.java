/** The public interfaces on any engine. */
@NullMarked
package io.limiter.internal.limiter;

import org.jspecify.annotations.NullMarked;
