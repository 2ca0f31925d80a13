-- Decides for every key of a call at one moment; stands behind clock.lua and the script of one kind of limit.
--
-- The script decides and books; it does not say what every single request is answered. From the value it found and the
-- time it read, the caller takes the same steps once more in Java, and so knows each answer. Both compute the same to
-- the last bit, and the number of grants tells if they ever did not.
--
-- Redis runs all of this anew for each call, definitions included. So there are few functions, and what most calls need
-- stands in line.
--
-- KEYS    one or several
-- ARGV[1] sections, one after the other. A section is for as many of the keys as it says, which are all asked the same:
--         how many keys (4 bytes), how many runs (2 bytes), the numbers of the limit (see its script), and the runs: permits
--         (4 bytes, negative to peek), timeoutMicros (8 bytes, a double, negative to give permits back), and how many such
--         requests in a row (4 bytes). All little-endian.
-- RETURN  the time in microseconds, how many requests were granted, and for each key the value that was found (false if
--         there was none), or '!' and the reason why its requests were not decided

local pcall_redis, type, unpack_bytes = redis.pcall, type, struct.unpack

local now = now_micros()
local arg, at = ARGV[1], 1
local granted = 0
local reply = {now, 0}
local values = #KEYS > 1 and redis.call('MGET', unpack(KEYS))
local last = 0

while at <= #arg do
  local keys, runs
  keys, runs, at = unpack_bytes('<I4I2', arg, at)
  at = read_limit(arg, at)
  -- Permits, timeout, times; permits, timeout, times; ...
  local asked = {}
  for i = 1, 3 * runs, 3 do
    asked[i], asked[i + 1], asked[i + 2], at = unpack_bytes('<i4dI4', arg, at)
  end
  local first = last + 1
  last = last + keys
  for i = first, last do
    -- MGET says of another type's key that it is not there.
    local value = values and values[i] or pcall_redis('GET', KEYS[i])
    if type(value) == 'table' then
      reply[i + 2] = '!' .. value.err
    else
      local found, taken = decide(KEYS[i], value, now, asked)
      reply[i + 2] = found
      granted = granted + taken
    end
  end
end
reply[2] = granted
return reply
