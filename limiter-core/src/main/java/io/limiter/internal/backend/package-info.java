/** The backend behind all engines, and the batches it decides. */
@NullMarked
package io.limiter.internal.backend;

import org.jspecify.annotations.NullMarked;
