SELECT repeat('x', 1048576) AS long
