/** What a rejected call gets beside the exceptions of {@code io.limiter}. */
@NullMarked
package io.limiter.spring.check;

import org.jspecify.annotations.NullMarked;
