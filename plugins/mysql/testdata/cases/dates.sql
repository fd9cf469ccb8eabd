SELECT * FROM {types}.moments WHERE id < 4 ORDER BY id
