SELECT i, r, t, b, a FROM strictly
