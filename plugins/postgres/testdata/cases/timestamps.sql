SELECT plain, instant, millis::timestamp(3) FROM (VALUES
  ('2024-02-29 12:30:00'::timestamp, '2024-02-29 12:30:00+02'::timestamptz, '2024-01-01 00:00:00.123'::timestamp(3)),
  ('1969-12-31 23:59:59.999999', '1969-12-31 23:59:59.999999+00', '2024-01-01'),
  ('infinity', '-infinity', NULL), ('-infinity', 'infinity', NULL),
  ('0044-03-15 12:00:00 BC', '4713-01-01 00:00:00+00 BC', NULL),
  ('294246-12-31 23:59:59.999999', '12024-01-01 00:00:00-05', NULL), (NULL, NULL, NULL)) AS t (plain, instant, millis)
