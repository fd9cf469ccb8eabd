SELECT n.a, n.b FROM nests ORDER BY id
