-- The sliding window log. Java twin: io.limiter.algorithm.SlidingLog; change both together. Its parts are inserted into
-- batch.lua.
--
-- Parameters of a limit, little-endian doubles: limit, periodMicros. Timeouts are ignored.
--
-- The script reads both encodings and writes the packed one, little-endian:
--   byte 3, or 6 if limits of several periods share it
--   entries   oldest first: the time in microseconds (a double), and the permits up to and including it (4 bytes, modulo 2^32)
--   end       three numbers of 4 bytes: the permits before the first live entry, the number of dead entries, and the expiry
--             of the key in seconds since the epoch; then LogUses: limit (4 bytes), periodMicros (a double), and after byte
--             6 otherPeriodMicros and usedMicros (doubles)
-- Dead entries are at the front. They stay dead, even if the period becomes longer. Entries that are older than the period of
-- this limit do not count here, but live as long as the longest period.
--
-- A grant overwrites the end with an entry and a new end. The live entries are written as a new value only if more than half
-- of the entries are dead, earlier permits are refunded or cancelled, or the key needs a later expiry. Dead entries need not
-- have expired: the oldest permits of more than twice the limit count to the first live entry, as far as they count. A cancellation rewrites the
-- entries after it, which are few for a recent grant.
--
-- The reply is a shorter log with the same decisions for the requests of this call. Entries hold sums, so an entry that no
-- decision depends on can be omitted, and its permits count to the next one. The reply has two ranges:
--   oldest    from the first entry whose expiry frees a permit, up to the one whose expiry frees enough for the largest
--             rejected request
--   newest    from the last entry that was not refunded, or the one before the oldest cancelled one, up to the last
-- Before them is the last entry that lives and does not count, if there is one.

--[constants]
local ENTRY, ENTRY_BYTES = '<dI4', 12
local END, END_BYTES, END_BYTES_OF_MORE = '<I4I4I4I4d', 24, 40
local FIRST_BYTE, FIRST_BYTE_OF_MORE = '\003', '\006'
local ROUND, MOST, MOST_OLD, LATEST = 2 ^ 32, 2 ^ 31 - 1, 2 ^ 30, 2 ^ 53
local SECOND = 1000000

--[limit]
  local limit, period
  limit, period, at = unpack_bytes('<dd', arg, at)

--[decide]
      -- Entries are counted from 0; the first byte of entry i is at 2 + i * ENTRY_BYTES.
      local log, size, dead, base, kept_until = value, 0, 0, 0, 0
      -- LogUses as found
      local found_limit, found_period, found_other, found_used = 0, 0, 0, 0
      local must_set, must_save = not value, false
      if log then
        if string.byte(log, 1) == 123 then
          local ok, json = pcall(cjson.decode, log)
          log = ''
          local uses = ok and type(json) == 'table' and json.uses
          if type(uses) == 'table' and type(uses.periodMicros) == 'number' and type(uses.limit) == 'number'
            and uses.limit >= 0 and uses.limit <= MOST and uses.limit % 1 == 0
            and type(uses.otherPeriodMicros) == 'number' and type(uses.usedMicros) == 'number'
            and type(json.timesMicros) == 'table' and type(json.totals) == 'table'
            and #json.timesMicros == #json.totals then
            local entries, time, total = {FIRST_BYTE}, -1, 0
            for i = 1, #json.totals do
              local later, more = json.timesMicros[i], json.totals[i]
              if not (type(later) == 'number' and type(more) == 'number' and later > time and later < LATEST
                and later % 1 == 0 and more > total and more <= MOST and more % 1 == 0) then
                entries = nil
                break
              end
              entries[i + 1] = pack_bytes(ENTRY, later, more)
              time, total = later, more
            end
            if entries then
              entries[1] = FIRST_BYTE_OF_MORE
              entries[#entries + 1] = pack_bytes(END, 0, 0, 0, uses.limit, uses.periodMicros)
                .. pack_bytes('<dd', uses.otherPeriodMicros, uses.usedMicros)
              log = table.concat(entries)
            end
          end
          must_set = true
        end
        local more = string.sub(log, 1, 1) == FIRST_BYTE_OF_MORE
        local end_bytes = more and END_BYTES_OF_MORE or END_BYTES
        size = (#log - 1 - end_bytes) / ENTRY_BYTES
        if size >= 0 and size % 1 == 0 and (more or string.sub(log, 1, 1) == FIRST_BYTE) then
          base, dead, kept_until, found_limit, found_period = unpack_bytes(END, log, #log - end_bytes + 1)
          if more then
            found_other, found_used = unpack_bytes('<dd', log, #log - 15)
          end
        else
          dead = size + 1
        end
        if not (dead <= size and found_limit <= MOST and found_period >= 0 and found_period < LATEST
          and found_other >= 0 and found_other < LATEST and found_used >= 0 and found_used < LATEST) then
          found = '!UNREADABLE'
          break
        end
      end

      local newest, total = -1, base
      if size > dead then
        newest, total = unpack_bytes(ENTRY, log, 2 + (size - 1) * ENTRY_BYTES)
        -- notAfter
        if newest > now then
          if not (newest < LATEST and newest % 1 == 0) then
            found = '!UNREADABLE'
            break
          end
          local low, high = dead, size - 1
          while low < high do
            local middle = math.floor((low + high) / 2)
            if unpack_bytes('<d', log, 2 + middle * ENTRY_BYTES) >= now then
              high = middle
            else
              low = middle + 1
            end
          end
          log = string.sub(log, 1, 1 + low * ENTRY_BYTES) .. pack_bytes(ENTRY, now, total)
          size, newest, must_set, must_save = low + 1, now, true, true
        end
      end

      -- LogUses.with
      local longest, largest_limit, other, used = period, limit, 0, 0
      if found_period > 0 then
        longest, largest_limit, other = found_period, math.max(found_limit, limit), found_other
        if period ~= longest or other > 0 then
          used = other == 0 and now or math.min(found_used, now)
          if period < longest and now - used >= longest then
            longest, other, used = other, 0, now
          end
          if period > longest then
            longest, other = period, longest
          elseif period < longest then
            other = math.max(other, period)
          end
          if period == longest then
            used = now
          end
          if other == 0 then
            used = 0
          end
        end
      end

      -- dead: entries that are not kept, the first of which counts from first on, when first_base permits are before it
      local first, first_base = dead, base
      for search = 1, size > dead and (period < longest and 2 or 1) or 0 do
        local gone = now - (search == 1 and longest or period)
        if newest <= gone then
          first, first_base = size, total
        else
          local low, high = first, size - 1
          while low < high do
            local middle = math.floor((low + high) / 2)
            local time, sum = unpack_bytes(ENTRY, log, 2 + middle * ENTRY_BYTES)
            if time > gone then
              high = middle
            else
              low, first_base = middle + 1, sum
            end
          end
          first = low
        end
        if search == 1 then
          dead, base = first, first_base
        end
      end

      -- oldest: the oldest of more than twice the largest limit become one entry
      local oldest, beyond = dead, (total - base) % ROUND - 2 * largest_limit
      if beyond > 0 and newest == now then
        local before = base
        if size - 1 > dead then
          local _, sum = unpack_bytes(ENTRY, log, 2 + (size - 2) * ENTRY_BYTES)
          before = sum
        end
        beyond = (before - base) % ROUND - 2 * largest_limit
      end
      if beyond > 0 then
        local high = size - 1
        while oldest < high do
          local middle = math.floor((oldest + high) / 2)
          local _, sum = unpack_bytes(ENTRY, log, 2 + middle * ENTRY_BYTES)
          if (sum - base) % ROUND >= beyond then
            high = middle
          else
            oldest = middle + 1
          end
        end
        if oldest > dead and oldest >= first then
          first, first_base = oldest, base
        end
        -- base of the view: of the oldest, no more than a bound are counted
        local dropped = beyond + 2 * largest_limit - MOST_OLD
        if dropped > 0 then
          if (first_base - base) % ROUND < dropped then
            first_base = base + dropped
          end
          dead, base, first_base = oldest, (base + dropped) % ROUND, first_base % ROUND
        end
      end
      -- earlier: permits that are kept and do not count. live: permits that count. least, most: their minimum and maximum
      -- during the call. kept: found permits that count and stay.
      local earlier, live = (first_base - base) % ROUND, (total - first_base) % ROUND
      local found_live, kept, least, most, largest = live, live, live, live, 0
      -- The cancelled permits by entry, their sum, and the first such entry.
      local cancelled, cancelled_all, first_cancelled = nil, 0, size
      local changed, only_peeks = must_save, true
      local permits, timeout, times, next_run = permits_1, timeout_1, times_1, run_2
      local fewest, leave, is_note = false, 0, false
      for run = 1, runs do
        --include run.lua
        if permits < 0 then
          local needed = (fewest or -permits) + leave
          if needed <= limit then
            largest = math.max(largest, needed)
          end
        elseif not is_note then
          only_peeks = false
          if timeout == REFUND then
            if live > 0 then
              live, changed = math.max(0, live - permits * times), true
              kept, least = math.min(kept, live), math.min(least, live)
            end
          elseif timeout < CHARGE then
            cancelled = cancelled or {}
            local ticket, returned = CHARGE - timeout, permits * times
            if ticket == now and live > kept then
              local added = math.min(returned, live - kept)
              live, returned, changed = live - added, returned - added, true
            end
            -- permitsAt
            local low, high = first, size
            while low < high do
              local middle = math.floor((low + high) / 2)
              if unpack_bytes('<d', log, 2 + middle * ENTRY_BYTES) >= ticket then
                high = middle
              else
                low = middle + 1
              end
            end
            if low < size and unpack_bytes('<d', log, 2 + low * ENTRY_BYTES) == ticket then
              local _, sum = unpack_bytes(ENTRY, log, 2 + low * ENTRY_BYTES)
              local until_it, before = (sum - base) % ROUND, 0
              if low > oldest then
                local _, before_it = unpack_bytes(ENTRY, log, 2 + (low - 1) * ENTRY_BYTES)
                before = (before_it - base) % ROUND
              end
              until_it = until_it - (cancelled[low] or 0)
              if kept < found_live - cancelled_all then
                -- This call refunded the newest permits.
                local gone_before = 0
                for entry, gone in pairs(cancelled) do
                  gone_before = entry < low and gone_before + gone or gone_before
                end
                until_it, before = math.min(until_it - gone_before, earlier + kept), before - gone_before
              end
              returned = math.min(returned, until_it - before)
              if returned > 0 then
                live, kept, changed = live - returned, kept - returned, true
                cancelled[low] = (cancelled[low] or 0) + returned
                cancelled_all, first_cancelled = cancelled_all + returned, math.min(first_cancelled, low)
              end
            end
            least = math.min(least, live)
          elseif timeout == CHARGE then
            local charged = math.min(live + permits * times, MOST - earlier)
            live, changed = charged, changed or charged ~= live
            most = math.max(most, live)
          else
            -- After one rejection, all equal requests are rejected.
            local free, needed = limit - live - leave, (fewest or permits) + leave
            local fit = math.max(0, math.min(times, math.floor(free / permits)))
            local taken = fit * permits
            if fewest and fit < times and free - taken >= fewest then
              taken, fit = free, fit + 1
            end
            if fit > 0 then
              live, granted, changed = live + taken, granted + fit, true
              most = math.max(most, live)
            end
            if fit < times and needed <= limit then
              largest = math.max(largest, needed)
            end
          end
        end
      end

      -- entryOf: for the last permit that was not refunded, the first one whose expiry frees a permit, and the last one that
      -- must expire for the largest rejected request.
      local last_kept, first_short, last_short = size - 1, first, first - 1
      local short = largest > 0 and size > first and most + largest - limit or 0
      for search = kept < found_live and 1 or 2, short > 0 and 3 or 1 do
        local wanted = search == 1 and earlier + kept or search == 2 and least + 1 - limit or short
        if search == 1 or wanted > 0 then
          local low, high = search == 1 and dead or first, size - 1
          wanted = search == 1 and wanted or earlier + wanted
          while low < high do
            local middle = math.floor((low + high) / 2)
            local _, sum = unpack_bytes(ENTRY, log, 2 + middle * ENTRY_BYTES)
            if (sum - base) % ROUND >= wanted then
              high = middle
            else
              low = middle + 1
            end
          end
          if search == 1 then
            last_kept = low
          elseif search == 2 then
            first_short = low
          else
            last_short = low
          end
        end
      end
      if value then
        local newest_from = math.max(first, math.min(last_kept, first_cancelled - 1))
        if newest_from < first_short then
          first_short, last_short = newest_from, newest_from - 1
        end
        local first_replied = first_short <= last_short and first_short or newest_from
        if first_replied > first and first_replied < size - 1
          and not (unpack_bytes('<d', log, 2 + first_replied * ENTRY_BYTES) > now - period) then
          -- Entries that are not in order: for the caller, this one would be dead.
          found, granted = '!UNREADABLE', granted_before
          break
        end
        found = (found_other > 0 and FIRST_BYTE_OF_MORE or FIRST_BYTE)
          .. (earlier > 0 and string.sub(log, 2 + (first - 1) * ENTRY_BYTES, 1 + first * ENTRY_BYTES) or '')
          .. string.sub(log, 2 + first_short * ENTRY_BYTES, 1 + (last_short + 1) * ENTRY_BYTES)
          .. string.sub(log, 2 + math.max(newest_from, last_short + 1) * ENTRY_BYTES, 1 + size * ENTRY_BYTES)
          .. pack_bytes(END, base, 0, 0, found_limit, found_period)
          .. (found_other > 0 and pack_bytes('<dd', found_other, found_used) or '')
        again = value
      end

--[save]
      if changed and not only_peeks then
        -- replaced
        dead, last_kept = oldest, math.max(last_kept, oldest)
        local now_entry = live > kept and pack_bytes(ENTRY, now, (base + earlier + live) % ROUND) or ''
        local first_byte, uses = FIRST_BYTE, pack_bytes('<I4d', largest_limit, longest)
        if other > 0 then
          first_byte, uses = FIRST_BYTE_OF_MORE, uses .. pack_bytes('<dd', other, used)
        end
        local all_kept = earlier + kept
        local saved
        if must_set or string.sub(log, 1, 1) ~= first_byte or kept < found_live or dead * 2 > size
          or kept_until * SECOND < now + longest + SECOND then
          local entries = ''
          if all_kept > 0 and last_kept >= first_cancelled then
            -- without
            local parts, before, gone = {string.sub(log, 2 + dead * ENTRY_BYTES, 1 + first_cancelled * ENTRY_BYTES)}, 0, 0
            if first_cancelled > dead then
              local _, sum = unpack_bytes(ENTRY, log, 2 + (first_cancelled - 1) * ENTRY_BYTES)
              before = (sum - base) % ROUND
            end
            for entry = first_cancelled, size - 1 do
              local time, sum = unpack_bytes(ENTRY, log, 2 + entry * ENTRY_BYTES)
              gone = gone + (cancelled[entry] or 0)
              local left = math.min(all_kept, (sum - base) % ROUND - gone)
              if left > before and (time ~= now or live == kept) then
                parts[#parts + 1] = pack_bytes(ENTRY, time, (base + left) % ROUND)
                before = left
              end
            end
            entries = table.concat(parts)
          elseif all_kept > 0 then
            local time = unpack_bytes('<d', log, 2 + last_kept * ENTRY_BYTES)
            entries = string.sub(log, 2 + dead * ENTRY_BYTES, 1 + last_kept * ENTRY_BYTES)
            if time ~= now or live == kept then
              entries = entries .. pack_bytes(ENTRY, time, (base + all_kept) % ROUND)
            end
          end
          -- Longer than necessary, so that the next grants need no new expiry.
          local keep = math.ceil(2 * longest / 1000) + 10000
          saved = redis_pcall(
            'SET', key, first_byte .. entries .. now_entry
              .. pack_bytes('<I4I4I4', base, 0, math.floor((now / 1000 + keep) / 1000)) .. uses,
            'PX', string.format('%.0f', keep))
        else
          local joins = live > kept and newest == now
          saved = redis_pcall(
            'SETRANGE', key, 1 + (joins and size - 1 or size) * ENTRY_BYTES,
            now_entry .. pack_bytes('<I4I4I4', base, dead, kept_until) .. uses)
        end
        if type(saved) == 'table' and saved.err then
          found, granted = '!' .. saved.err, granted_before
        end
      end
