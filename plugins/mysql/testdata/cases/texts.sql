SELECT * FROM {types}.texts ORDER BY id
