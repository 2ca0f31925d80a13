/** The exception of calls that an internal limit rejects. */
@NullMarked
package io.limiter.spring.check;

import org.jspecify.annotations.NullMarked;
