-- Releases a lock if it is still the owner's. Java twin: RedisLock
--
-- KEYS[1] the lock's key
-- ARGV[1] the owner
-- RETURN  1 if it was released, 0 if it had been lost

if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('DEL', KEYS[1])
end
return 0
