SELECT '{1,NULL,9007199254740993}'::int8[] AS big, '{{1,2},{3,4}}'::int4[][] AS grid, '[2:3]={5,6}'::int2[] AS shifted, '{}'::text[] AS none,
  ARRAY['a"b', 'c\d', 'e,f', '{g}', '', NULL, 'NULL', E'tab\t'] AS texts, '{1.50,NaN}'::numeric(10,2)[] AS decimals, '{0.1,NaN,-Infinity,1e+20}'::float8[] AS floats,
  '{t,f,NULL}'::bool[] AS flags, ARRAY['\x00ff'::bytea] AS bytes, '{2024-02-29,infinity,"0044-03-15 BC",12024-01-01}'::date[] AS days,
  ARRAY['2024-02-29 12:30:00.5+02'::timestamptz] AS instants, ARRAY['2024-02-29 12:30:00'::timestamp] AS clocks,
  ARRAY['{"a": [1, 2]}'::jsonb, 'null'] AS documents, ARRAY['(1,2),(3,4)'::box, '(5,6),(7,8)'::box] AS boxes, NULL::int[] AS missing, '1 2 3'::int2vector AS vector
