SELECT toDateTime64('1969-12-31 23:59:59.999999999', 9, 'UTC') AS before, toDateTime64('1960-01-01 00:00:00.0000001', 7, 'UTC') AS old,
  toDateTime64('2024-02-29 10:30:00.12345678', 8, 'Europe/Berlin') AS berlin, CAST(NULL, 'Nullable(DateTime64(9, ''UTC''))') AS none,
  [toDateTime64('1969-12-31 23:59:59.999999999', 9, 'UTC'), toDateTime64('2024-01-01 00:00:00', 9, 'UTC')] AS list
