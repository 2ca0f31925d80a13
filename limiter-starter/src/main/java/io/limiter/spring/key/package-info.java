/** How the key of a call is found: from the request, the user or the arguments. */
@NullMarked
package io.limiter.spring.key;

import org.jspecify.annotations.NullMarked;
