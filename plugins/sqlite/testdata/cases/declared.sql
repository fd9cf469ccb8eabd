SELECT id, yes, day, stamp, zoned, amount, ratio, small, label, raw, doc, any FROM kinds ORDER BY id
