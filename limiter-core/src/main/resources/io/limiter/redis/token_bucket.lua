-- The token bucket, as io.limiter.algorithm.TokenBucket computes it: the same operations on the same doubles in the
-- same order, so that both come to the same bits. Change neither without the other. Functions have the names of their
-- Java twins where there are any.
--
-- Times are microseconds as whole doubles, which are exact below 2^53; only the stored state counts in milliseconds.
--
-- Numbers of a limit, as little-endian doubles: maxPermits, intervalMillis, flags, maxWaitMicros, maxBookedMicros,
-- expireMillis; if warming up also thresholdPermits, slopeMicros, coolDownIntervals
--
-- The value is read in either spelling and written packed: byte 1, then the doubles maxPermits, storedPermits,
-- intervalMillis, nextFreeTicketMillis, remainderMicros.

local OWN_COST, STARTS_FULL, WARM_UP = 1, 2, 4
local NEGLIGIBLE_PERMITS, NEGLIGIBLE_MICROS = 1e-9, 0.5
local EXPIRE_MARGIN_MILLIS = 1000

local floor, min, max_of = math.floor, math.min, math.max
local pack, unpack_doubles = struct.pack, struct.unpack

-- What the caller's limit says. Most buckets are kept for just expire, which is turned into text only once.
local limit_max, limit_interval, own_cost, starts_full, warm_up, max_wait, max_booked, expire, expire_text
local threshold, slope, cool_down_intervals

-- The bucket, with next_free in whole microseconds, and what follows from its interval.
local max, stored, interval, next_free, remainder
local interval_micros, cool_down, negligible

-- Whether the bucket must be saved even if everything is refused, and whether it was found under other numbers.
local must_save, other_numbers

local function text(number)
  return string.format('%.0f', number)
end

-- Returns where in arg the numbers end.
local function read_limit(arg, at)
  local flags
  limit_max, limit_interval, flags, max_wait, max_booked, expire, at = unpack_doubles('<dddddd', arg, at)
  own_cost = flags % 2 >= OWN_COST
  starts_full = flags % 4 >= STARTS_FULL
  warm_up = flags >= WARM_UP
  threshold, slope, cool_down_intervals = 0, 0, 1
  if warm_up then
    threshold, slope, cool_down_intervals, at = unpack_doubles('<ddd', arg, at)
  end
  expire_text = text(expire)
  return at
end

local function set_interval(millis)
  interval = millis
  interval_micros = millis * 1000
  cool_down = interval_micros * cool_down_intervals
  negligible = min(NEGLIGIBLE_PERMITS * interval_micros, NEGLIGIBLE_MICROS)
end

-- The doubles in a JSON value; nothing if it is none.
local function read_json(value)
  local ok, json = pcall(cjson.decode, value)
  if not ok or type(json) ~= 'table' then
    return
  end
  local part = json.remainderMicros
  if part == nil or part == cjson.null then
    part = 0
  end
  local doubles = {json.maxPermits, json.storedPermits, json.intervalMillis, json.nextFreeTicketMillis, part}
  for i = 1, 5 do
    if type(doubles[i]) ~= 'number' then
      return
    end
  end
  return unpack(doubles)
end

-- Sets the bucket to what is stored; returns whether that is one. The ranges are those of RedisPermits' constructor.
local function read_permits(value)
  local m, s, i, n, r
  local first = string.byte(value, 1)
  if first == 1 and #value == 41 then
    m, s, i, n, r = unpack_doubles('<ddddd', value, 2)
  elseif first == 123 then
    m, s, i, n, r = read_json(value)
  end
  if not (m and m > 0 and m < math.huge and s >= 0 and s <= m and i > 0 and i < math.huge
    and n >= 0 and n < math.huge and r >= 0 and r < 1) then
    return false
  end
  max, stored, remainder = m, s, r
  next_free = floor(n * 1000 + 0.5)
  set_interval(i)
  return true
end

-- Microseconds that someone has to wait: rounded up, unless what is over is negligible.
local function whole_micros(micros)
  local whole = floor(micros)
  return micros - whole > negligible and whole + 1 or whole
end

-- Bounds the booking, turns idle time into permits, and rescales to the limit's numbers.
local function settle(now)
  if next_free - now > max_booked then
    next_free, remainder = now + max_booked, 0
    must_save = true
  end
  if now > next_free + whole_micros(remainder) then
    local idle = now - next_free - remainder
    stored = min(max, stored + idle / cool_down)
    next_free, remainder = now, 0
  end
  if max ~= limit_max or interval ~= limit_interval then
    stored = min(limit_max, stored * interval / limit_interval)
    max = limit_max
    set_interval(limit_interval)
    must_save, other_numbers = true, true
  end
end

-- Sets the bucket to the value, or to a new one if there is none, as of now. Returns the value, and why it is no bucket.
local function load(_, value, now)
  must_save, other_numbers = false, false
  if not value then
    max, stored = limit_max, starts_full and limit_max or 0
    next_free, remainder = now, 0
    set_interval(limit_interval)
    must_save = not starts_full
    return false
  end
  if not read_permits(value) then
    return value, 'UNREADABLE'
  end
  settle(now)
  return value
end

-- What taking stored permits costs: nothing, or with a warm-up the area under its curve.
local function stored_to_micros(taken)
  if not warm_up then
    return 0
  end
  local above = max_of(0, stored - threshold)
  local taken_above = min(above, taken)
  local first = interval_micros + above * slope
  local last = interval_micros + (above - taken_above) * slope
  return taken_above * (first + last) / 2 + (taken - taken_above) * interval_micros
end

-- Books a request if it is granted, and returns whether it is.
local function step(permits, allowed, now)
  local from_stored = min(permits, stored)
  local cost = stored_to_micros(from_stored) + (permits - from_stored) * interval_micros
  local micros = remainder + cost
  local whole = floor(micros)
  local booked = max_of(0, next_free + whole - now + whole_micros(micros - whole))
  local wait = own_cost and booked or max_of(0, next_free - now + whole_micros(remainder))
  if wait > allowed or booked > max_booked then
    return false
  end
  stored, next_free, remainder = stored - from_stored, next_free + whole, micros - whole
  return true
end

-- How many of these like requests the stored permits pay for, at no cost in time. Whole numbers can be subtracted from a
-- larger double without rounding, so taking them all at once leaves the same bits as one after the other.
local function take_stored(permits, allowed, times, now)
  local booked = max_of(0, next_free - now + whole_micros(remainder))
  if warm_up or permits > stored or booked > allowed or booked > max_booked then
    return 0
  end
  local covered = floor(stored / permits)
  if covered * permits > stored then
    covered = covered - 1
  end
  covered = min(covered, times)
  stored = stored - covered * permits
  return covered
end

-- Takes like requests, one after the other, and returns how many are granted: once one is refused, so is the rest.
local function take(permits, timeout, times, now)
  local allowed = min(timeout, max_wait)
  local taken = take_stored(permits, allowed, times, now)
  while taken < times and step(permits, allowed, now) do
    taken = taken + 1
  end
  return taken
end

-- Until the bucket is full and all bookings are paid.
local function reset_micros(now)
  return max_of(0, next_free - now + whole_micros(remainder + (max - stored) * cool_down))
end

-- How long to keep the bucket. What was stored under other numbers may have to be kept longer than these need.
local function lifetime(key, now)
  local needed = math.ceil(reset_micros(now) / 1000) + EXPIRE_MARGIN_MILLIS
  if other_numbers then
    needed = max_of(needed, redis.call('PTTL', key))
  end
  return needed <= expire and expire_text or text(needed)
end

-- Returns why it could not be saved.
local function save(key, now, taken)
  if taken or must_save then
    local value = pack('<Bddddd', 1, max, stored, interval, next_free / 1000, remainder)
    return redis.pcall('SET', key, value, 'PX', lifetime(key, now)).err
  end
end
