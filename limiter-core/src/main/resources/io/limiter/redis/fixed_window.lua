-- The fixed window, as io.limiter.algorithm.FixedWindow computes it. Change neither without the other.
--
-- Numbers of a limit, as little-endian doubles: limit, periodMicros. The requests' timeouts make no difference here.
--
-- The value is read in either spelling and written packed: byte 2, then the doubles count, windowEndMillis. A plain
-- number is read as a counter whose window ends with its TTL, or one period from now if it has none.

-- What the caller's limit says.
local limit, period

-- The window, its end in microseconds; whether there was one, whether it is still open, and whether it must be saved even
-- if everything is refused.
local count, window_end, found, open, must_save

-- Returns where in arg the numbers end.
local function read_limit(arg, at)
  limit, period, at = struct.unpack('<dd', arg, at)
  return at
end

local function packed()
  return struct.pack('<Bdd', 2, count, window_end / 1000)
end

-- Sets the window to what is stored. Returns it packed, or nothing if it is none.
local function read_window(key, value, now)
  local first = string.byte(value, 1)
  local c, millis
  if first == 2 and #value == 17 then
    c, millis = struct.unpack('<dd', value, 2)
  elseif first == 123 then
    local ok, json = pcall(cjson.decode, value)
    if ok and type(json) == 'table' then
      c, millis = json.count, json.windowEndMillis
    end
  elseif string.find(value, '^%d+$') then
    local ttl = redis.call('PTTL', key)
    c = tonumber(value)
    millis = (ttl >= 0 and now + ttl * 1000 or now + period) / 1000
    must_save = true
  end
  if type(c) ~= 'number' or type(millis) ~= 'number'
    or not (c >= 0 and c < math.huge and millis >= 0 and millis < math.huge) then
    return
  end
  count, window_end = c, math.floor(millis * 1000 + 0.5)
  return first == 2 and value or packed()
end

-- Sets the window to the value, or to a new one if there is none, as of now. Returns what the caller can read, and why
-- the value is no window.
local function load(key, value, now)
  must_save, found = false, value and true
  if value then
    value = read_window(key, value, now)
    if not value then
      return value, 'UNREADABLE'
    end
  end
  open = found and window_end > now
  if not open then
    count, window_end = 0, now + period
    must_save = false
  elseif window_end > now + period then
    window_end = now + period
    must_save = true
  end
  return value
end

-- Takes like requests, and returns how many are granted: once one is refused, so is the rest.
local function take(permits, _, times)
  local taken = math.max(0, math.min(times, math.floor((limit - count) / permits)))
  count = count + taken * permits
  open = open or taken > 0
  return taken
end

-- Returns permits to a window that is still open, and whether there is one.
local function give_back(permits, times)
  if open then
    count = math.max(0, count - permits * times)
  end
  return open
end

-- Returns why it could not be saved. A value that was left without a TTL would stay for ever if only refusals follow.
local function save(key, now, changed)
  if not (changed or must_save or open and redis.call('PTTL', key) == -1) then
    return
  end
  local lifetime = math.max(0, math.ceil((window_end - now) / 1000)) + 1000
  return redis.pcall('SET', key, packed(), 'PX', string.format('%.0f', lifetime)).err
end
