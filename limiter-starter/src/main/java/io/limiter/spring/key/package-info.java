/** Keys: what tells the callers of a limit apart, and where the caller of the current call is found. */
@NullMarked
package io.limiter.spring.key;

import org.jspecify.annotations.NullMarked;
