/** Builds limiters, one for each prefix, name, limit and options, with their statistics and overrides. */
@NullMarked
package io.limiter.internal.factory;

import org.jspecify.annotations.NullMarked;
