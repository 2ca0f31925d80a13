/** Extension points that say whose call or request it is, and the exceptions for one without a valid key. */
@NullMarked
package io.limiter.spring.key;

import org.jspecify.annotations.NullMarked;
