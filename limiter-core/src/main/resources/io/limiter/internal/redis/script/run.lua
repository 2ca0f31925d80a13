-- Reads the next run of requests, and what the one before it says about it; see batch.lua.
          if run > 1 then
            fewest, leave = is_note and permits, is_note and timeout or 0
            permits, timeout, times, next_run = unpack_bytes('<ddI4', arg, next_run)
          end
          is_note = times == 0
