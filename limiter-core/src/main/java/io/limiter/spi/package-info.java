/** What an application may bring of its own: an engine, the script of a limit, a distributed lock; and what engines are given. */
@NullMarked
package io.limiter.spi;

import org.jspecify.annotations.NullMarked;
