SELECT g AS place, [g] AS places FROM (VALUES ('POINT (1 2)'::GEOMETRY), ('POLYGON ((0 0, 1 0, 1 1, 0 0))'::GEOMETRY), (NULL)) t(g)
