SELECT name, [name] AS list FROM low_null ORDER BY id
