package io.limiter.benchmark.scale;

/** An instance that decides requests for one key. */
interface FleetMember {

    void request();

    /** The process is killed, and another one takes its place. */
    void crash();
}
