/** What a limit costs the requests of a server. */
@NullMarked
package io.limiter.benchmark.server;

import org.jspecify.annotations.NullMarked;
