-- Decides for every key of a call at one moment; stands behind clock.lua and the script of one kind of limit.
--
-- The script decides and books; it does not say what every single request is answered. From the value it found and the
-- time it read, the caller takes the same steps once more in Java, and so knows each answer. Both compute the same to
-- the last bit, and the number of grants tells if they ever did not.
--
-- KEYS    one or several
-- ARGV[1] sections, one after the other. A section is for as many of the keys as it says, which are all asked the same:
--         how many keys (4 bytes), how many runs (2 bytes), the numbers of the limit (see its script), and the runs: permits
--         (4 bytes, negative to peek), timeoutMicros (8 bytes, a double, negative to give permits back), and how many such
--         requests in a row (4 bytes). All little-endian.
-- RETURN  the time in microseconds, how many requests were granted, and for each key the value that was found (false if
--         there was none), or '!' and the reason why its requests were not decided

local now = now_micros()
local arg, at = ARGV[1], 1
local granted = 0
local reply = {now, 0}
local values = #KEYS > 1 and redis.call('MGET', unpack(KEYS))
local last = 0

-- Runs of the section: permits, timeouts, how many times.
local runs
local permits, timeouts, times = {}, {}, {}

local function read_section()
  local keys
  keys, runs, at = struct.unpack('<I4I2', arg, at)
  at = read_limit(arg, at)
  for i = 1, runs do
    permits[i], timeouts[i], times[i], at = struct.unpack('<i4dI4', arg, at)
  end
  return keys
end

-- Decides for one key. Returns what is replied for it.
local function decide(key, value)
  local problem
  value, problem = load(key, value, now)
  if problem then
    return '!' .. problem
  end
  local taken, asked, changed = 0, false, false
  for i = 1, runs do
    if permits[i] > 0 then
      asked = true
      if timeouts[i] >= 0 then
        local n = take(permits[i], timeouts[i], times[i], now)
        taken = taken + n
        changed = changed or n > 0
      else
        changed = give_back(permits[i], times[i]) or changed
      end
    end
  end
  if asked then
    problem = save(key, now, changed)
    if problem then
      return '!' .. problem
    end
  end
  granted = granted + taken
  return value
end

while at <= #arg do
  local first = last + 1
  last = last + read_section()
  for i = first, last do
    -- MGET says of another type's key that it is not there.
    local value = values and values[i] or redis.pcall('GET', KEYS[i])
    reply[i + 2] = type(value) == 'table' and '!' .. value.err or decide(KEYS[i], value)
  end
end
reply[2] = granted
return reply
