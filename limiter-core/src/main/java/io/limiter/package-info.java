/** The API for callers: limiters, their factory, decisions, events and exceptions. */
@NullMarked
package io.limiter;

import org.jspecify.annotations.NullMarked;
