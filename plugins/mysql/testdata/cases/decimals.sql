SELECT * FROM {types}.decimals ORDER BY id
