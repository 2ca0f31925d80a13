-- The concurrency limit. Java twin: io.limiter.algorithm.ConcurrencyLimit; change both together. Its parts are inserted into
-- batch.lua.
--
-- Parameters of a limit, little-endian doubles: limit, leaseMicros.
--
-- The first sixteen bytes of a run are two doubles, permits and id:
--   acquire  the permits, and the id that is to hold them; 2^20 more if it leaves a ticket when it is rejected
--   renew    0, and the id
--   release  0, and the negative id
--   peek     the negative permits, and 0
--
-- The script reads both encodings and writes the packed one: byte 9, then 28 bytes for each holder, little-endian: its id (a
-- double), its permits (4 bytes), the expiry of its lease and the length of its lease, in microseconds (doubles). All are
-- whole numbers below 2^53, so sums are exact in any order. A ticket has its negative limit in place of a length.

--[constants]
local HOLDER, HOLDER_BYTES, MAX_WHOLE, MAX_INT = '<dI4dd', 28, 2 ^ 53 - 1, 2 ^ 31 - 1
local RELEASED, MANY_RUNS = 0, 8
local WAITS, TICKET, MAX_LIMIT, MAX_TICKETS = 2 ^ 20, 3000000, 1000, 1000

--[limit]
  local limit, lease
  limit, lease, at = unpack_bytes('<dd', arg, at)

--[decide]
      -- The live holders and tickets, in order; a released one keeps its place, with the id RELEASED. held is the sum of the
      -- permits of the holders, and waiting the number of tickets.
      -- must_save is set if a clock that stepped back left an expiry further ahead than a lease.
      local ids, weights, expiries, leases = {}, {}, {}, {}
      local live, held, waiting, must_save = 0, 0, 0, false
      -- The index of each id, if enough ids are looked up.
      local places = runs > MANY_RUNS and {}
      local packed, readable = value, true
      if value and (string.byte(value, 1) ~= 9 or (#value - 1) % HOLDER_BYTES ~= 0) then
        local ok, json = pcall(cjson.decode, value)
        readable = ok and type(json) == 'table' and type(json.holders) == 'table'
        if readable then
          packed = {string.char(9)}
          for i = 1, #json.holders do
            local holder = json.holders[i]
            if not (type(holder) == 'table' and type(holder.id) == 'number' and type(holder.permits) == 'number'
              and type(holder.expiresMicros) == 'number' and type(holder.leaseMicros) == 'number'
              and holder.permits >= 1 and holder.permits <= MAX_INT and holder.permits % 1 == 0) then
              readable = false
              break
            end
            packed[i + 1] = pack_bytes(HOLDER, holder.id, holder.permits, holder.expiresMicros, holder.leaseMicros)
          end
          packed = table.concat(packed)
        end
      end
      for from = 2, value and readable and #packed or 0, HOLDER_BYTES do
        local id, weight, expiry, length = unpack_bytes(HOLDER, packed, from)
        if not (id >= 1 and id <= MAX_WHOLE and id % 1 == 0 and weight >= 1 and weight <= MAX_INT
          and expiry >= 0 and expiry <= MAX_WHOLE and expiry % 1 == 0
          and (length >= 1 and length <= MAX_WHOLE or length <= -1 and length >= -MAX_LIMIT) and length % 1 == 0) then
          readable = false
          break
        end
        if expiry > now then
          local most = length < 0 and TICKET or length
          if expiry - now > most then
            expiry, must_save = now + most, true
          end
          live = live + 1
          ids[live], weights[live], expiries[live], leases[live] = id, weight, expiry, length
          if length < 0 then
            waiting = waiting + 1
          else
            held = held + weight
          end
          if places and places[id] then
            -- The script writes no id twice. For a foreign value with duplicates, the linear search finds the first one.
            places = nil
          elseif places then
            places[id] = live
          end
        end
      end
      if not readable then
        found = '!UNREADABLE'
        break
      end

      local changed, only_peeks = must_save, true
      local permits, id, times, next_run = permits_1, timeout_1, times_1, run_2
      for run = 1, runs do
        if run > 1 then
          permits, id, times, next_run = unpack_bytes('<ddI4', arg, next_run)
        end
        if permits >= 0 then
          only_peeks = false
          local release, waits = id < 0, permits >= WAITS
          if waits then
            permits = permits - WAITS
          end
          if release then
            id = -id
          end
          local place = places and places[id]
          if not places then
            for i = 1, live do
              if ids[i] == id then
                place = i
                break
              end
            end
          end
          if release then
            if place then
              if leases[place] < 0 then
                waiting = waiting - 1
              else
                held = held - weights[place]
              end
              ids[place], changed = RELEASED, true
              if places then
                places[id] = nil
              end
            end
          elseif place and leases[place] > 0 then
            -- Renewed, or acquired again under the same id.
            expiries[place], leases[place], changed = now + lease, lease, true
            granted = permits > 0 and granted + times or granted
          elseif permits > 0 then
            local before = 0
            for i = 1, waiting > 0 and (place or live + 1) - 1 or 0 do
              if leases[i] < 0 and ids[i] ~= RELEASED and (-leases[i] >= limit or held + weights[i] <= -leases[i]) then
                before = before + weights[i]
              end
            end
            local grants = held + before + permits <= limit
            local queues = not grants and waits and permits <= limit and (place or waiting < MAX_TICKETS)
            if place and grants then
              ids[place], waiting = RELEASED, waiting - 1
            end
            if grants or queues then
              changed = true
              if grants or not place then
                live = live + 1
                place = live
              end
              ids[place], weights[place] = id, permits
              if places then
                places[id] = place
              end
            end
            if grants then
              held, granted = held + permits, granted + times
              expiries[place], leases[place] = now + lease, lease
            elseif queues then
              waiting = leases[place] and waiting or waiting + 1
              expiries[place], leases[place] = now + TICKET, -limit
            end
          end
        end
      end

--[save]
      if changed and not only_peeks then
        local last, left, parts = now, 1, {string.char(9)}
        for i = 1, live do
          if ids[i] ~= RELEASED then
            left = left + 1
            if expiries[i] > last then
              last = expiries[i]
            end
            parts[left] = pack_bytes(HOLDER, ids[i], weights[i], expiries[i], leases[i])
          end
        end
        local lifetime = math.floor((last - now + 999) / 1000) + 1000
        local saved = redis_pcall('SET', key, table.concat(parts), 'PX', string.format('%.0f', lifetime))
        if saved.err then
          found, granted = '!' .. saved.err, granted_before
        end
      end
