SELECT clock, millis::time(3), zoned FROM (VALUES
  ('12:30:00.000001'::time, '00:00:00'::time(3), '12:30:00+02'::timetz),
  ('23:59:59.999999', '01:02:03.456', '00:00:00.5-11:30'), (NULL, NULL, NULL)) AS t (clock, millis, zoned)
