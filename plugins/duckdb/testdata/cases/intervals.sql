SELECT * FROM (VALUES
  (INTERVAL '1 year 2 months 3 days 04:05:06.789'), (INTERVAL '-1 months'), (INTERVAL '2 years'), (INTERVAL 0 DAY), (INTERVAL '-00:00:00.5'), (INTERVAL '-1 day 100 hours'), (INTERVAL '14 months -1 days 00:00:01'), (NULL)) t(span)
