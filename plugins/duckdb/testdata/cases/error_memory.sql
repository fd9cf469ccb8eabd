SELECT count(*) FROM (SELECT DISTINCT i, repeat('x', 500) || i AS s FROM range(3000000) t(i))
