package io.limiter.benchmark.outage;

/** What happens to Redis. */
public enum Fault {
    /** It neither answers nor closes connections, and then continues. */
    STOPPED("stopped", 10),
    /** It is killed, and started again without its data. */
    RESTARTED("restarted empty", 2),
    /** The primary is killed, and a Sentinel promotes its replica. */
    FAILED_OVER("failed over", 0),
    /** It is killed about once a second, and started again each time without its data. */
    CRASH_LOOPING("crash-looping", 4);

    private final String title;
    private final int seconds;

    Fault(String title, int seconds) {
        this.title = title;
        this.seconds = seconds;
    }

    public String title() {
        return title;
    }

    /** For how long Redis is kept away; 0 if others decide that. */
    public int seconds() {
        return seconds;
    }
}
