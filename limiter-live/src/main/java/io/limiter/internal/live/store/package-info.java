/** Stores live limits and reports in Redis: scripts, keys, encodings, and hints of changes. */
@NullMarked
package io.limiter.internal.live.store;

import org.jspecify.annotations.NullMarked;
