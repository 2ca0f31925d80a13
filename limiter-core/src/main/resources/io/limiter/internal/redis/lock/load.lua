-- Loads a state and the time for the lock engine. Runs after clock.lua. Java twin: LockBackend.load
--
-- KEYS[1] the state's key
-- RETURN  microseconds since the epoch, the key's PTTL in milliseconds (-1: none, -2: no such key), its value

local ttl = redis.call('PTTL', KEYS[1])
return {now, ttl, redis.call('GET', KEYS[1])}
