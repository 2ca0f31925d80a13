--[constants]
--[limit]
local permits_1, timeout_1, times_1, run_2 = unpack_bytes('<ddI4', arg, at)
at = at + 20
--[decide]
if saves then
--[save]
end
