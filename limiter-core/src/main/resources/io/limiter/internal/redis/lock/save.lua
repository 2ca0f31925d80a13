-- Saves a state if it has not changed since it was loaded. Java twin: LockBackend.save
--
-- KEYS[1] the state's key
-- ARGV[1] the new value
-- ARGV[2] how long to keep it, in milliseconds
-- ARGV[3] the value that was loaded; absent if there was none
-- RETURN  a list of one: 1 if saved, 0 if not

if redis.call('GET', KEYS[1]) ~= (ARGV[3] or false) then
  return {0}
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return {1}
