SELECT '1 year 2 mons 3 days 04:05:06.789'::interval AS long, '-1 day'::interval AS back, '90 minutes'::interval hour to minute AS part,
  '1.5 seconds'::interval second(1) AS tenth, NULL::interval AS missing
