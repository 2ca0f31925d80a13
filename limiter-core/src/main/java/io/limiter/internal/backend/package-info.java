/** The backend at the end of a row of engines, such as Redis, the batches that it decides, and the failures that it reports. */
@NullMarked
package io.limiter.internal.backend;

import org.jspecify.annotations.NullMarked;
