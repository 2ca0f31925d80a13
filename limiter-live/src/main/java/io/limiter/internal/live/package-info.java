/** Live limits in one instance: its copy of them, its polls, and its reports. */
@NullMarked
package io.limiter.internal.live;

import org.jspecify.annotations.NullMarked;
