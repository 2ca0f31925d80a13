--[constants]
local permits_1, timeout_1, times_1, run_2 = unpack_bytes('<i4dI4', arg, at)
at = at + 16
--[limit]
--[decide]
if saves then
--[save]
end
