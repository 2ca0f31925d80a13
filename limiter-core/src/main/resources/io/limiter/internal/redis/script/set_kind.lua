--[limit]
local permits_1, timeout_1, times_1, run_2 = unpack_bytes('<ddI4', arg, at)
at = at + 20 * runs
--[decide]
is_saved = saves or saved_with and (granted == saved_with or granted == 0)
if is_saved then
--[save]
end
