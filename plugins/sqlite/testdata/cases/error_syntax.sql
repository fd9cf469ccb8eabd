SELECT id,
  FROM kinds
