SELECT '[1,5)'::int4range AS ints, '[2024-01-01,)'::daterange AS open, 'empty'::numrange AS none, '(,)'::int8range AS "all",
  '["2024-01-01 00:00:00+00",infinity]'::tstzrange AS times, '{[1,3),[5,9]}'::nummultirange AS several, '{}'::int4multirange AS nothing,
  textrange('a"b', 'c,d\e', '[]') AS texts, textmultirange(textrange('a]"', 'b)'), textrange('c', 'd')) AS text_parts, NULL::int4range AS missing
