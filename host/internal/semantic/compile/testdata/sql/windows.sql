-- bigquery
WITH `periods` AS (
  SELECT `periods`.period AS `period`, DATE_ADD(`periods`.period, INTERVAL 1 DAY) AS `until`, DATE_ADD(DATE_ADD(`periods`.period, INTERVAL 1 DAY), INTERVAL -3 DAY) AS `since`
  FROM (SELECT period FROM UNNEST(GENERATE_DATE_ARRAY(CAST('2024-01-31' AS DATE), CAST('2024-02-04' AS DATE), INTERVAL 1 DAY)) AS period) AS `periods`
),
`orders_by_day` AS (
  SELECT CAST(`orders`.`day` AS DATE) AS `day_2`, `orders`.`status` AS `status`, SUM(`orders`.`amount`) AS `revenue`
  FROM `orders`
  WHERE `orders`.`day` >= CAST('2024-01-01' AS DATE) AND `orders`.`day` < CAST('2024-02-05' AS DATE)
  GROUP BY CAST(`orders`.`day` AS DATE), `orders`.`status`
),
`orders_in_windows` AS (
  SELECT `periods`.`period` AS `day_day`, `orders_by_day`.`status` AS `status`, `orders_by_day`.`revenue` AS `revenue`
  FROM `periods` JOIN `orders_by_day` ON `orders_by_day`.`day_2` >= `periods`.`since` AND `orders_by_day`.`day_2` < `periods`.`until`
),
`orders_by_day_day_and_status` AS (
  SELECT `parts`.`day_day` AS `day_day`, `parts`.`status` AS `status`, SUM(`parts`.`revenue`) AS `revenue`
  FROM (SELECT `orders_in_windows`.`day_day` AS `day_day`, `orders_in_windows`.`status` AS `status`, `orders_in_windows`.`revenue` AS `revenue` FROM `orders_in_windows`
UNION ALL SELECT `periods`.`period` AS `day_day`, `orders_in_windows_2`.`status` AS `status`, (SELECT MAX(`orders_in_windows`.`revenue`) FROM `orders_in_windows` WHERE 1 = 0) AS `revenue` FROM `periods` CROSS JOIN (SELECT DISTINCT `orders_in_windows`.`status` AS `status` FROM `orders_in_windows`) AS `orders_in_windows_2`) AS `parts`
  GROUP BY `parts`.`day_day`, `parts`.`status`
),
`orders_by_period` AS (
  SELECT CASE WHEN `orders_by_day`.`day_2` < CAST('2024-01-31' AS DATE) THEN CAST('2024-01-31' AS DATE) ELSE `orders_by_day`.`day_2` END AS `day_day`, `orders_by_day`.`status` AS `status`, `orders_by_day`.`revenue` AS `revenue`
  FROM `orders_by_day`
),
`orders_by_day_day_and_status_2` AS (
  SELECT `parts_3`.`day_day` AS `day_day`, `parts_3`.`status` AS `status`, `parts_3`.`revenue` AS `revenue`
  FROM (SELECT `parts_2`.`day_day` AS `day_day`, `parts_2`.`status` AS `status`, `parts_2`.`value` AS `value`, SUM(`parts_2`.`value`) OVER (PARTITION BY `parts_2`.`status`, DATE_TRUNC(CAST(`parts_2`.`day_day` AS DATE), MONTH) ORDER BY `parts_2`.`day_day` ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS `revenue` FROM (SELECT `parts`.`day_day` AS `day_day`, `parts`.`status` AS `status`, SUM(`parts`.`revenue`) AS `value` FROM (SELECT `orders_by_period`.`day_day` AS `day_day`, `orders_by_period`.`status` AS `status`, `orders_by_period`.`revenue` AS `revenue` FROM `orders_by_period`
UNION ALL SELECT `periods`.period AS `day_day`, `orders_by_period_2`.`status` AS `status`, (SELECT MAX(`orders_by_period`.`revenue`) FROM `orders_by_period` WHERE 1 = 0) AS `revenue` FROM (SELECT period FROM UNNEST(GENERATE_DATE_ARRAY(CAST('2024-01-31' AS DATE), CAST('2024-02-04' AS DATE), INTERVAL 1 DAY)) AS period) AS `periods` CROSS JOIN (SELECT DISTINCT `orders_by_period`.`status` AS `status` FROM `orders_by_period`) AS `orders_by_period_2`) AS `parts` GROUP BY `parts`.`day_day`, `parts`.`status`) AS `parts_2`) AS `parts_3`
)
SELECT `parts`.`day_day` AS `day_day`, `parts`.`status` AS `status`, MAX(`parts`.`revenue`) AS `revenue_3d`, MAX(`parts`.`revenue_2`) AS `revenue_mtd`
FROM (SELECT `orders_by_day_day_and_status`.`day_day` AS `day_day`, `orders_by_day_day_and_status`.`status` AS `status`, `orders_by_day_day_and_status`.`revenue` AS `revenue`, (SELECT MAX(`orders_by_day_day_and_status_2`.`revenue`) FROM `orders_by_day_day_and_status_2` WHERE 1 = 0) AS `revenue_2` FROM `orders_by_day_day_and_status`
UNION ALL SELECT `orders_by_day_day_and_status_2`.`day_day` AS `day_day`, `orders_by_day_day_and_status_2`.`status` AS `status`, (SELECT MAX(`orders_by_day_day_and_status`.`revenue`) FROM `orders_by_day_day_and_status` WHERE 1 = 0) AS `revenue`, `orders_by_day_day_and_status_2`.`revenue` AS `revenue_2` FROM `orders_by_day_day_and_status_2`) AS `parts`
GROUP BY `parts`.`day_day`, `parts`.`status`
ORDER BY `parts`.`day_day` ASC NULLS LAST, `parts`.`status` ASC NULLS LAST
LIMIT 1000

-- clickhouse
WITH `periods` AS (
  SELECT `periods`.period AS `period`, addDays(`periods`.period, 1) AS `until`, addDays(addDays(`periods`.period, 1), -3) AS `since`
  FROM (SELECT addDays(toDate32('2024-01-31'), number) AS period FROM numbers(toUInt64(ifNull(greatest(dateDiff('day', toDate32('2024-01-31'), toDate32('2024-02-04')) + 1, 0), 0)))) AS `periods`
),
`orders_by_day` AS (
  SELECT toDate32(`orders`.`day`) AS `day_2`, `orders`.`status` AS `status`, sumOrNull(toNullable(`orders`.`amount`)) AS `revenue`
  FROM `orders`
  WHERE `orders`.`day` >= toDate32('2024-01-01') AND `orders`.`day` < toDate32('2024-02-05')
  GROUP BY toDate32(`orders`.`day`), `orders`.`status`
),
`orders_in_windows` AS (
  SELECT `periods`.`period` AS `day_day`, `orders_by_day`.`status` AS `status`, `orders_by_day`.`revenue` AS `revenue`
  FROM `periods` JOIN `orders_by_day` ON `orders_by_day`.`day_2` >= `periods`.`since` AND `orders_by_day`.`day_2` < `periods`.`until`
),
`orders_by_day_day_and_status` AS (
  SELECT `parts`.`day_day` AS `day_day`, `parts`.`status` AS `status`, sumOrNull(`parts`.`revenue`) AS `revenue`
  FROM (SELECT `orders_in_windows`.`day_day` AS `day_day`, `orders_in_windows`.`status` AS `status`, `orders_in_windows`.`revenue` AS `revenue` FROM `orders_in_windows`
UNION ALL SELECT `periods`.`period` AS `day_day`, `orders_in_windows_2`.`status` AS `status`, (SELECT MAX(`orders_in_windows`.`revenue`) FROM `orders_in_windows` WHERE 1 = 0) AS `revenue` FROM `periods` CROSS JOIN (SELECT DISTINCT `orders_in_windows`.`status` AS `status` FROM `orders_in_windows`) AS `orders_in_windows_2`) AS `parts`
  GROUP BY `parts`.`day_day`, `parts`.`status`
),
`orders_by_period` AS (
  SELECT CASE WHEN `orders_by_day`.`day_2` < toDate32('2024-01-31') THEN toDate32('2024-01-31') ELSE `orders_by_day`.`day_2` END AS `day_day`, `orders_by_day`.`status` AS `status`, `orders_by_day`.`revenue` AS `revenue`
  FROM `orders_by_day`
),
`orders_by_day_day_and_status_2` AS (
  SELECT `parts_3`.`day_day` AS `day_day`, `parts_3`.`status` AS `status`, `parts_3`.`revenue` AS `revenue`
  FROM (SELECT `parts_2`.`day_day` AS `day_day`, `parts_2`.`status` AS `status`, `parts_2`.`value` AS `value`, SUM(`parts_2`.`value`) OVER (PARTITION BY `parts_2`.`status`, makeDate32(toYear(`parts_2`.`day_day`), toMonth(`parts_2`.`day_day`), 1) ORDER BY `parts_2`.`day_day` ASC NULLS LAST ROWS UNBOUNDED PRECEDING) AS `revenue` FROM (SELECT `parts`.`day_day` AS `day_day`, `parts`.`status` AS `status`, sumOrNull(`parts`.`revenue`) AS `value` FROM (SELECT `orders_by_period`.`day_day` AS `day_day`, `orders_by_period`.`status` AS `status`, `orders_by_period`.`revenue` AS `revenue` FROM `orders_by_period`
UNION ALL SELECT `periods`.period AS `day_day`, `orders_by_period_2`.`status` AS `status`, (SELECT MAX(`orders_by_period`.`revenue`) FROM `orders_by_period` WHERE 1 = 0) AS `revenue` FROM (SELECT addDays(toDate32('2024-01-31'), number) AS period FROM numbers(toUInt64(ifNull(greatest(dateDiff('day', toDate32('2024-01-31'), toDate32('2024-02-04')) + 1, 0), 0)))) AS `periods` CROSS JOIN (SELECT DISTINCT `orders_by_period`.`status` AS `status` FROM `orders_by_period`) AS `orders_by_period_2`) AS `parts` GROUP BY `parts`.`day_day`, `parts`.`status`) AS `parts_2`) AS `parts_3`
)
SELECT `parts`.`day_day` AS `day_day`, `parts`.`status` AS `status`, maxOrNull(`parts`.`revenue`) AS `revenue_3d`, maxOrNull(`parts`.`revenue_2`) AS `revenue_mtd`
FROM (SELECT `orders_by_day_day_and_status`.`day_day` AS `day_day`, `orders_by_day_day_and_status`.`status` AS `status`, `orders_by_day_day_and_status`.`revenue` AS `revenue`, (SELECT MAX(`orders_by_day_day_and_status_2`.`revenue`) FROM `orders_by_day_day_and_status_2` WHERE 1 = 0) AS `revenue_2` FROM `orders_by_day_day_and_status`
UNION ALL SELECT `orders_by_day_day_and_status_2`.`day_day` AS `day_day`, `orders_by_day_day_and_status_2`.`status` AS `status`, (SELECT MAX(`orders_by_day_day_and_status`.`revenue`) FROM `orders_by_day_day_and_status` WHERE 1 = 0) AS `revenue`, `orders_by_day_day_and_status_2`.`revenue` AS `revenue_2` FROM `orders_by_day_day_and_status_2`) AS `parts`
GROUP BY `parts`.`day_day`, `parts`.`status`
ORDER BY `parts`.`day_day` ASC NULLS LAST, `parts`.`status` ASC NULLS LAST
LIMIT 1000

-- duckdb
WITH "periods" AS (
  SELECT "periods".period AS "period", CAST("periods".period + INTERVAL (1) day AS DATE) AS "until", CAST(CAST("periods".period + INTERVAL (1) day AS DATE) + INTERVAL (-3) day AS DATE) AS "since"
  FROM (SELECT CAST(unnest(generate_series(CAST('2024-01-31' AS DATE), CAST('2024-02-04' AS DATE), INTERVAL 1 day)) AS DATE) AS period) AS "periods"
),
"orders_by_day" AS (
  SELECT CAST(date_trunc('day', "orders"."day") AS DATE) AS "day_2", "orders"."status" AS "status", SUM("orders"."amount") AS "revenue"
  FROM "orders"
  WHERE "orders"."day" >= CAST('2024-01-01' AS DATE) AND "orders"."day" < CAST('2024-02-05' AS DATE)
  GROUP BY CAST(date_trunc('day', "orders"."day") AS DATE), "orders"."status"
),
"orders_in_windows" AS (
  SELECT "periods"."period" AS "day_day", "orders_by_day"."status" AS "status", "orders_by_day"."revenue" AS "revenue"
  FROM "periods" JOIN "orders_by_day" ON "orders_by_day"."day_2" >= "periods"."since" AND "orders_by_day"."day_2" < "periods"."until"
),
"orders_by_day_day_and_status" AS (
  SELECT "parts"."day_day" AS "day_day", "parts"."status" AS "status", SUM("parts"."revenue") AS "revenue"
  FROM (SELECT "orders_in_windows"."day_day" AS "day_day", "orders_in_windows"."status" AS "status", "orders_in_windows"."revenue" AS "revenue" FROM "orders_in_windows"
UNION ALL SELECT "periods"."period" AS "day_day", "orders_in_windows_2"."status" AS "status", (SELECT MAX("orders_in_windows"."revenue") FROM "orders_in_windows" WHERE 1 = 0) AS "revenue" FROM "periods" CROSS JOIN (SELECT DISTINCT "orders_in_windows"."status" AS "status" FROM "orders_in_windows") AS "orders_in_windows_2") AS "parts"
  GROUP BY "parts"."day_day", "parts"."status"
),
"orders_by_period" AS (
  SELECT CASE WHEN "orders_by_day"."day_2" < CAST('2024-01-31' AS DATE) THEN CAST('2024-01-31' AS DATE) ELSE "orders_by_day"."day_2" END AS "day_day", "orders_by_day"."status" AS "status", "orders_by_day"."revenue" AS "revenue"
  FROM "orders_by_day"
),
"orders_by_day_day_and_status_2" AS (
  SELECT "parts_3"."day_day" AS "day_day", "parts_3"."status" AS "status", "parts_3"."revenue" AS "revenue"
  FROM (SELECT "parts_2"."day_day" AS "day_day", "parts_2"."status" AS "status", "parts_2"."value" AS "value", SUM("parts_2"."value") OVER (PARTITION BY "parts_2"."status", CAST(date_trunc('month', "parts_2"."day_day") AS DATE) ORDER BY "parts_2"."day_day" ASC NULLS LAST ROWS UNBOUNDED PRECEDING) AS "revenue" FROM (SELECT "parts"."day_day" AS "day_day", "parts"."status" AS "status", SUM("parts"."revenue") AS "value" FROM (SELECT "orders_by_period"."day_day" AS "day_day", "orders_by_period"."status" AS "status", "orders_by_period"."revenue" AS "revenue" FROM "orders_by_period"
UNION ALL SELECT "periods".period AS "day_day", "orders_by_period_2"."status" AS "status", (SELECT MAX("orders_by_period"."revenue") FROM "orders_by_period" WHERE 1 = 0) AS "revenue" FROM (SELECT CAST(unnest(generate_series(CAST('2024-01-31' AS DATE), CAST('2024-02-04' AS DATE), INTERVAL 1 day)) AS DATE) AS period) AS "periods" CROSS JOIN (SELECT DISTINCT "orders_by_period"."status" AS "status" FROM "orders_by_period") AS "orders_by_period_2") AS "parts" GROUP BY "parts"."day_day", "parts"."status") AS "parts_2") AS "parts_3"
)
SELECT "parts"."day_day" AS "day_day", "parts"."status" AS "status", MAX("parts"."revenue") AS "revenue_3d", MAX("parts"."revenue_2") AS "revenue_mtd"
FROM (SELECT "orders_by_day_day_and_status"."day_day" AS "day_day", "orders_by_day_day_and_status"."status" AS "status", "orders_by_day_day_and_status"."revenue" AS "revenue", (SELECT MAX("orders_by_day_day_and_status_2"."revenue") FROM "orders_by_day_day_and_status_2" WHERE 1 = 0) AS "revenue_2" FROM "orders_by_day_day_and_status"
UNION ALL SELECT "orders_by_day_day_and_status_2"."day_day" AS "day_day", "orders_by_day_day_and_status_2"."status" AS "status", (SELECT MAX("orders_by_day_day_and_status"."revenue") FROM "orders_by_day_day_and_status" WHERE 1 = 0) AS "revenue", "orders_by_day_day_and_status_2"."revenue" AS "revenue_2" FROM "orders_by_day_day_and_status_2") AS "parts"
GROUP BY "parts"."day_day", "parts"."status"
ORDER BY "parts"."day_day" ASC NULLS LAST, "parts"."status" ASC NULLS LAST
LIMIT 1000

-- mysql
WITH `periods` AS (
  SELECT `periods`.period AS `period`, DATE_ADD(`periods`.period, INTERVAL 1 DAY) AS `until`, DATE_ADD(DATE_ADD(`periods`.period, INTERVAL 1 DAY), INTERVAL -3 DAY) AS `since`
  FROM (SELECT DATE_ADD(b.lo, INTERVAL n.i - 1 DAY) AS period FROM (SELECT DATE '2024-01-31' AS lo, DATE '2024-02-04' AS hi) AS b JOIN JSON_TABLE(CONCAT('[0', REPEAT(',0', TIMESTAMPDIFF(DAY, b.lo, b.hi)), ']'), '$[*]' COLUMNS (i FOR ORDINALITY)) AS n WHERE b.lo <= b.hi) AS `periods`
),
`orders_by_day` AS (
  SELECT `orders_2`.`day_2` AS `day`, `orders_2`.`status` AS `status`, SUM(`orders_2`.`revenue`) AS `revenue`
  FROM (SELECT DATE(`orders`.`day`) AS `day_2`, `orders`.`status` AS `status`, `orders`.`amount` AS `revenue` FROM `orders` WHERE `orders`.`day` >= DATE '2024-01-01' AND `orders`.`day` < DATE '2024-02-05') AS `orders_2`
  GROUP BY `orders_2`.`day_2`, `orders_2`.`status`
),
`orders_in_windows` AS (
  SELECT `periods`.`period` AS `day_day`, `orders_by_day`.`status` AS `status`, `orders_by_day`.`revenue` AS `revenue`
  FROM `periods` JOIN `orders_by_day` ON `orders_by_day`.`day` >= `periods`.`since` AND `orders_by_day`.`day` < `periods`.`until`
),
`orders_by_day_day_and_status` AS (
  SELECT `parts`.`day_day` AS `day_day`, `parts`.`status` AS `status`, SUM(`parts`.`revenue`) AS `revenue`
  FROM (SELECT `orders_in_windows`.`day_day` AS `day_day`, `orders_in_windows`.`status` AS `status`, `orders_in_windows`.`revenue` AS `revenue` FROM `orders_in_windows`
UNION ALL SELECT `periods`.`period` AS `day_day`, `orders_in_windows_2`.`status` AS `status`, (SELECT MAX(`orders_in_windows`.`revenue`) FROM `orders_in_windows` WHERE 1 = 0) AS `revenue` FROM `periods` CROSS JOIN (SELECT DISTINCT `orders_in_windows`.`status` AS `status` FROM `orders_in_windows`) AS `orders_in_windows_2`) AS `parts`
  GROUP BY `parts`.`day_day`, `parts`.`status`
),
`orders_by_period` AS (
  SELECT CASE WHEN `orders_by_day`.`day` < DATE '2024-01-31' THEN DATE '2024-01-31' ELSE `orders_by_day`.`day` END AS `day_day`, `orders_by_day`.`status` AS `status`, `orders_by_day`.`revenue` AS `revenue`
  FROM `orders_by_day`
),
`orders_by_day_day_and_status_2` AS (
  SELECT `parts_3`.`day_day` AS `day_day`, `parts_3`.`status` AS `status`, `parts_3`.`revenue` AS `revenue`
  FROM (SELECT `parts_2`.`day_day` AS `day_day`, `parts_2`.`status` AS `status`, `parts_2`.`value` AS `value`, SUM(`parts_2`.`value`) OVER (PARTITION BY `parts_2`.`status`, CAST(DATE_FORMAT(`parts_2`.`day_day`, '%Y-%m-01') AS DATE) ORDER BY `parts_2`.`day_day` ASC ROWS UNBOUNDED PRECEDING) AS `revenue` FROM (SELECT `parts`.`day_day` AS `day_day`, `parts`.`status` AS `status`, SUM(`parts`.`revenue`) AS `value` FROM (SELECT `orders_by_period`.`day_day` AS `day_day`, `orders_by_period`.`status` AS `status`, `orders_by_period`.`revenue` AS `revenue` FROM `orders_by_period`
UNION ALL SELECT `periods`.period AS `day_day`, `orders_by_period_2`.`status` AS `status`, (SELECT MAX(`orders_by_period`.`revenue`) FROM `orders_by_period` WHERE 1 = 0) AS `revenue` FROM (SELECT DATE_ADD(b.lo, INTERVAL n.i - 1 DAY) AS period FROM (SELECT DATE '2024-01-31' AS lo, DATE '2024-02-04' AS hi) AS b JOIN JSON_TABLE(CONCAT('[0', REPEAT(',0', TIMESTAMPDIFF(DAY, b.lo, b.hi)), ']'), '$[*]' COLUMNS (i FOR ORDINALITY)) AS n WHERE b.lo <= b.hi) AS `periods` CROSS JOIN (SELECT DISTINCT `orders_by_period`.`status` AS `status` FROM `orders_by_period`) AS `orders_by_period_2`) AS `parts` GROUP BY `parts`.`day_day`, `parts`.`status`) AS `parts_2`) AS `parts_3`
)
SELECT `parts`.`day_day` AS `day_day`, `parts`.`status` AS `status`, MAX(`parts`.`revenue`) AS `revenue_3d`, MAX(`parts`.`revenue_2`) AS `revenue_mtd`
FROM (SELECT `orders_by_day_day_and_status`.`day_day` AS `day_day`, `orders_by_day_day_and_status`.`status` AS `status`, `orders_by_day_day_and_status`.`revenue` AS `revenue`, (SELECT MAX(`orders_by_day_day_and_status_2`.`revenue`) FROM `orders_by_day_day_and_status_2` WHERE 1 = 0) AS `revenue_2` FROM `orders_by_day_day_and_status`
UNION ALL SELECT `orders_by_day_day_and_status_2`.`day_day` AS `day_day`, `orders_by_day_day_and_status_2`.`status` AS `status`, (SELECT MAX(`orders_by_day_day_and_status`.`revenue`) FROM `orders_by_day_day_and_status` WHERE 1 = 0) AS `revenue`, `orders_by_day_day_and_status_2`.`revenue` AS `revenue_2` FROM `orders_by_day_day_and_status_2`) AS `parts`
GROUP BY `parts`.`day_day`, `parts`.`status`
ORDER BY `parts`.`day_day` IS NULL, `parts`.`day_day` ASC, `parts`.`status` IS NULL, `parts`.`status` ASC
LIMIT 1000

-- postgres
WITH "periods" AS (
  SELECT "periods".period AS "period", CAST("periods".period + make_interval(days => 1) AS date) AS "until", CAST(CAST("periods".period + make_interval(days => 1) AS date) + make_interval(days => -3) AS date) AS "since"
  FROM (SELECT CAST(p AS date) AS period FROM generate_series(CAST(DATE '2024-01-31' AS timestamp), CAST(DATE '2024-02-04' AS timestamp), INTERVAL '1 day') AS s (p)) AS "periods"
),
"orders_by_day" AS (
  SELECT CAST("orders"."day" AS date) AS "day_2", "orders"."status" AS "status", SUM("orders"."amount") AS "revenue"
  FROM "orders"
  WHERE "orders"."day" >= DATE '2024-01-01' AND "orders"."day" < DATE '2024-02-05'
  GROUP BY CAST("orders"."day" AS date), "orders"."status"
),
"orders_in_windows" AS (
  SELECT "periods"."period" AS "day_day", "orders_by_day"."status" AS "status", "orders_by_day"."revenue" AS "revenue"
  FROM "periods" JOIN "orders_by_day" ON "orders_by_day"."day_2" >= "periods"."since" AND "orders_by_day"."day_2" < "periods"."until"
),
"orders_by_day_day_and_status" AS (
  SELECT "parts"."day_day" AS "day_day", "parts"."status" AS "status", SUM("parts"."revenue") AS "revenue"
  FROM (SELECT "orders_in_windows"."day_day" AS "day_day", "orders_in_windows"."status" AS "status", "orders_in_windows"."revenue" AS "revenue" FROM "orders_in_windows"
UNION ALL SELECT "periods"."period" AS "day_day", "orders_in_windows_2"."status" AS "status", (SELECT MAX("orders_in_windows"."revenue") FROM "orders_in_windows" WHERE 1 = 0) AS "revenue" FROM "periods" CROSS JOIN (SELECT DISTINCT "orders_in_windows"."status" AS "status" FROM "orders_in_windows") AS "orders_in_windows_2") AS "parts"
  GROUP BY "parts"."day_day", "parts"."status"
),
"orders_by_period" AS (
  SELECT CASE WHEN "orders_by_day"."day_2" < DATE '2024-01-31' THEN DATE '2024-01-31' ELSE "orders_by_day"."day_2" END AS "day_day", "orders_by_day"."status" AS "status", "orders_by_day"."revenue" AS "revenue"
  FROM "orders_by_day"
),
"orders_by_day_day_and_status_2" AS (
  SELECT "parts_3"."day_day" AS "day_day", "parts_3"."status" AS "status", "parts_3"."revenue" AS "revenue"
  FROM (SELECT "parts_2"."day_day" AS "day_day", "parts_2"."status" AS "status", "parts_2"."value" AS "value", SUM("parts_2"."value") OVER (PARTITION BY "parts_2"."status", CAST(date_trunc('month', "parts_2"."day_day") AS date) ORDER BY "parts_2"."day_day" ASC NULLS LAST ROWS UNBOUNDED PRECEDING) AS "revenue" FROM (SELECT "parts"."day_day" AS "day_day", "parts"."status" AS "status", SUM("parts"."revenue") AS "value" FROM (SELECT "orders_by_period"."day_day" AS "day_day", "orders_by_period"."status" AS "status", "orders_by_period"."revenue" AS "revenue" FROM "orders_by_period"
UNION ALL SELECT "periods".period AS "day_day", "orders_by_period_2"."status" AS "status", (SELECT MAX("orders_by_period"."revenue") FROM "orders_by_period" WHERE 1 = 0) AS "revenue" FROM (SELECT CAST(p AS date) AS period FROM generate_series(CAST(DATE '2024-01-31' AS timestamp), CAST(DATE '2024-02-04' AS timestamp), INTERVAL '1 day') AS s (p)) AS "periods" CROSS JOIN (SELECT DISTINCT "orders_by_period"."status" AS "status" FROM "orders_by_period") AS "orders_by_period_2") AS "parts" GROUP BY "parts"."day_day", "parts"."status") AS "parts_2") AS "parts_3"
)
SELECT "parts"."day_day" AS "day_day", "parts"."status" AS "status", MAX("parts"."revenue") AS "revenue_3d", MAX("parts"."revenue_2") AS "revenue_mtd"
FROM (SELECT "orders_by_day_day_and_status"."day_day" AS "day_day", "orders_by_day_day_and_status"."status" AS "status", "orders_by_day_day_and_status"."revenue" AS "revenue", (SELECT MAX("orders_by_day_day_and_status_2"."revenue") FROM "orders_by_day_day_and_status_2" WHERE 1 = 0) AS "revenue_2" FROM "orders_by_day_day_and_status"
UNION ALL SELECT "orders_by_day_day_and_status_2"."day_day" AS "day_day", "orders_by_day_day_and_status_2"."status" AS "status", (SELECT MAX("orders_by_day_day_and_status"."revenue") FROM "orders_by_day_day_and_status" WHERE 1 = 0) AS "revenue", "orders_by_day_day_and_status_2"."revenue" AS "revenue_2" FROM "orders_by_day_day_and_status_2") AS "parts"
GROUP BY "parts"."day_day", "parts"."status"
ORDER BY "parts"."day_day" ASC NULLS LAST, "parts"."status" ASC NULLS LAST
LIMIT 1000

-- snowflake
WITH "periods" AS (
  SELECT "periods".period AS "period", DATEADD(DAY, 1, "periods".period) AS "until", DATEADD(DAY, -3, DATEADD(DAY, 1, "periods".period)) AS "since"
  FROM (SELECT DATEADD(DAY, ROW_NUMBER() OVER (ORDER BY NULL) - 1, CAST('2024-01-31' AS DATE)) AS period FROM TABLE(GENERATOR(ROWCOUNT => 100000)) QUALIFY period <= CAST('2024-02-04' AS DATE)) AS "periods"
),
"orders_by_day" AS (
  SELECT DATE_TRUNC('DAY', "orders"."DAY")::DATE AS "day_2", "orders"."STATUS" AS "status_2", SUM("orders"."AMOUNT") AS "revenue"
  FROM "ORDERS" AS "orders"
  WHERE "orders"."DAY" >= CAST('2024-01-01' AS DATE) AND "orders"."DAY" < CAST('2024-02-05' AS DATE)
  GROUP BY DATE_TRUNC('DAY', "orders"."DAY")::DATE, "orders"."STATUS"
),
"orders_in_windows" AS (
  SELECT "periods"."period" AS "day_day", "orders_by_day"."status_2" AS "status", "orders_by_day"."revenue" AS "revenue"
  FROM "periods" JOIN "orders_by_day" ON "orders_by_day"."day_2" >= "periods"."since" AND "orders_by_day"."day_2" < "periods"."until"
),
"orders_by_day_day_and_status" AS (
  SELECT "parts"."day_day" AS "day_day", "parts"."status" AS "status", SUM("parts"."revenue") AS "revenue"
  FROM (SELECT "orders_in_windows"."day_day" AS "day_day", "orders_in_windows"."status" AS "status", "orders_in_windows"."revenue" AS "revenue" FROM "orders_in_windows"
UNION ALL SELECT "periods"."period" AS "day_day", "orders_in_windows_2"."status" AS "status", (SELECT MAX("orders_in_windows"."revenue") FROM "orders_in_windows" WHERE 1 = 0) AS "revenue" FROM "periods" CROSS JOIN (SELECT DISTINCT "orders_in_windows"."status" AS "status" FROM "orders_in_windows") AS "orders_in_windows_2") AS "parts"
  GROUP BY "parts"."day_day", "parts"."status"
),
"orders_by_period" AS (
  SELECT CASE WHEN "orders_by_day"."day_2" < CAST('2024-01-31' AS DATE) THEN CAST('2024-01-31' AS DATE) ELSE "orders_by_day"."day_2" END AS "day_day", "orders_by_day"."status_2" AS "status", "orders_by_day"."revenue" AS "revenue"
  FROM "orders_by_day"
),
"orders_by_day_day_and_status_2" AS (
  SELECT "parts_3"."day_day" AS "day_day", "parts_3"."status" AS "status", "parts_3"."revenue" AS "revenue"
  FROM (SELECT "parts_2"."day_day" AS "day_day", "parts_2"."status" AS "status", "parts_2"."value" AS "value", SUM("parts_2"."value") OVER (PARTITION BY "parts_2"."status", DATE_TRUNC('MONTH', "parts_2"."day_day")::DATE ORDER BY "parts_2"."day_day" ASC NULLS LAST ROWS UNBOUNDED PRECEDING) AS "revenue" FROM (SELECT "parts"."day_day" AS "day_day", "parts"."status" AS "status", SUM("parts"."revenue") AS "value" FROM (SELECT "orders_by_period"."day_day" AS "day_day", "orders_by_period"."status" AS "status", "orders_by_period"."revenue" AS "revenue" FROM "orders_by_period"
UNION ALL SELECT "periods".period AS "day_day", "orders_by_period_2"."status" AS "status", (SELECT MAX("orders_by_period"."revenue") FROM "orders_by_period" WHERE 1 = 0) AS "revenue" FROM (SELECT DATEADD(DAY, ROW_NUMBER() OVER (ORDER BY NULL) - 1, CAST('2024-01-31' AS DATE)) AS period FROM TABLE(GENERATOR(ROWCOUNT => 100000)) QUALIFY period <= CAST('2024-02-04' AS DATE)) AS "periods" CROSS JOIN (SELECT DISTINCT "orders_by_period"."status" AS "status" FROM "orders_by_period") AS "orders_by_period_2") AS "parts" GROUP BY "parts"."day_day", "parts"."status") AS "parts_2") AS "parts_3"
)
SELECT "parts"."day_day" AS "day_day", "parts"."status" AS "status", MAX("parts"."revenue") AS "revenue_3d", MAX("parts"."revenue_2") AS "revenue_mtd"
FROM (SELECT "orders_by_day_day_and_status"."day_day" AS "day_day", "orders_by_day_day_and_status"."status" AS "status", "orders_by_day_day_and_status"."revenue" AS "revenue", (SELECT MAX("orders_by_day_day_and_status_2"."revenue") FROM "orders_by_day_day_and_status_2" WHERE 1 = 0) AS "revenue_2" FROM "orders_by_day_day_and_status"
UNION ALL SELECT "orders_by_day_day_and_status_2"."day_day" AS "day_day", "orders_by_day_day_and_status_2"."status" AS "status", (SELECT MAX("orders_by_day_day_and_status"."revenue") FROM "orders_by_day_day_and_status" WHERE 1 = 0) AS "revenue", "orders_by_day_day_and_status_2"."revenue" AS "revenue_2" FROM "orders_by_day_day_and_status_2") AS "parts"
GROUP BY "parts"."day_day", "parts"."status"
ORDER BY "parts"."day_day" ASC NULLS LAST, "parts"."status" ASC NULLS LAST
LIMIT 1000

-- sqlite
WITH "periods" AS (
  SELECT "periods".period AS "period", date("periods".period, (1) || ' days') AS "until", date(date("periods".period, (1) || ' days'), (-3) || ' days') AS "since"
  FROM (WITH RECURSIVE spine (period) AS (SELECT date(date('2024-01-31')) WHERE date(date('2024-01-31')) <= date(date('2024-02-04')) UNION ALL SELECT date(period, (1) || ' days') FROM spine WHERE date(period, (1) || ' days') <= date(date('2024-02-04'))) SELECT period FROM spine) AS "periods"
),
"orders_by_day" AS (
  SELECT date("orders"."day") AS "day_2", "orders"."status" AS "status", SUM("orders"."amount") AS "revenue"
  FROM "orders"
  WHERE "orders"."day" >= date('2024-01-01') AND "orders"."day" < date('2024-02-05')
  GROUP BY date("orders"."day"), "orders"."status"
),
"orders_in_windows" AS (
  SELECT "periods"."period" AS "day_day", "orders_by_day"."status" AS "status", "orders_by_day"."revenue" AS "revenue"
  FROM "periods" JOIN "orders_by_day" ON "orders_by_day"."day_2" >= "periods"."since" AND "orders_by_day"."day_2" < "periods"."until"
),
"orders_by_day_day_and_status" AS (
  SELECT "parts"."day_day" AS "day_day", "parts"."status" AS "status", SUM("parts"."revenue") AS "revenue"
  FROM (SELECT "orders_in_windows"."day_day" AS "day_day", "orders_in_windows"."status" AS "status", "orders_in_windows"."revenue" AS "revenue" FROM "orders_in_windows"
UNION ALL SELECT "periods"."period" AS "day_day", "orders_in_windows_2"."status" AS "status", (SELECT MAX("orders_in_windows"."revenue") FROM "orders_in_windows" WHERE 1 = 0) AS "revenue" FROM "periods" CROSS JOIN (SELECT DISTINCT "orders_in_windows"."status" AS "status" FROM "orders_in_windows") AS "orders_in_windows_2") AS "parts"
  GROUP BY "parts"."day_day", "parts"."status"
),
"orders_by_period" AS (
  SELECT CASE WHEN "orders_by_day"."day_2" < date('2024-01-31') THEN date('2024-01-31') ELSE "orders_by_day"."day_2" END AS "day_day", "orders_by_day"."status" AS "status", "orders_by_day"."revenue" AS "revenue"
  FROM "orders_by_day"
),
"orders_by_day_day_and_status_2" AS (
  SELECT "parts_3"."day_day" AS "day_day", "parts_3"."status" AS "status", "parts_3"."revenue" AS "revenue"
  FROM (SELECT "parts_2"."day_day" AS "day_day", "parts_2"."status" AS "status", "parts_2"."value" AS "value", SUM("parts_2"."value") OVER (PARTITION BY "parts_2"."status", date("parts_2"."day_day", 'start of month') ORDER BY "parts_2"."day_day" ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS "revenue" FROM (SELECT "parts"."day_day" AS "day_day", "parts"."status" AS "status", SUM("parts"."revenue") AS "value" FROM (SELECT "orders_by_period"."day_day" AS "day_day", "orders_by_period"."status" AS "status", "orders_by_period"."revenue" AS "revenue" FROM "orders_by_period"
UNION ALL SELECT "periods".period AS "day_day", "orders_by_period_2"."status" AS "status", (SELECT MAX("orders_by_period"."revenue") FROM "orders_by_period" WHERE 1 = 0) AS "revenue" FROM (WITH RECURSIVE spine (period) AS (SELECT date(date('2024-01-31')) WHERE date(date('2024-01-31')) <= date(date('2024-02-04')) UNION ALL SELECT date(period, (1) || ' days') FROM spine WHERE date(period, (1) || ' days') <= date(date('2024-02-04'))) SELECT period FROM spine) AS "periods" CROSS JOIN (SELECT DISTINCT "orders_by_period"."status" AS "status" FROM "orders_by_period") AS "orders_by_period_2") AS "parts" GROUP BY "parts"."day_day", "parts"."status") AS "parts_2") AS "parts_3"
)
SELECT "parts"."day_day" AS "day_day", "parts"."status" AS "status", MAX("parts"."revenue") AS "revenue_3d", MAX("parts"."revenue_2") AS "revenue_mtd"
FROM (SELECT "orders_by_day_day_and_status"."day_day" AS "day_day", "orders_by_day_day_and_status"."status" AS "status", "orders_by_day_day_and_status"."revenue" AS "revenue", (SELECT MAX("orders_by_day_day_and_status_2"."revenue") FROM "orders_by_day_day_and_status_2" WHERE 1 = 0) AS "revenue_2" FROM "orders_by_day_day_and_status"
UNION ALL SELECT "orders_by_day_day_and_status_2"."day_day" AS "day_day", "orders_by_day_day_and_status_2"."status" AS "status", (SELECT MAX("orders_by_day_day_and_status"."revenue") FROM "orders_by_day_day_and_status" WHERE 1 = 0) AS "revenue", "orders_by_day_day_and_status_2"."revenue" AS "revenue_2" FROM "orders_by_day_day_and_status_2") AS "parts"
GROUP BY "parts"."day_day", "parts"."status"
ORDER BY "parts"."day_day" ASC NULLS LAST, "parts"."status" ASC NULLS LAST
LIMIT 1000

-- sqlserver
WITH [periods] AS (
  SELECT [periods].period AS [period], DATEADD(DAY, 1, [periods].period) AS [until], DATEADD(DAY, -3, DATEADD(DAY, 1, [periods].period)) AS [since]
  FROM (SELECT TOP (DATEDIFF(DAY, CAST(N'2024-01-31' AS date), CAST(N'2024-02-04' AS date)) + 1) DATEADD(DAY, ROW_NUMBER() OVER (ORDER BY (SELECT NULL)) - 1, CAST(N'2024-01-31' AS date)) AS period FROM sys.all_columns a CROSS JOIN sys.all_columns b) AS [periods]
),
[orders_by_day] AS (
  SELECT [orders_2].[day_2] AS [day], [orders_2].[status] AS [status], SUM([orders_2].[revenue]) AS [revenue]
  FROM (SELECT CAST([orders].[day] AS date) AS [day_2], [orders].[status] AS [status], [orders].[amount] AS [revenue] FROM [orders] WHERE [orders].[day] >= CAST(N'2024-01-01' AS date) AND [orders].[day] < CAST(N'2024-02-05' AS date)) AS [orders_2]
  GROUP BY [orders_2].[day_2], [orders_2].[status]
),
[orders_in_windows] AS (
  SELECT [periods].[period] AS [day_day], [orders_by_day].[status] AS [status], [orders_by_day].[revenue] AS [revenue]
  FROM [periods] JOIN [orders_by_day] ON [orders_by_day].[day] >= [periods].[since] AND [orders_by_day].[day] < [periods].[until]
),
[orders_by_day_day_and_status] AS (
  SELECT [parts].[day_day] AS [day_day], [parts].[status] AS [status], SUM([parts].[revenue]) AS [revenue]
  FROM (SELECT [orders_in_windows].[day_day] AS [day_day], [orders_in_windows].[status] AS [status], [orders_in_windows].[revenue] AS [revenue] FROM [orders_in_windows]
UNION ALL SELECT [periods].[period] AS [day_day], [orders_in_windows_2].[status] AS [status], (SELECT MAX([orders_in_windows].[revenue]) FROM [orders_in_windows] WHERE 1 = 0) AS [revenue] FROM [periods] CROSS JOIN (SELECT DISTINCT [orders_in_windows].[status] AS [status] FROM [orders_in_windows]) AS [orders_in_windows_2]) AS [parts]
  GROUP BY [parts].[day_day], [parts].[status]
),
[orders_by_period] AS (
  SELECT CASE WHEN [orders_by_day].[day] < CAST(N'2024-01-31' AS date) THEN CAST(N'2024-01-31' AS date) ELSE [orders_by_day].[day] END AS [day_day], [orders_by_day].[status] AS [status], [orders_by_day].[revenue] AS [revenue]
  FROM [orders_by_day]
),
[orders_by_day_day_and_status_2] AS (
  SELECT [parts_3].[day_day] AS [day_day], [parts_3].[status] AS [status], [parts_3].[revenue] AS [revenue]
  FROM (SELECT [parts_2].[day_day] AS [day_day], [parts_2].[status] AS [status], [parts_2].[value] AS [value], SUM([parts_2].[value]) OVER (PARTITION BY [parts_2].[status], DATETRUNC(month, CAST([parts_2].[day_day] AS date)) ORDER BY CASE WHEN [parts_2].[day_day] IS NULL THEN 0 ELSE 1 END, [parts_2].[day_day] ASC ROWS UNBOUNDED PRECEDING) AS [revenue] FROM (SELECT [parts].[day_day] AS [day_day], [parts].[status] AS [status], SUM([parts].[revenue]) AS [value] FROM (SELECT [orders_by_period].[day_day] AS [day_day], [orders_by_period].[status] AS [status], [orders_by_period].[revenue] AS [revenue] FROM [orders_by_period]
UNION ALL SELECT [periods].period AS [day_day], [orders_by_period_2].[status] AS [status], (SELECT MAX([orders_by_period].[revenue]) FROM [orders_by_period] WHERE 1 = 0) AS [revenue] FROM (SELECT TOP (DATEDIFF(DAY, CAST(N'2024-01-31' AS date), CAST(N'2024-02-04' AS date)) + 1) DATEADD(DAY, ROW_NUMBER() OVER (ORDER BY (SELECT NULL)) - 1, CAST(N'2024-01-31' AS date)) AS period FROM sys.all_columns a CROSS JOIN sys.all_columns b) AS [periods] CROSS JOIN (SELECT DISTINCT [orders_by_period].[status] AS [status] FROM [orders_by_period]) AS [orders_by_period_2]) AS [parts] GROUP BY [parts].[day_day], [parts].[status]) AS [parts_2]) AS [parts_3]
)
SELECT TOP (1000) [parts].[day_day] AS [day_day], [parts].[status] AS [status], MAX([parts].[revenue]) AS [revenue_3d], MAX([parts].[revenue_2]) AS [revenue_mtd]
FROM (SELECT [orders_by_day_day_and_status].[day_day] AS [day_day], [orders_by_day_day_and_status].[status] AS [status], [orders_by_day_day_and_status].[revenue] AS [revenue], (SELECT MAX([orders_by_day_day_and_status_2].[revenue]) FROM [orders_by_day_day_and_status_2] WHERE 1 = 0) AS [revenue_2] FROM [orders_by_day_day_and_status]
UNION ALL SELECT [orders_by_day_day_and_status_2].[day_day] AS [day_day], [orders_by_day_day_and_status_2].[status] AS [status], (SELECT MAX([orders_by_day_day_and_status].[revenue]) FROM [orders_by_day_day_and_status] WHERE 1 = 0) AS [revenue], [orders_by_day_day_and_status_2].[revenue] AS [revenue_2] FROM [orders_by_day_day_and_status_2]) AS [parts]
GROUP BY [parts].[day_day], [parts].[status]
ORDER BY CASE WHEN [parts].[day_day] IS NULL THEN 1 ELSE 0 END, [parts].[day_day] ASC, CASE WHEN [parts].[status] IS NULL THEN 1 ELSE 0 END, [parts].[status] ASC

