SELECT whole, part, word, raw FROM kinds ORDER BY rowid
