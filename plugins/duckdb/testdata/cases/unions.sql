SELECT * FROM (VALUES (union_value(num := 1)::UNION(num INTEGER, str VARCHAR)), (union_value(str := 'x')), (union_value(num := NULL::INTEGER)), (NULL)) t(either)
