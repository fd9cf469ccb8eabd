SELECT id, day, amount, 1 + 1 AS n FROM kinds WHERE id < 0
