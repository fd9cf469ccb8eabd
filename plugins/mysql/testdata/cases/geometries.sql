SELECT id, g FROM {types}.geometries ORDER BY id
