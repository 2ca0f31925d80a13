-- The token bucket, as io.limiter.algorithm.TokenBucket computes it: the same operations on the same doubles in the
-- same order, so that both come to the same bits. Change neither without the other. Functions have the names of their
-- Java twins where there are any.
--
-- Times are microseconds as whole doubles, which are exact below 2^53; only the stored state counts in milliseconds.
--
-- decide(key, arg, now, reply)
--   key    the bucket's key
--   arg    little-endian doubles: maxPermits, intervalMillis, flags, maxWaitMicros, maxBookedMicros, expireMillis;
--          if warming up: thresholdPermits, slopeMicros, coolDownIntervals;
--          then for each request: permits (negative to peek), timeoutMicros
--   now    microseconds since the epoch
--   reply  gets for each request: granted (1 or 0), remaining, waitMicros, retryAfterMicros, resetAfterMicros, where
--          -1 means never; or a single string if the key could not be read or written
--
-- The value is read in either spelling and written packed: byte 1, then the doubles maxPermits, storedPermits,
-- intervalMillis, nextFreeTicketMillis, remainderMicros.

local OWN_COST, STARTS_FULL, WARM_UP = 1, 2, 4
local NEGLIGIBLE_PERMITS, NEGLIGIBLE_MICROS = 1e-9, 0.5
local NEVER = 9007199254740992
local EXPIRE_MARGIN_MILLIS = 1000

-- What the caller's limit says.
local limit_max, limit_interval, own_cost, starts_full, warm_up, max_wait, max_booked, expire
local threshold, slope, cool_down_intervals

-- The bucket, with next_free in whole microseconds, and what follows from its interval.
local max, stored, interval, next_free, remainder
local interval_micros, cool_down, negligible

-- Returns where in arg the requests begin.
local function read_limit(arg)
  local flags, at
  limit_max, limit_interval, flags, max_wait, max_booked, expire, at = struct.unpack('<dddddd', arg)
  own_cost = flags % 2 >= OWN_COST
  starts_full = flags % 4 >= STARTS_FULL
  warm_up = flags >= WARM_UP
  threshold, slope, cool_down_intervals = 0, 0, 1
  if warm_up then
    threshold, slope, cool_down_intervals, at = struct.unpack('<ddd', arg, at)
  end
  return at
end

local function set_interval(millis)
  interval = millis
  interval_micros = millis * 1000
  cool_down = interval_micros * cool_down_intervals
  negligible = math.min(NEGLIGIBLE_PERMITS * interval_micros, NEGLIGIBLE_MICROS)
end

-- The stored doubles; nothing if the value is in neither spelling.
local function unpack_permits(value)
  local first = string.byte(value, 1)
  if first == 1 and #value == 41 then
    return struct.unpack('<ddddd', value, 2)
  end
  if first == 123 then
    local ok, json = pcall(cjson.decode, value)
    if ok then
      local part = json.remainderMicros
      if part == nil or part == cjson.null then
        part = 0
      end
      return json.maxPermits, json.storedPermits, json.intervalMillis, json.nextFreeTicketMillis, part
    end
  end
end

-- Whether the doubles are a bucket's; the twin of RedisPermits' constructor.
local function are_permits(m, s, i, n, r)
  return type(m) == 'number' and type(s) == 'number' and type(i) == 'number' and type(n) == 'number'
    and type(r) == 'number' and m > 0 and m < math.huge and s >= 0 and s <= m and i > 0 and i < math.huge
    and n >= 0 and n < math.huge and r >= 0 and r < 1
end

-- Sets the bucket to what is stored, or to a new one. Returns whether it is new, and why it could not be read.
local function load(key, now)
  local value = redis.pcall('GET', key)
  if not value then
    max, stored = limit_max, starts_full and limit_max or 0
    next_free, remainder = now, 0
    set_interval(limit_interval)
    return true
  end
  if type(value) == 'table' then
    return false, value.err
  end
  local m, s, i, n, r = unpack_permits(value)
  if not are_permits(m, s, i, n, r) then
    return false, 'UNREADABLE'
  end
  max, stored, remainder = m, s, r
  next_free = math.floor(n * 1000 + 0.5)
  set_interval(i)
  return false
end

-- Microseconds that someone has to wait: rounded up, unless what is over is negligible.
local function whole_micros(micros)
  local whole = math.floor(micros)
  return micros - whole > negligible and whole + 1 or whole
end

-- Bounds the booking, turns idle time into permits, and rescales to the limit's numbers. Returns whether that must be
-- saved even if everything is refused, and whether the numbers were other ones.
local function settle(now)
  local must_save, other_numbers = false, false
  if next_free - now > max_booked then
    next_free, remainder = now + max_booked, 0
    must_save = true
  end
  if now > next_free + whole_micros(remainder) then
    local idle = now - next_free - remainder
    stored = math.min(max, stored + idle / cool_down)
    next_free, remainder = now, 0
  end
  if max ~= limit_max or interval ~= limit_interval then
    stored = math.min(limit_max, stored * interval / limit_interval)
    max = limit_max
    set_interval(limit_interval)
    must_save, other_numbers = true, true
  end
  return must_save, other_numbers
end

-- What taking stored permits costs: nothing, or with a warm-up the area under its curve.
local function stored_to_micros(taken)
  if not warm_up then
    return 0
  end
  local above = math.max(0, stored - threshold)
  local taken_above = math.min(above, taken)
  local first = interval_micros + above * slope
  local last = interval_micros + (above - taken_above) * slope
  return taken_above * (first + last) / 2 + (taken - taken_above) * interval_micros
end

local function retry_after_micros(permits, wait, booked, allowed)
  local best = warm_up and booked - wait or whole_micros(math.max(0, permits - max) * interval_micros)
  if best > (own_cost and allowed or max_booked) then
    return NEVER
  end
  return own_cost and wait - allowed or math.max(wait - allowed, booked - max_booked)
end

-- Until the bucket is full and all bookings are paid.
local function reset_micros(now)
  return math.max(0, next_free - now + whole_micros(remainder + (max - stored) * cool_down))
end

local function reply_micros(micros)
  return micros >= NEVER and -1 or micros
end

-- Answers one request, and books it if it is granted and no peek. Returns whether it is granted.
local function step(permits, timeout, peek, now, reply)
  local from_stored = math.min(permits, stored)
  local cost = stored_to_micros(from_stored) + (permits - from_stored) * interval_micros
  local micros = remainder + cost
  local whole = math.floor(micros)
  local allowed = math.min(timeout, max_wait)
  local booked = math.max(0, next_free + whole - now + whole_micros(micros - whole))
  local wait = own_cost and booked or math.max(0, next_free - now + whole_micros(remainder))
  local granted = wait <= allowed and booked <= max_booked
  local retry = granted and 0 or retry_after_micros(permits, wait, booked, allowed)
  if granted and not peek then
    stored, next_free, remainder = stored - from_stored, next_free + whole, micros - whole
  end
  local n = #reply
  reply[n + 1] = granted and 1 or 0
  reply[n + 2] = next_free > now and 0 or math.floor(stored + negligible / interval_micros)
  reply[n + 3] = reply_micros(wait)
  reply[n + 4] = reply_micros(retry)
  reply[n + 5] = reply_micros(reset_micros(now))
  return granted
end

-- Returns why it could not be saved. What was stored under other numbers may have to be kept longer than these need.
local function save(key, now, other_numbers)
  local value = struct.pack('<Bddddd', 1, max, stored, interval, next_free / 1000, remainder)
  local lifetime = math.max(expire, math.ceil(reset_micros(now) / 1000) + EXPIRE_MARGIN_MILLIS)
  if other_numbers then
    lifetime = math.max(lifetime, redis.call('PTTL', key))
  end
  return redis.pcall('SET', key, value, 'PX', lifetime).err
end

local function decide(key, arg, now, reply)
  local at = read_limit(arg)
  local is_new, problem = load(key, now)
  if problem then
    reply[#reply + 1] = problem
    return
  end
  local must_save, other_numbers = is_new and not starts_full, false
  if not is_new then
    must_save, other_numbers = settle(now)
  end
  local changed = false
  local first_reply = #reply + 1
  while at < #arg do
    local permits, timeout
    permits, timeout, at = struct.unpack('<dd', arg, at)
    local peek = permits < 0
    local granted = step(math.abs(permits), timeout, peek, now, reply)
    changed = changed or not peek and (granted or must_save)
  end
  if changed then
    replace_if_failed(reply, first_reply, save(key, now, other_numbers))
  end
end
