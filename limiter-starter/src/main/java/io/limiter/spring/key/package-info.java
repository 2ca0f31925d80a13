/** Whose call or request it is, which an application may decide, and what becomes of one that has no key. */
@NullMarked
package io.limiter.spring.key;

import org.jspecify.annotations.NullMarked;
