SELECT * FROM {types}.integers ORDER BY id
