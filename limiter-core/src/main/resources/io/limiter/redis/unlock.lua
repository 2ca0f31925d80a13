-- Releases a lock if it is still held under this token. Java twin: RedisLock
--
-- KEYS[1] the lock's key
-- ARGV[1] the token of the acquisition
-- RETURN  {1} if it was released, {0} if it had expired

if redis.call('GET', KEYS[1]) == ARGV[1] then
  return {redis.call('DEL', KEYS[1])}
end
return {0}
