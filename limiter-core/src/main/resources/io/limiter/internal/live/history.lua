-- KEYS: history.
return redis.call('LRANGE', KEYS[1], 0, -1)
