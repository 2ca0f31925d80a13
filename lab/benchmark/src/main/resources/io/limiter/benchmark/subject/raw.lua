-- The least a limiter can do in Redis: one read, one write with a lifetime, one number back.
-- KEYS[1] the id; ARGV[1] the value, ARGV[2] its lifetime in milliseconds; returns 1
redis.call('GET', KEYS[1])
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
