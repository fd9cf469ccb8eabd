SELECT * FROM {types}.zerofills
