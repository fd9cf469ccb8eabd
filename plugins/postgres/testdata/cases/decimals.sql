SELECT money::numeric(38,10), free, unsigned, whole::numeric(5,0) FROM (VALUES
  (12.50::numeric(38,10), '-12345678901234567890123456789012345678.000000001'::numeric, '18446744073709551615'::xid8, 5::numeric(5,0)),
  ('NaN', 'NaN', '0', NULL),
  (-0.0000000001, 'Infinity', '1', 99999),
  (NULL, '-Infinity', NULL, 0),
  (0, 1e-20, NULL, -1)) AS t (money, free, unsigned, whole)
