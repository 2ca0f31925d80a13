-- The token bucket, as io.limiter.algorithm.TokenBucket computes it: the same operations on the same doubles in the
-- same order, so that both come to the same bits. Change neither without the other. Functions have the names of their
-- Java twins where there are any.
--
-- Times are microseconds as whole doubles, which are exact below 2^53; only the stored state counts in milliseconds.
-- Redis runs this for millions of keys, so what most of them need is kept short: x - x % 1 is floor(x) without a call.
--
-- Numbers of a limit, as little-endian doubles: maxPermits, intervalMillis, flags, maxWaitMicros, maxBookedMicros,
-- expireMillis; if warming up also thresholdPermits, slopeMicros, coolDownIntervals
--
-- The value is read in either spelling and written packed: byte 1, then the doubles maxPermits, storedPermits,
-- intervalMillis, nextFreeTicketMillis, remainderMicros.

local OWN_COST, STARTS_FULL, WARM_UP = 1, 2, 4
local NEGLIGIBLE_PERMITS, NEGLIGIBLE_MICROS = 1e-9, 0.5
local EXPIRE_MARGIN_MILLIS = 1000

local pcall_redis, pack, unpack_bytes = redis.pcall, struct.pack, struct.unpack

-- What the caller's limit says, and the shortest time to fill that needs more than expire, which is turned into text once.
local limit_max, limit_interval, own_cost, starts_full, warm_up, max_wait, max_booked, expire, expire_text
local threshold, slope, cool_down_intervals
local expire_covers

-- The bucket, with next_free in whole microseconds, and what follows from its interval.
local max, stored, interval, next_free, remainder
local interval_micros, cool_down, negligible

-- Whether the bucket must be saved even if everything is refused, and whether it was found under other numbers.
local must_save, other_numbers

local function text(number)
  return string.format('%.0f', number)
end

local function set_interval(millis)
  interval = millis
  interval_micros = millis * 1000
  cool_down = interval_micros * cool_down_intervals
  negligible = math.min(NEGLIGIBLE_PERMITS * interval_micros, NEGLIGIBLE_MICROS)
end

-- Returns where in arg the numbers end.
local function read_limit(arg, at)
  local flags
  limit_max, limit_interval, flags, max_wait, max_booked, expire, at = unpack_bytes('<dddddd', arg, at)
  own_cost = flags % 2 >= OWN_COST
  starts_full = flags % 4 >= STARTS_FULL
  warm_up = flags >= WARM_UP
  threshold, slope, cool_down_intervals = 0, 0, 1
  if warm_up then
    threshold, slope, cool_down_intervals, at = unpack_bytes('<ddd', arg, at)
  end
  expire_text = text(expire)
  expire_covers = (expire - EXPIRE_MARGIN_MILLIS - 1) * 1000
  set_interval(limit_interval)
  return at
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
  return 1, unpack(doubles)
end

-- Microseconds that someone has to wait: rounded up, unless what is over is negligible.
local function whole_micros(micros)
  local over = micros % 1
  return over > negligible and micros - over + 1 or micros - over
end

-- Sets the bucket to the value, or to a new one if there is none, as of now: bounds the booking, turns idle time into
-- permits, and rescales to the limit's numbers. Returns the value, and why it is no bucket.
local function load(_, value, now)
  if not value then
    max, stored, next_free, remainder = limit_max, starts_full and limit_max or 0, now, 0
    must_save, other_numbers = not starts_full, false
    return false
  end
  local spelling, m, s, i, n, r
  if #value == 41 then
    spelling, m, s, i, n, r = unpack_bytes('<Bddddd', value)
  else
    spelling, m, s, i, n, r = read_json(value)
  end
  -- The ranges of RedisPermits' constructor.
  if not (spelling == 1 and s >= 0 and s <= m and m > 0 and m < math.huge and i > 0 and i < math.huge
    and n >= 0 and n < math.huge and r >= 0 and r < 1) then
    return value, 'UNREADABLE'
  end
  must_save, other_numbers = false, m ~= limit_max or i ~= limit_interval
  if other_numbers then
    set_interval(i)
  end
  n = n * 1000 + 0.5
  n = n - n % 1
  if n - now > max_booked then
    n, r, must_save = now + max_booked, 0, true
  end
  if now > (r == 0 and n or n + whole_micros(r)) then
    s = s + (now - n - r) / cool_down
    if s > m then
      s = m
    end
    n, r = now, 0
  end
  if other_numbers then
    s = math.min(limit_max, s * i / limit_interval)
    set_interval(limit_interval)
    must_save = true
  end
  max, stored, next_free, remainder = limit_max, s, n, r
  return value
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

-- Until all bookings are paid.
local function booked_micros(now)
  return math.max(0, next_free - now + whole_micros(remainder))
end

-- Books a request if it is granted, and returns whether it is.
local function step(permits, allowed, now)
  local from_stored = math.min(permits, stored)
  local cost = stored_to_micros(from_stored) + (permits - from_stored) * interval_micros
  local micros = remainder + cost
  local part = micros % 1
  local whole = micros - part
  local booked = math.max(0, next_free + whole - now + whole_micros(part))
  local wait = own_cost and booked or booked_micros(now)
  if wait > allowed or booked > max_booked then
    return false
  end
  stored, next_free, remainder = stored - from_stored, next_free + whole, part
  return true
end

-- Takes like requests, one after the other, and returns how many are granted: once one is refused, so is the rest.
--
-- Those that stored permits pay for at no cost in time are taken at once. Whole numbers can be subtracted from a larger
-- double without rounding, so that leaves the same bits as one after the other.
local function take(permits, timeout, times, now)
  local allowed = timeout < max_wait and timeout or max_wait
  local taken = 0
  if permits <= stored and not warm_up then
    if next_free > now or remainder > 0 then
      local booked = booked_micros(now)
      if booked > allowed or booked > max_booked then
        return 0
      end
    end
    if times == 1 then
      taken = 1
    else
      taken = stored / permits
      taken = math.min(times, taken - taken % 1)
      if taken * permits > stored then
        taken = taken - 1
      end
    end
    stored = stored - taken * permits
  end
  while taken < times and step(permits, allowed, now) do
    taken = taken + 1
  end
  return taken
end

-- Returns stored permits, as far as there is room; what is booked stays booked. Returns that the bucket has changed.
local function give_back(permits, times)
  for _ = 1, times do
    stored = math.min(max, stored + permits)
  end
  return true
end

-- Until the bucket is full and all bookings are paid.
local function reset_micros(now)
  return math.max(0, next_free - now + whole_micros(remainder + (max - stored) * cool_down))
end

-- How long to keep the bucket. What was stored under other numbers may have to be kept longer than these need.
local function lifetime(key, now)
  local needed = math.max(expire, math.ceil(reset_micros(now) / 1000) + EXPIRE_MARGIN_MILLIS)
  return text(other_numbers and math.max(needed, redis.call('PTTL', key)) or needed)
end

-- Returns why it could not be saved.
local function save(key, now, changed)
  if changed or must_save then
    local value = pack('<Bddddd', 1, max, stored, interval, next_free / 1000, remainder)
    local short = next_free <= now and (max - stored) * cool_down < expire_covers and not other_numbers
    return pcall_redis('SET', key, value, 'PX', short and expire_text or lifetime(key, now)).err
  end
end
