-- Permits that are held under leases, as io.limiter.algorithm.ConcurrencyLimit computes it. Change neither without the
-- other. See batch.lua, in which its parts are put.
--
-- Numbers of a limit, as little-endian doubles: limit, leaseMicros.
--
-- A request's twelve bytes say, instead of permits and a timeout: how many permits to take, and the id that is to hold
-- them; or 0, and the id whose lease is renewed, negative if it is released; or a negative number of permits to peek.
--
-- The value is read in either spelling and written packed: byte 9, then for each holder, 28 bytes, little-endian: its id
-- (a double, whole), how many permits it has (4 bytes), when its lease is over, in microseconds, and how long a lease of its
-- is (doubles, whole). All are whole numbers below 2^53, so it makes no difference in which order they are added.

--[constants]
local HOLDER, HOLDER_BYTES, MAX_WHOLE, MAX_INT = '<dI4dd', 28, 2 ^ 53 - 1, 2 ^ 31 - 1

--[limit]
  local limit, lease
  limit, lease, at = unpack_bytes('<dd', arg, at)

--[decide]
      -- The live holders, in order. held is how many permits they have in all, must_save if a clock that stepped back
      -- has left an expiry further ahead than a lease.
      local ids, weights, expiries, leases = {}, {}, {}, {}
      local live, held, must_save = 0, 0, false
      if value then
        local json
        local holders = (#value - 1) / HOLDER_BYTES
        if string.byte(value, 1) ~= 9 or holders % 1 ~= 0 then
          holders = -1
          local ok, decoded = pcall(cjson.decode, value)
          if ok and type(decoded) == 'table' and type(decoded.holders) == 'table' then
            json = decoded.holders
            holders = #json
          end
        end
        local readable = holders >= 0
        for i = 1, holders do
          local id, weight, expiry, length
          if not json then
            id, weight, expiry, length = unpack_bytes(HOLDER, value, 2 + (i - 1) * HOLDER_BYTES)
          elseif type(json[i]) == 'table' then
            id, weight, expiry, length = json[i].id, json[i].permits, json[i].expiresMicros, json[i].leaseMicros
          end
          if not (type(id) == 'number' and id >= 1 and id <= MAX_WHOLE and id % 1 == 0
            and type(weight) == 'number' and weight >= 1 and weight <= MAX_INT and weight % 1 == 0
            and type(expiry) == 'number' and expiry >= 0 and expiry <= MAX_WHOLE and expiry % 1 == 0
            and type(length) == 'number' and length >= 1 and length <= MAX_WHOLE and length % 1 == 0) then
            readable = false
            break
          end
          if expiry > now then
            if expiry - now > length then
              expiry, must_save = now + length, true
            end
            live = live + 1
            ids[live], weights[live], expiries[live], leases[live] = id, weight, expiry, length
            held = held + weight
          end
        end
        if not readable then
          found = '!UNREADABLE'
          break
        end
      end

      local changed, only_peeks = must_save, true
      local permits, id, times, next_run = permits_1, timeout_1, times_1, run_2
      for run = 1, runs do
        if run > 1 then
          permits, id, times, next_run = unpack_bytes('<i4dI4', arg, next_run)
        end
        if permits >= 0 then
          only_peeks = false
          local release = id < 0
          if release then
            id = -id
          end
          local place
          for i = 1, live do
            if ids[i] == id then
              place = i
              break
            end
          end
          if release then
            if place then
              held, live, changed = held - weights[place], live - 1, true
              table.remove(ids, place)
              table.remove(weights, place)
              table.remove(expiries, place)
              table.remove(leases, place)
            end
          elseif place then
            -- Renewed, or taken again, which takes no second place.
            expiries[place], leases[place], changed = now + lease, lease, true
            granted = permits > 0 and granted + times or granted
          elseif permits > 0 and held + permits <= limit then
            live, held, changed = live + 1, held + permits, true
            ids[live], weights[live], expiries[live], leases[live] = id, permits, now + lease, lease
            granted = granted + times
          end
        end
      end

--[save]
      if changed and not only_peeks then
        local last, packed = now, {string.char(9)}
        for i = 1, live do
          last = math.max(last, expiries[i])
          packed[i + 1] = pack_bytes(HOLDER, ids[i], weights[i], expiries[i], leases[i])
        end
        local lifetime = math.floor((last - now + 999) / 1000) + 1000
        local saved = redis_pcall('SET', key, table.concat(packed), 'PX', string.format('%.0f', lifetime))
        if saved.err then
          found, granted = '!' .. saved.err, granted_before
        end
      end
