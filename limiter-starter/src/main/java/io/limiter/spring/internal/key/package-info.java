/** The address and the user of the current caller, and how they are found. */
@NullMarked
package io.limiter.spring.internal.key;

import org.jspecify.annotations.NullMarked;
