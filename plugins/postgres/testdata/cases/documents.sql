SELECT '{"a": 1.50, "b": [null, "x"], "a": 2}'::json AS text, '{"b": [null, 9007199254740993], "a": 1.50}'::jsonb AS binary,
  'null'::jsonb AS json_null, NULL::jsonb AS missing
