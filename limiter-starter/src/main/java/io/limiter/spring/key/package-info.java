/** Keys of calls and requests, and the address and the user of the current caller. */
@NullMarked
package io.limiter.spring.key;

import org.jspecify.annotations.NullMarked;
