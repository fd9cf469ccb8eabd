SELECT id, d, dt, dt6, ts FROM {types}.moments ORDER BY id
