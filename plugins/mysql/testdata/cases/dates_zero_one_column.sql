SELECT id, d FROM {types}.moments WHERE d > 0 AND id <> 5 ORDER BY id
