SELECT id,
  name FROM WHERE x
