/** An application with limited endpoints, to run and to read. */
@NullMarked
package io.limiter.sample;

import org.jspecify.annotations.NullMarked;
