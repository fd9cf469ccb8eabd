SELECT arrayJoin([1::Variant(Array(UInt8), String, UInt8), 'x'::Variant(Array(UInt8), String, UInt8), [1, 2]::Variant(Array(UInt8), String, UInt8), NULL]) AS v
