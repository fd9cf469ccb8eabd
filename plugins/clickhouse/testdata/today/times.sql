SELECT toDate32('1900-01-01') AS early, toDate32('2299-12-31') AS late, toDateTime64('1969-12-31 23:59:59.999', 3, 'UTC') AS before,
  toDateTime64('2024-02-29 12:30:00.123456', 6, 'Europe/Berlin') AS berlin, toDateTime64('2024-02-29 10:30:00.123456789', 9, 'UTC') AS nanos,
  toTime('12:34:56') AS clock, toTime64('-100:00:01.5', 3) AS long, toTime64('00:00:01.123456789', 9) AS fine, toDateTime64('1960-01-01 00:00:00', 0, 'UTC') AS whole
