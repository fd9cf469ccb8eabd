SELECT * FROM {types}.floats ORDER BY id
