/** The failures of a backend that several packages report. */
@NullMarked
package io.limiter.internal.failure;

import org.jspecify.annotations.NullMarked;
