-- Acquires a lock if nobody holds it. Java twin: RedisLock
--
-- KEYS[1] the lock's key
-- ARGV[1] the token of the acquisition
-- ARGV[2] how long it is held at most, in milliseconds
-- RETURN  {1} if it was acquired, {0} if another holds it

-- A client that sends a call again after its reply was lost finds its own token.
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) or redis.call('GET', KEYS[1]) == ARGV[1] then
  return {1}
end
return {0}
