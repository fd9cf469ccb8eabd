-- bigquery
WITH `orders_by_day` AS (
  SELECT CAST(`orders`.`day` AS DATE) AS `day_2`, `orders`.`status` AS `status`, SUM(`orders`.`amount`) AS `revenue`, COUNT(1) AS `order_count`, COUNT(`orders`.`amount`) AS `average`
  FROM `orders`
  WHERE `orders`.`day` >= CAST('2024-01-05' AS DATE) AND `orders`.`day` < CAST('2024-05-01' AS DATE)
  GROUP BY CAST(`orders`.`day` AS DATE), `orders`.`status`
),
`orders_by_day_month_and_status` AS (
  SELECT DATE_TRUNC(CAST(`orders_by_day`.`day_2` AS DATE), MONTH) AS `day_month`, `orders_by_day`.`status` AS `status`, SUM(`orders_by_day`.`revenue`) AS `revenue`, CAST(COALESCE(SUM(`orders_by_day`.`order_count`), 0) AS INT64) AS `order_count`, SAFE_DIVIDE(CAST(CAST(SUM(`orders_by_day`.`revenue`) AS FLOAT64) AS FLOAT64), SUM(`orders_by_day`.`average`)) AS `average`
  FROM `orders_by_day`
  WHERE `orders_by_day`.`day_2` >= CAST('2024-02-05' AS DATE)
  GROUP BY DATE_TRUNC(CAST(`orders_by_day`.`day_2` AS DATE), MONTH), `orders_by_day`.`status`
),
`orders_by_day_month_and_status_2` AS (
  SELECT DATE_ADD(DATE_TRUNC(CAST(`orders_by_day`.`day_2` AS DATE), MONTH), INTERVAL 1 MONTH) AS `day_month`, `orders_by_day`.`status` AS `status`, SUM(`orders_by_day`.`revenue`) AS `revenue`
  FROM `orders_by_day`
  WHERE `orders_by_day`.`day_2` < CAST('2024-04-01' AS DATE)
  GROUP BY DATE_ADD(DATE_TRUNC(CAST(`orders_by_day`.`day_2` AS DATE), MONTH), INTERVAL 1 MONTH), `orders_by_day`.`status`
),
`periods` AS (
  SELECT `periods`.period AS `period`, DATE_ADD(`periods`.period, INTERVAL 1 MONTH) AS `until`, DATE_TRUNC(CAST(`periods`.period AS DATE), MONTH) AS `since`
  FROM (SELECT period FROM UNNEST(GENERATE_DATE_ARRAY(CAST('2024-02-01' AS DATE), CAST('2024-04-01' AS DATE), INTERVAL 1 MONTH)) AS period) AS `periods`
),
`orders_in_windows` AS (
  SELECT `periods`.`period` AS `day_month`, `orders_by_day`.`status` AS `status`, `orders_by_day`.`revenue` AS `revenue`
  FROM `periods` JOIN `orders_by_day` ON `orders_by_day`.`day_2` >= `periods`.`since` AND `orders_by_day`.`day_2` < `periods`.`until`
),
`orders_by_day_month_and_status_3` AS (
  SELECT `parts`.`day_month` AS `day_month`, `parts`.`status` AS `status`, SUM(`parts`.`revenue`) AS `revenue`
  FROM (SELECT `orders_in_windows`.`day_month` AS `day_month`, `orders_in_windows`.`status` AS `status`, `orders_in_windows`.`revenue` AS `revenue` FROM `orders_in_windows`
UNION ALL SELECT `periods`.`period` AS `day_month`, `orders_in_windows_2`.`status` AS `status`, (SELECT MAX(`orders_in_windows`.`revenue`) FROM `orders_in_windows` WHERE 1 = 0) AS `revenue` FROM `periods` CROSS JOIN (SELECT DISTINCT `orders_in_windows`.`status` AS `status` FROM `orders_in_windows`) AS `orders_in_windows_2`) AS `parts`
  GROUP BY `parts`.`day_month`, `parts`.`status`
)
SELECT `parts_3`.`day_month` AS `day_month`, `parts_3`.`status` AS `status`, `parts_3`.`revenue` AS `revenue`, COALESCE(`parts_3`.`order_count`, 0) AS `order_count`, `parts_3`.`average` AS `average`, `parts_3`.`revenue_2` AS `revenue_prev_month`, `parts_3`.`revenue_3` AS `revenue_mtd`, SAFE_DIVIDE(CAST(`parts_3`.`revenue` AS FLOAT64), `parts_3`.`revenue_4`) AS `revenue_share`
FROM (SELECT `parts_2`.`day_month` AS `day_month`, `parts_2`.`status` AS `status`, `parts_2`.`revenue` AS `revenue`, `parts_2`.`order_count` AS `order_count`, `parts_2`.`average` AS `average`, `parts_2`.`revenue_2` AS `revenue_2`, `parts_2`.`revenue_3` AS `revenue_3`, SUM(`parts_2`.`revenue`) OVER () AS `revenue_4` FROM (SELECT `parts`.`day_month` AS `day_month`, `parts`.`status` AS `status`, MAX(`parts`.`revenue`) AS `revenue`, MAX(`parts`.`order_count`) AS `order_count`, MAX(`parts`.`average`) AS `average`, MAX(`parts`.`revenue_2`) AS `revenue_2`, MAX(`parts`.`revenue_3`) AS `revenue_3` FROM (SELECT `orders_by_day_month_and_status`.`day_month` AS `day_month`, `orders_by_day_month_and_status`.`status` AS `status`, `orders_by_day_month_and_status`.`revenue` AS `revenue`, `orders_by_day_month_and_status`.`order_count` AS `order_count`, `orders_by_day_month_and_status`.`average` AS `average`, (SELECT MAX(`orders_by_day_month_and_status_2`.`revenue`) FROM `orders_by_day_month_and_status_2` WHERE 1 = 0) AS `revenue_2`, (SELECT MAX(`orders_by_day_month_and_status_3`.`revenue`) FROM `orders_by_day_month_and_status_3` WHERE 1 = 0) AS `revenue_3` FROM `orders_by_day_month_and_status`
UNION ALL SELECT `orders_by_day_month_and_status_2`.`day_month` AS `day_month`, `orders_by_day_month_and_status_2`.`status` AS `status`, (SELECT MAX(`orders_by_day_month_and_status`.`revenue`) FROM `orders_by_day_month_and_status` WHERE 1 = 0) AS `revenue`, CAST(NULL AS INT64) AS `order_count`, CAST(NULL AS FLOAT64) AS `average`, `orders_by_day_month_and_status_2`.`revenue` AS `revenue_2`, (SELECT MAX(`orders_by_day_month_and_status_3`.`revenue`) FROM `orders_by_day_month_and_status_3` WHERE 1 = 0) AS `revenue_3` FROM `orders_by_day_month_and_status_2`
UNION ALL SELECT `orders_by_day_month_and_status_3`.`day_month` AS `day_month`, `orders_by_day_month_and_status_3`.`status` AS `status`, (SELECT MAX(`orders_by_day_month_and_status`.`revenue`) FROM `orders_by_day_month_and_status` WHERE 1 = 0) AS `revenue`, CAST(NULL AS INT64) AS `order_count`, CAST(NULL AS FLOAT64) AS `average`, (SELECT MAX(`orders_by_day_month_and_status_2`.`revenue`) FROM `orders_by_day_month_and_status_2` WHERE 1 = 0) AS `revenue_2`, `orders_by_day_month_and_status_3`.`revenue` AS `revenue_3` FROM `orders_by_day_month_and_status_3`) AS `parts` GROUP BY `parts`.`day_month`, `parts`.`status`) AS `parts_2`) AS `parts_3`
ORDER BY `parts_3`.`day_month` ASC NULLS LAST, `parts_3`.`status` ASC NULLS LAST
LIMIT 1000

-- clickhouse
WITH `orders_by_day` AS (
  SELECT toDate32(`orders`.`day`) AS `day_2`, `orders`.`status` AS `status`, sumOrNull(toNullable(`orders`.`amount`)) AS `revenue`, toInt64(count(toNullable(1))) AS `order_count`, toInt64(count(toNullable(`orders`.`amount`))) AS `average`
  FROM `orders`
  WHERE `orders`.`day` >= toDate32('2024-01-05') AND `orders`.`day` < toDate32('2024-05-01')
  GROUP BY toDate32(`orders`.`day`), `orders`.`status`
),
`orders_by_day_month_and_status` AS (
  SELECT makeDate32(toYear(`orders_by_day`.`day_2`), toMonth(`orders_by_day`.`day_2`), 1) AS `day_month`, `orders_by_day`.`status` AS `status`, sumOrNull(`orders_by_day`.`revenue`) AS `revenue`, CAST(coalesce(sumOrNull(toDecimal128(`orders_by_day`.`order_count`, 0)), 0) AS Nullable(Int64)) AS `order_count`, (toFloat64(CAST(sumOrNull(`orders_by_day`.`revenue`) AS Nullable(Float64))) / nullIf(toFloat64(sumOrNull(toDecimal128(`orders_by_day`.`average`, 0))), 0)) AS `average`
  FROM `orders_by_day`
  WHERE `orders_by_day`.`day_2` >= toDate32('2024-02-05')
  GROUP BY makeDate32(toYear(`orders_by_day`.`day_2`), toMonth(`orders_by_day`.`day_2`), 1), `orders_by_day`.`status`
),
`orders_by_day_month_and_status_2` AS (
  SELECT addMonths(makeDate32(toYear(`orders_by_day`.`day_2`), toMonth(`orders_by_day`.`day_2`), 1), 1) AS `day_month`, `orders_by_day`.`status` AS `status`, sumOrNull(`orders_by_day`.`revenue`) AS `revenue`
  FROM `orders_by_day`
  WHERE `orders_by_day`.`day_2` < toDate32('2024-04-01')
  GROUP BY addMonths(makeDate32(toYear(`orders_by_day`.`day_2`), toMonth(`orders_by_day`.`day_2`), 1), 1), `orders_by_day`.`status`
),
`periods` AS (
  SELECT `periods`.period AS `period`, addMonths(`periods`.period, 1) AS `until`, makeDate32(toYear(`periods`.period), toMonth(`periods`.period), 1) AS `since`
  FROM (SELECT addMonths(toDate32('2024-02-01'), number) AS period FROM numbers(toUInt64(ifNull(greatest(dateDiff('month', toDate32('2024-02-01'), toDate32('2024-04-01')) + 1, 0), 0)))) AS `periods`
),
`orders_in_windows` AS (
  SELECT `periods`.`period` AS `day_month`, `orders_by_day`.`status` AS `status`, `orders_by_day`.`revenue` AS `revenue`
  FROM `periods` JOIN `orders_by_day` ON `orders_by_day`.`day_2` >= `periods`.`since` AND `orders_by_day`.`day_2` < `periods`.`until`
),
`orders_by_day_month_and_status_3` AS (
  SELECT `parts`.`day_month` AS `day_month`, `parts`.`status` AS `status`, sumOrNull(`parts`.`revenue`) AS `revenue`
  FROM (SELECT `orders_in_windows`.`day_month` AS `day_month`, `orders_in_windows`.`status` AS `status`, `orders_in_windows`.`revenue` AS `revenue` FROM `orders_in_windows`
UNION ALL SELECT `periods`.`period` AS `day_month`, `orders_in_windows_2`.`status` AS `status`, (SELECT MAX(`orders_in_windows`.`revenue`) FROM `orders_in_windows` WHERE 1 = 0) AS `revenue` FROM `periods` CROSS JOIN (SELECT DISTINCT `orders_in_windows`.`status` AS `status` FROM `orders_in_windows`) AS `orders_in_windows_2`) AS `parts`
  GROUP BY `parts`.`day_month`, `parts`.`status`
)
SELECT `parts_3`.`day_month` AS `day_month`, `parts_3`.`status` AS `status`, `parts_3`.`revenue` AS `revenue`, coalesce(`parts_3`.`order_count`, 0) AS `order_count`, `parts_3`.`average` AS `average`, `parts_3`.`revenue_2` AS `revenue_prev_month`, `parts_3`.`revenue_3` AS `revenue_mtd`, (toFloat64(`parts_3`.`revenue`) / nullIf(toFloat64(`parts_3`.`revenue_4`), 0)) AS `revenue_share`
FROM (SELECT `parts_2`.`day_month` AS `day_month`, `parts_2`.`status` AS `status`, `parts_2`.`revenue` AS `revenue`, `parts_2`.`order_count` AS `order_count`, `parts_2`.`average` AS `average`, `parts_2`.`revenue_2` AS `revenue_2`, `parts_2`.`revenue_3` AS `revenue_3`, SUM(`parts_2`.`revenue`) OVER () AS `revenue_4` FROM (SELECT `parts`.`day_month` AS `day_month`, `parts`.`status` AS `status`, maxOrNull(`parts`.`revenue`) AS `revenue`, maxOrNull(`parts`.`order_count`) AS `order_count`, maxOrNull(`parts`.`average`) AS `average`, maxOrNull(`parts`.`revenue_2`) AS `revenue_2`, maxOrNull(`parts`.`revenue_3`) AS `revenue_3` FROM (SELECT `orders_by_day_month_and_status`.`day_month` AS `day_month`, `orders_by_day_month_and_status`.`status` AS `status`, `orders_by_day_month_and_status`.`revenue` AS `revenue`, `orders_by_day_month_and_status`.`order_count` AS `order_count`, `orders_by_day_month_and_status`.`average` AS `average`, (SELECT MAX(`orders_by_day_month_and_status_2`.`revenue`) FROM `orders_by_day_month_and_status_2` WHERE 1 = 0) AS `revenue_2`, (SELECT MAX(`orders_by_day_month_and_status_3`.`revenue`) FROM `orders_by_day_month_and_status_3` WHERE 1 = 0) AS `revenue_3` FROM `orders_by_day_month_and_status`
UNION ALL SELECT `orders_by_day_month_and_status_2`.`day_month` AS `day_month`, `orders_by_day_month_and_status_2`.`status` AS `status`, (SELECT MAX(`orders_by_day_month_and_status`.`revenue`) FROM `orders_by_day_month_and_status` WHERE 1 = 0) AS `revenue`, CAST(NULL AS Nullable(Int64)) AS `order_count`, CAST(NULL AS Nullable(Float64)) AS `average`, `orders_by_day_month_and_status_2`.`revenue` AS `revenue_2`, (SELECT MAX(`orders_by_day_month_and_status_3`.`revenue`) FROM `orders_by_day_month_and_status_3` WHERE 1 = 0) AS `revenue_3` FROM `orders_by_day_month_and_status_2`
UNION ALL SELECT `orders_by_day_month_and_status_3`.`day_month` AS `day_month`, `orders_by_day_month_and_status_3`.`status` AS `status`, (SELECT MAX(`orders_by_day_month_and_status`.`revenue`) FROM `orders_by_day_month_and_status` WHERE 1 = 0) AS `revenue`, CAST(NULL AS Nullable(Int64)) AS `order_count`, CAST(NULL AS Nullable(Float64)) AS `average`, (SELECT MAX(`orders_by_day_month_and_status_2`.`revenue`) FROM `orders_by_day_month_and_status_2` WHERE 1 = 0) AS `revenue_2`, `orders_by_day_month_and_status_3`.`revenue` AS `revenue_3` FROM `orders_by_day_month_and_status_3`) AS `parts` GROUP BY `parts`.`day_month`, `parts`.`status`) AS `parts_2`) AS `parts_3`
ORDER BY `parts_3`.`day_month` ASC NULLS LAST, `parts_3`.`status` ASC NULLS LAST
LIMIT 1000

-- duckdb
WITH "orders_by_day" AS (
  SELECT CAST(date_trunc('day', "orders"."day") AS DATE) AS "day_2", "orders"."status" AS "status", SUM("orders"."amount") AS "revenue", COUNT(1) AS "order_count", COUNT("orders"."amount") AS "average"
  FROM "orders"
  WHERE "orders"."day" >= CAST('2024-01-05' AS DATE) AND "orders"."day" < CAST('2024-05-01' AS DATE)
  GROUP BY CAST(date_trunc('day', "orders"."day") AS DATE), "orders"."status"
),
"orders_by_day_month_and_status" AS (
  SELECT CAST(date_trunc('month', "orders_by_day"."day_2") AS DATE) AS "day_month", "orders_by_day"."status" AS "status", SUM("orders_by_day"."revenue") AS "revenue", CAST(coalesce(SUM("orders_by_day"."order_count"), 0) AS BIGINT) AS "order_count", (CAST(CAST(SUM("orders_by_day"."revenue") AS DOUBLE) AS DOUBLE) / NULLIF(SUM("orders_by_day"."average"), 0)) AS "average"
  FROM "orders_by_day"
  WHERE "orders_by_day"."day_2" >= CAST('2024-02-05' AS DATE)
  GROUP BY CAST(date_trunc('month', "orders_by_day"."day_2") AS DATE), "orders_by_day"."status"
),
"orders_by_day_month_and_status_2" AS (
  SELECT CAST(CAST(date_trunc('month', "orders_by_day"."day_2") AS DATE) + INTERVAL (1) month AS DATE) AS "day_month", "orders_by_day"."status" AS "status", SUM("orders_by_day"."revenue") AS "revenue"
  FROM "orders_by_day"
  WHERE "orders_by_day"."day_2" < CAST('2024-04-01' AS DATE)
  GROUP BY CAST(CAST(date_trunc('month', "orders_by_day"."day_2") AS DATE) + INTERVAL (1) month AS DATE), "orders_by_day"."status"
),
"periods" AS (
  SELECT "periods".period AS "period", CAST("periods".period + INTERVAL (1) month AS DATE) AS "until", CAST(date_trunc('month', "periods".period) AS DATE) AS "since"
  FROM (SELECT CAST(unnest(generate_series(CAST('2024-02-01' AS DATE), CAST('2024-04-01' AS DATE), INTERVAL 1 month)) AS DATE) AS period) AS "periods"
),
"orders_in_windows" AS (
  SELECT "periods"."period" AS "day_month", "orders_by_day"."status" AS "status", "orders_by_day"."revenue" AS "revenue"
  FROM "periods" JOIN "orders_by_day" ON "orders_by_day"."day_2" >= "periods"."since" AND "orders_by_day"."day_2" < "periods"."until"
),
"orders_by_day_month_and_status_3" AS (
  SELECT "parts"."day_month" AS "day_month", "parts"."status" AS "status", SUM("parts"."revenue") AS "revenue"
  FROM (SELECT "orders_in_windows"."day_month" AS "day_month", "orders_in_windows"."status" AS "status", "orders_in_windows"."revenue" AS "revenue" FROM "orders_in_windows"
UNION ALL SELECT "periods"."period" AS "day_month", "orders_in_windows_2"."status" AS "status", (SELECT MAX("orders_in_windows"."revenue") FROM "orders_in_windows" WHERE 1 = 0) AS "revenue" FROM "periods" CROSS JOIN (SELECT DISTINCT "orders_in_windows"."status" AS "status" FROM "orders_in_windows") AS "orders_in_windows_2") AS "parts"
  GROUP BY "parts"."day_month", "parts"."status"
)
SELECT "parts_3"."day_month" AS "day_month", "parts_3"."status" AS "status", "parts_3"."revenue" AS "revenue", coalesce("parts_3"."order_count", 0) AS "order_count", "parts_3"."average" AS "average", "parts_3"."revenue_2" AS "revenue_prev_month", "parts_3"."revenue_3" AS "revenue_mtd", (CAST("parts_3"."revenue" AS DOUBLE) / NULLIF("parts_3"."revenue_4", 0)) AS "revenue_share"
FROM (SELECT "parts_2"."day_month" AS "day_month", "parts_2"."status" AS "status", "parts_2"."revenue" AS "revenue", "parts_2"."order_count" AS "order_count", "parts_2"."average" AS "average", "parts_2"."revenue_2" AS "revenue_2", "parts_2"."revenue_3" AS "revenue_3", SUM("parts_2"."revenue") OVER () AS "revenue_4" FROM (SELECT "parts"."day_month" AS "day_month", "parts"."status" AS "status", MAX("parts"."revenue") AS "revenue", MAX("parts"."order_count") AS "order_count", MAX("parts"."average") AS "average", MAX("parts"."revenue_2") AS "revenue_2", MAX("parts"."revenue_3") AS "revenue_3" FROM (SELECT "orders_by_day_month_and_status"."day_month" AS "day_month", "orders_by_day_month_and_status"."status" AS "status", "orders_by_day_month_and_status"."revenue" AS "revenue", "orders_by_day_month_and_status"."order_count" AS "order_count", "orders_by_day_month_and_status"."average" AS "average", (SELECT MAX("orders_by_day_month_and_status_2"."revenue") FROM "orders_by_day_month_and_status_2" WHERE 1 = 0) AS "revenue_2", (SELECT MAX("orders_by_day_month_and_status_3"."revenue") FROM "orders_by_day_month_and_status_3" WHERE 1 = 0) AS "revenue_3" FROM "orders_by_day_month_and_status"
UNION ALL SELECT "orders_by_day_month_and_status_2"."day_month" AS "day_month", "orders_by_day_month_and_status_2"."status" AS "status", (SELECT MAX("orders_by_day_month_and_status"."revenue") FROM "orders_by_day_month_and_status" WHERE 1 = 0) AS "revenue", CAST(NULL AS BIGINT) AS "order_count", CAST(NULL AS DOUBLE) AS "average", "orders_by_day_month_and_status_2"."revenue" AS "revenue_2", (SELECT MAX("orders_by_day_month_and_status_3"."revenue") FROM "orders_by_day_month_and_status_3" WHERE 1 = 0) AS "revenue_3" FROM "orders_by_day_month_and_status_2"
UNION ALL SELECT "orders_by_day_month_and_status_3"."day_month" AS "day_month", "orders_by_day_month_and_status_3"."status" AS "status", (SELECT MAX("orders_by_day_month_and_status"."revenue") FROM "orders_by_day_month_and_status" WHERE 1 = 0) AS "revenue", CAST(NULL AS BIGINT) AS "order_count", CAST(NULL AS DOUBLE) AS "average", (SELECT MAX("orders_by_day_month_and_status_2"."revenue") FROM "orders_by_day_month_and_status_2" WHERE 1 = 0) AS "revenue_2", "orders_by_day_month_and_status_3"."revenue" AS "revenue_3" FROM "orders_by_day_month_and_status_3") AS "parts" GROUP BY "parts"."day_month", "parts"."status") AS "parts_2") AS "parts_3"
ORDER BY "parts_3"."day_month" ASC NULLS LAST, "parts_3"."status" ASC NULLS LAST
LIMIT 1000

-- mysql
WITH `orders_by_day` AS (
  SELECT `orders_2`.`day_2` AS `day`, `orders_2`.`status` AS `status`, SUM(`orders_2`.`revenue`) AS `revenue`, COUNT(`orders_2`.`order_count`) AS `order_count`, COUNT(`orders_2`.`revenue`) AS `average`
  FROM (SELECT DATE(`orders`.`day`) AS `day_2`, `orders`.`status` AS `status`, `orders`.`amount` AS `revenue`, 1 AS `order_count` FROM `orders` WHERE `orders`.`day` >= DATE '2024-01-05' AND `orders`.`day` < DATE '2024-05-01') AS `orders_2`
  GROUP BY `orders_2`.`day_2`, `orders_2`.`status`
),
`orders_by_day_month_and_status` AS (
  SELECT `orders_by_day_2`.`day_month` AS `day_month`, `orders_by_day_2`.`status` AS `status`, SUM(`orders_by_day_2`.`revenue`) AS `revenue`, CAST(COALESCE(SUM(`orders_by_day_2`.`order_count`), 0) AS SIGNED) AS `order_count`, ((CAST(SUM(`orders_by_day_2`.`revenue`) AS DOUBLE) * 1e0) / NULLIF(SUM(`orders_by_day_2`.`average`), 0)) AS `average`
  FROM (SELECT CAST(DATE_FORMAT(`orders_by_day`.`day`, '%Y-%m-01') AS DATE) AS `day_month`, `orders_by_day`.`status` AS `status`, `orders_by_day`.`revenue` AS `revenue`, `orders_by_day`.`order_count` AS `order_count`, `orders_by_day`.`average` AS `average` FROM `orders_by_day` WHERE `orders_by_day`.`day` >= DATE '2024-02-05') AS `orders_by_day_2`
  GROUP BY `orders_by_day_2`.`day_month`, `orders_by_day_2`.`status`
),
`orders_by_day_month_and_status_2` AS (
  SELECT `orders_by_day_2`.`day_month` AS `day_month`, `orders_by_day_2`.`status` AS `status`, SUM(`orders_by_day_2`.`revenue`) AS `revenue`
  FROM (SELECT DATE_ADD(CAST(DATE_FORMAT(`orders_by_day`.`day`, '%Y-%m-01') AS DATE), INTERVAL 1 MONTH) AS `day_month`, `orders_by_day`.`status` AS `status`, `orders_by_day`.`revenue` AS `revenue` FROM `orders_by_day` WHERE `orders_by_day`.`day` < DATE '2024-04-01') AS `orders_by_day_2`
  GROUP BY `orders_by_day_2`.`day_month`, `orders_by_day_2`.`status`
),
`periods` AS (
  SELECT `periods`.period AS `period`, DATE_ADD(`periods`.period, INTERVAL 1 MONTH) AS `until`, CAST(DATE_FORMAT(`periods`.period, '%Y-%m-01') AS DATE) AS `since`
  FROM (SELECT DATE_ADD(b.lo, INTERVAL n.i - 1 MONTH) AS period FROM (SELECT DATE '2024-02-01' AS lo, DATE '2024-04-01' AS hi) AS b JOIN JSON_TABLE(CONCAT('[0', REPEAT(',0', TIMESTAMPDIFF(MONTH, b.lo, b.hi)), ']'), '$[*]' COLUMNS (i FOR ORDINALITY)) AS n WHERE b.lo <= b.hi) AS `periods`
),
`orders_in_windows` AS (
  SELECT `periods`.`period` AS `day_month`, `orders_by_day`.`status` AS `status`, `orders_by_day`.`revenue` AS `revenue`
  FROM `periods` JOIN `orders_by_day` ON `orders_by_day`.`day` >= `periods`.`since` AND `orders_by_day`.`day` < `periods`.`until`
),
`orders_by_day_month_and_status_3` AS (
  SELECT `parts`.`day_month` AS `day_month`, `parts`.`status` AS `status`, SUM(`parts`.`revenue`) AS `revenue`
  FROM (SELECT `orders_in_windows`.`day_month` AS `day_month`, `orders_in_windows`.`status` AS `status`, `orders_in_windows`.`revenue` AS `revenue` FROM `orders_in_windows`
UNION ALL SELECT `periods`.`period` AS `day_month`, `orders_in_windows_2`.`status` AS `status`, (SELECT MAX(`orders_in_windows`.`revenue`) FROM `orders_in_windows` WHERE 1 = 0) AS `revenue` FROM `periods` CROSS JOIN (SELECT DISTINCT `orders_in_windows`.`status` AS `status` FROM `orders_in_windows`) AS `orders_in_windows_2`) AS `parts`
  GROUP BY `parts`.`day_month`, `parts`.`status`
)
SELECT `parts_3`.`day_month` AS `day_month`, `parts_3`.`status` AS `status`, `parts_3`.`revenue` AS `revenue`, COALESCE(`parts_3`.`order_count`, 0) AS `order_count`, `parts_3`.`average` AS `average`, `parts_3`.`revenue_2` AS `revenue_prev_month`, `parts_3`.`revenue_3` AS `revenue_mtd`, ((`parts_3`.`revenue` * 1e0) / NULLIF(`parts_3`.`revenue_4`, 0)) AS `revenue_share`
FROM (SELECT `parts_2`.`day_month` AS `day_month`, `parts_2`.`status` AS `status`, `parts_2`.`revenue` AS `revenue`, `parts_2`.`order_count` AS `order_count`, `parts_2`.`average` AS `average`, `parts_2`.`revenue_2` AS `revenue_2`, `parts_2`.`revenue_3` AS `revenue_3`, SUM(`parts_2`.`revenue`) OVER () AS `revenue_4` FROM (SELECT `parts`.`day_month` AS `day_month`, `parts`.`status` AS `status`, MAX(`parts`.`revenue`) AS `revenue`, MAX(`parts`.`order_count`) AS `order_count`, MAX(`parts`.`average`) AS `average`, MAX(`parts`.`revenue_2`) AS `revenue_2`, MAX(`parts`.`revenue_3`) AS `revenue_3` FROM (SELECT `orders_by_day_month_and_status`.`day_month` AS `day_month`, `orders_by_day_month_and_status`.`status` AS `status`, `orders_by_day_month_and_status`.`revenue` AS `revenue`, `orders_by_day_month_and_status`.`order_count` AS `order_count`, `orders_by_day_month_and_status`.`average` AS `average`, (SELECT MAX(`orders_by_day_month_and_status_2`.`revenue`) FROM `orders_by_day_month_and_status_2` WHERE 1 = 0) AS `revenue_2`, (SELECT MAX(`orders_by_day_month_and_status_3`.`revenue`) FROM `orders_by_day_month_and_status_3` WHERE 1 = 0) AS `revenue_3` FROM `orders_by_day_month_and_status`
UNION ALL SELECT `orders_by_day_month_and_status_2`.`day_month` AS `day_month`, `orders_by_day_month_and_status_2`.`status` AS `status`, (SELECT MAX(`orders_by_day_month_and_status`.`revenue`) FROM `orders_by_day_month_and_status` WHERE 1 = 0) AS `revenue`, CAST(NULL AS SIGNED) AS `order_count`, CAST(NULL AS DOUBLE) AS `average`, `orders_by_day_month_and_status_2`.`revenue` AS `revenue_2`, (SELECT MAX(`orders_by_day_month_and_status_3`.`revenue`) FROM `orders_by_day_month_and_status_3` WHERE 1 = 0) AS `revenue_3` FROM `orders_by_day_month_and_status_2`
UNION ALL SELECT `orders_by_day_month_and_status_3`.`day_month` AS `day_month`, `orders_by_day_month_and_status_3`.`status` AS `status`, (SELECT MAX(`orders_by_day_month_and_status`.`revenue`) FROM `orders_by_day_month_and_status` WHERE 1 = 0) AS `revenue`, CAST(NULL AS SIGNED) AS `order_count`, CAST(NULL AS DOUBLE) AS `average`, (SELECT MAX(`orders_by_day_month_and_status_2`.`revenue`) FROM `orders_by_day_month_and_status_2` WHERE 1 = 0) AS `revenue_2`, `orders_by_day_month_and_status_3`.`revenue` AS `revenue_3` FROM `orders_by_day_month_and_status_3`) AS `parts` GROUP BY `parts`.`day_month`, `parts`.`status`) AS `parts_2`) AS `parts_3`
ORDER BY `parts_3`.`day_month` IS NULL, `parts_3`.`day_month` ASC, `parts_3`.`status` IS NULL, `parts_3`.`status` ASC
LIMIT 1000

-- postgres
WITH "orders_by_day" AS (
  SELECT CAST("orders"."day" AS date) AS "day_2", "orders"."status" AS "status", SUM("orders"."amount") AS "revenue", COUNT(1) AS "order_count", COUNT("orders"."amount") AS "average"
  FROM "orders"
  WHERE "orders"."day" >= DATE '2024-01-05' AND "orders"."day" < DATE '2024-05-01'
  GROUP BY CAST("orders"."day" AS date), "orders"."status"
),
"orders_by_day_month_and_status" AS (
  SELECT CAST(date_trunc('month', "orders_by_day"."day_2") AS date) AS "day_month", "orders_by_day"."status" AS "status", SUM("orders_by_day"."revenue") AS "revenue", CAST(coalesce(SUM("orders_by_day"."order_count"), 0) AS bigint) AS "order_count", (CAST(CAST(SUM("orders_by_day"."revenue") AS double precision) AS double precision) / NULLIF(SUM("orders_by_day"."average"), 0)) AS "average"
  FROM "orders_by_day"
  WHERE "orders_by_day"."day_2" >= DATE '2024-02-05'
  GROUP BY CAST(date_trunc('month', "orders_by_day"."day_2") AS date), "orders_by_day"."status"
),
"orders_by_day_month_and_status_2" AS (
  SELECT CAST(CAST(date_trunc('month', "orders_by_day"."day_2") AS date) + make_interval(months => 1) AS date) AS "day_month", "orders_by_day"."status" AS "status", SUM("orders_by_day"."revenue") AS "revenue"
  FROM "orders_by_day"
  WHERE "orders_by_day"."day_2" < DATE '2024-04-01'
  GROUP BY CAST(CAST(date_trunc('month', "orders_by_day"."day_2") AS date) + make_interval(months => 1) AS date), "orders_by_day"."status"
),
"periods" AS (
  SELECT "periods".period AS "period", CAST("periods".period + make_interval(months => 1) AS date) AS "until", CAST(date_trunc('month', "periods".period) AS date) AS "since"
  FROM (SELECT CAST(p AS date) AS period FROM generate_series(CAST(DATE '2024-02-01' AS timestamp), CAST(DATE '2024-04-01' AS timestamp), INTERVAL '1 month') AS s (p)) AS "periods"
),
"orders_in_windows" AS (
  SELECT "periods"."period" AS "day_month", "orders_by_day"."status" AS "status", "orders_by_day"."revenue" AS "revenue"
  FROM "periods" JOIN "orders_by_day" ON "orders_by_day"."day_2" >= "periods"."since" AND "orders_by_day"."day_2" < "periods"."until"
),
"orders_by_day_month_and_status_3" AS (
  SELECT "parts"."day_month" AS "day_month", "parts"."status" AS "status", SUM("parts"."revenue") AS "revenue"
  FROM (SELECT "orders_in_windows"."day_month" AS "day_month", "orders_in_windows"."status" AS "status", "orders_in_windows"."revenue" AS "revenue" FROM "orders_in_windows"
UNION ALL SELECT "periods"."period" AS "day_month", "orders_in_windows_2"."status" AS "status", (SELECT MAX("orders_in_windows"."revenue") FROM "orders_in_windows" WHERE 1 = 0) AS "revenue" FROM "periods" CROSS JOIN (SELECT DISTINCT "orders_in_windows"."status" AS "status" FROM "orders_in_windows") AS "orders_in_windows_2") AS "parts"
  GROUP BY "parts"."day_month", "parts"."status"
)
SELECT "parts_3"."day_month" AS "day_month", "parts_3"."status" AS "status", "parts_3"."revenue" AS "revenue", coalesce("parts_3"."order_count", 0) AS "order_count", "parts_3"."average" AS "average", "parts_3"."revenue_2" AS "revenue_prev_month", "parts_3"."revenue_3" AS "revenue_mtd", (CAST("parts_3"."revenue" AS double precision) / NULLIF("parts_3"."revenue_4", 0)) AS "revenue_share"
FROM (SELECT "parts_2"."day_month" AS "day_month", "parts_2"."status" AS "status", "parts_2"."revenue" AS "revenue", "parts_2"."order_count" AS "order_count", "parts_2"."average" AS "average", "parts_2"."revenue_2" AS "revenue_2", "parts_2"."revenue_3" AS "revenue_3", SUM("parts_2"."revenue") OVER () AS "revenue_4" FROM (SELECT "parts"."day_month" AS "day_month", "parts"."status" AS "status", MAX("parts"."revenue") AS "revenue", MAX("parts"."order_count") AS "order_count", MAX("parts"."average") AS "average", MAX("parts"."revenue_2") AS "revenue_2", MAX("parts"."revenue_3") AS "revenue_3" FROM (SELECT "orders_by_day_month_and_status"."day_month" AS "day_month", "orders_by_day_month_and_status"."status" AS "status", "orders_by_day_month_and_status"."revenue" AS "revenue", "orders_by_day_month_and_status"."order_count" AS "order_count", "orders_by_day_month_and_status"."average" AS "average", (SELECT MAX("orders_by_day_month_and_status_2"."revenue") FROM "orders_by_day_month_and_status_2" WHERE 1 = 0) AS "revenue_2", (SELECT MAX("orders_by_day_month_and_status_3"."revenue") FROM "orders_by_day_month_and_status_3" WHERE 1 = 0) AS "revenue_3" FROM "orders_by_day_month_and_status"
UNION ALL SELECT "orders_by_day_month_and_status_2"."day_month" AS "day_month", "orders_by_day_month_and_status_2"."status" AS "status", (SELECT MAX("orders_by_day_month_and_status"."revenue") FROM "orders_by_day_month_and_status" WHERE 1 = 0) AS "revenue", CAST(NULL AS bigint) AS "order_count", CAST(NULL AS double precision) AS "average", "orders_by_day_month_and_status_2"."revenue" AS "revenue_2", (SELECT MAX("orders_by_day_month_and_status_3"."revenue") FROM "orders_by_day_month_and_status_3" WHERE 1 = 0) AS "revenue_3" FROM "orders_by_day_month_and_status_2"
UNION ALL SELECT "orders_by_day_month_and_status_3"."day_month" AS "day_month", "orders_by_day_month_and_status_3"."status" AS "status", (SELECT MAX("orders_by_day_month_and_status"."revenue") FROM "orders_by_day_month_and_status" WHERE 1 = 0) AS "revenue", CAST(NULL AS bigint) AS "order_count", CAST(NULL AS double precision) AS "average", (SELECT MAX("orders_by_day_month_and_status_2"."revenue") FROM "orders_by_day_month_and_status_2" WHERE 1 = 0) AS "revenue_2", "orders_by_day_month_and_status_3"."revenue" AS "revenue_3" FROM "orders_by_day_month_and_status_3") AS "parts" GROUP BY "parts"."day_month", "parts"."status") AS "parts_2") AS "parts_3"
ORDER BY "parts_3"."day_month" ASC NULLS LAST, "parts_3"."status" ASC NULLS LAST
LIMIT 1000

-- snowflake
WITH "orders_by_day" AS (
  SELECT DATE_TRUNC('DAY', "orders"."DAY")::DATE AS "day_2", "orders"."STATUS" AS "status_2", SUM("orders"."AMOUNT") AS "revenue", COUNT(1) AS "order_count", COUNT("orders"."AMOUNT") AS "average"
  FROM "ORDERS" AS "orders"
  WHERE "orders"."DAY" >= CAST('2024-01-05' AS DATE) AND "orders"."DAY" < CAST('2024-05-01' AS DATE)
  GROUP BY DATE_TRUNC('DAY', "orders"."DAY")::DATE, "orders"."STATUS"
),
"orders_by_day_month_and_status" AS (
  SELECT DATE_TRUNC('MONTH', "orders_by_day"."day_2")::DATE AS "day_month", "orders_by_day"."status_2" AS "status", SUM("orders_by_day"."revenue") AS "revenue", CAST(COALESCE(SUM("orders_by_day"."order_count"), 0) AS NUMBER(38,0)) AS "order_count", (CAST(SUM("orders_by_day"."revenue") AS FLOAT)::FLOAT / NULLIF(SUM("orders_by_day"."average"), 0)) AS "average"
  FROM "orders_by_day"
  WHERE "orders_by_day"."day_2" >= CAST('2024-02-05' AS DATE)
  GROUP BY DATE_TRUNC('MONTH', "orders_by_day"."day_2")::DATE, "orders_by_day"."status_2"
),
"orders_by_day_month_and_status_2" AS (
  SELECT DATEADD(MONTH, 1, DATE_TRUNC('MONTH', "orders_by_day"."day_2")::DATE) AS "day_month", "orders_by_day"."status_2" AS "status", SUM("orders_by_day"."revenue") AS "revenue"
  FROM "orders_by_day"
  WHERE "orders_by_day"."day_2" < CAST('2024-04-01' AS DATE)
  GROUP BY DATEADD(MONTH, 1, DATE_TRUNC('MONTH', "orders_by_day"."day_2")::DATE), "orders_by_day"."status_2"
),
"periods" AS (
  SELECT "periods".period AS "period", DATEADD(MONTH, 1, "periods".period) AS "until", DATE_TRUNC('MONTH', "periods".period)::DATE AS "since"
  FROM (SELECT DATEADD(MONTH, ROW_NUMBER() OVER (ORDER BY NULL) - 1, CAST('2024-02-01' AS DATE)) AS period FROM TABLE(GENERATOR(ROWCOUNT => 100000)) QUALIFY period <= CAST('2024-04-01' AS DATE)) AS "periods"
),
"orders_in_windows" AS (
  SELECT "periods"."period" AS "day_month", "orders_by_day"."status_2" AS "status", "orders_by_day"."revenue" AS "revenue"
  FROM "periods" JOIN "orders_by_day" ON "orders_by_day"."day_2" >= "periods"."since" AND "orders_by_day"."day_2" < "periods"."until"
),
"orders_by_day_month_and_status_3" AS (
  SELECT "parts"."day_month" AS "day_month", "parts"."status" AS "status", SUM("parts"."revenue") AS "revenue"
  FROM (SELECT "orders_in_windows"."day_month" AS "day_month", "orders_in_windows"."status" AS "status", "orders_in_windows"."revenue" AS "revenue" FROM "orders_in_windows"
UNION ALL SELECT "periods"."period" AS "day_month", "orders_in_windows_2"."status" AS "status", (SELECT MAX("orders_in_windows"."revenue") FROM "orders_in_windows" WHERE 1 = 0) AS "revenue" FROM "periods" CROSS JOIN (SELECT DISTINCT "orders_in_windows"."status" AS "status" FROM "orders_in_windows") AS "orders_in_windows_2") AS "parts"
  GROUP BY "parts"."day_month", "parts"."status"
)
SELECT "parts_3"."day_month" AS "day_month", "parts_3"."status" AS "status", "parts_3"."revenue" AS "revenue", COALESCE("parts_3"."order_count", 0) AS "order_count", "parts_3"."average" AS "average", "parts_3"."revenue_2" AS "revenue_prev_month", "parts_3"."revenue_3" AS "revenue_mtd", ("parts_3"."revenue"::FLOAT / NULLIF("parts_3"."revenue_4", 0)) AS "revenue_share"
FROM (SELECT "parts_2"."day_month" AS "day_month", "parts_2"."status" AS "status", "parts_2"."revenue" AS "revenue", "parts_2"."order_count" AS "order_count", "parts_2"."average" AS "average", "parts_2"."revenue_2" AS "revenue_2", "parts_2"."revenue_3" AS "revenue_3", SUM("parts_2"."revenue") OVER () AS "revenue_4" FROM (SELECT "parts"."day_month" AS "day_month", "parts"."status" AS "status", MAX("parts"."revenue") AS "revenue", MAX("parts"."order_count") AS "order_count", MAX("parts"."average") AS "average", MAX("parts"."revenue_2") AS "revenue_2", MAX("parts"."revenue_3") AS "revenue_3" FROM (SELECT "orders_by_day_month_and_status"."day_month" AS "day_month", "orders_by_day_month_and_status"."status" AS "status", "orders_by_day_month_and_status"."revenue" AS "revenue", "orders_by_day_month_and_status"."order_count" AS "order_count", "orders_by_day_month_and_status"."average" AS "average", (SELECT MAX("orders_by_day_month_and_status_2"."revenue") FROM "orders_by_day_month_and_status_2" WHERE 1 = 0) AS "revenue_2", (SELECT MAX("orders_by_day_month_and_status_3"."revenue") FROM "orders_by_day_month_and_status_3" WHERE 1 = 0) AS "revenue_3" FROM "orders_by_day_month_and_status"
UNION ALL SELECT "orders_by_day_month_and_status_2"."day_month" AS "day_month", "orders_by_day_month_and_status_2"."status" AS "status", (SELECT MAX("orders_by_day_month_and_status"."revenue") FROM "orders_by_day_month_and_status" WHERE 1 = 0) AS "revenue", CAST(NULL AS NUMBER(38,0)) AS "order_count", CAST(NULL AS FLOAT) AS "average", "orders_by_day_month_and_status_2"."revenue" AS "revenue_2", (SELECT MAX("orders_by_day_month_and_status_3"."revenue") FROM "orders_by_day_month_and_status_3" WHERE 1 = 0) AS "revenue_3" FROM "orders_by_day_month_and_status_2"
UNION ALL SELECT "orders_by_day_month_and_status_3"."day_month" AS "day_month", "orders_by_day_month_and_status_3"."status" AS "status", (SELECT MAX("orders_by_day_month_and_status"."revenue") FROM "orders_by_day_month_and_status" WHERE 1 = 0) AS "revenue", CAST(NULL AS NUMBER(38,0)) AS "order_count", CAST(NULL AS FLOAT) AS "average", (SELECT MAX("orders_by_day_month_and_status_2"."revenue") FROM "orders_by_day_month_and_status_2" WHERE 1 = 0) AS "revenue_2", "orders_by_day_month_and_status_3"."revenue" AS "revenue_3" FROM "orders_by_day_month_and_status_3") AS "parts" GROUP BY "parts"."day_month", "parts"."status") AS "parts_2") AS "parts_3"
ORDER BY "parts_3"."day_month" ASC NULLS LAST, "parts_3"."status" ASC NULLS LAST
LIMIT 1000

-- sqlite
WITH "orders_by_day" AS (
  SELECT date("orders"."day") AS "day_2", "orders"."status" AS "status", SUM("orders"."amount") AS "revenue", COUNT(1) AS "order_count", COUNT("orders"."amount") AS "average"
  FROM "orders"
  WHERE "orders"."day" >= date('2024-01-05') AND "orders"."day" < date('2024-05-01')
  GROUP BY date("orders"."day"), "orders"."status"
),
"orders_by_day_month_and_status" AS (
  SELECT date("orders_by_day"."day_2", 'start of month') AS "day_month", "orders_by_day"."status" AS "status", SUM("orders_by_day"."revenue") AS "revenue", CAST(coalesce(SUM("orders_by_day"."order_count"), 0) AS INTEGER) AS "order_count", (CAST(CAST(SUM("orders_by_day"."revenue") AS REAL) AS REAL) / NULLIF(SUM("orders_by_day"."average"), 0)) AS "average"
  FROM "orders_by_day"
  WHERE "orders_by_day"."day_2" >= date('2024-02-05')
  GROUP BY date("orders_by_day"."day_2", 'start of month'), "orders_by_day"."status"
),
"orders_by_day_month_and_status_2" AS (
  SELECT date(date("orders_by_day"."day_2", 'start of month'), (1) || ' months', 'floor') AS "day_month", "orders_by_day"."status" AS "status", SUM("orders_by_day"."revenue") AS "revenue"
  FROM "orders_by_day"
  WHERE "orders_by_day"."day_2" < date('2024-04-01')
  GROUP BY date(date("orders_by_day"."day_2", 'start of month'), (1) || ' months', 'floor'), "orders_by_day"."status"
),
"periods" AS (
  SELECT "periods".period AS "period", date("periods".period, (1) || ' months', 'floor') AS "until", date("periods".period, 'start of month') AS "since"
  FROM (WITH RECURSIVE spine (period) AS (SELECT date(date('2024-02-01')) WHERE date(date('2024-02-01')) <= date(date('2024-04-01')) UNION ALL SELECT date(period, (1) || ' months') FROM spine WHERE date(period, (1) || ' months') <= date(date('2024-04-01'))) SELECT period FROM spine) AS "periods"
),
"orders_in_windows" AS (
  SELECT "periods"."period" AS "day_month", "orders_by_day"."status" AS "status", "orders_by_day"."revenue" AS "revenue"
  FROM "periods" JOIN "orders_by_day" ON "orders_by_day"."day_2" >= "periods"."since" AND "orders_by_day"."day_2" < "periods"."until"
),
"orders_by_day_month_and_status_3" AS (
  SELECT "parts"."day_month" AS "day_month", "parts"."status" AS "status", SUM("parts"."revenue") AS "revenue"
  FROM (SELECT "orders_in_windows"."day_month" AS "day_month", "orders_in_windows"."status" AS "status", "orders_in_windows"."revenue" AS "revenue" FROM "orders_in_windows"
UNION ALL SELECT "periods"."period" AS "day_month", "orders_in_windows_2"."status" AS "status", (SELECT MAX("orders_in_windows"."revenue") FROM "orders_in_windows" WHERE 1 = 0) AS "revenue" FROM "periods" CROSS JOIN (SELECT DISTINCT "orders_in_windows"."status" AS "status" FROM "orders_in_windows") AS "orders_in_windows_2") AS "parts"
  GROUP BY "parts"."day_month", "parts"."status"
)
SELECT "parts_3"."day_month" AS "day_month", "parts_3"."status" AS "status", "parts_3"."revenue" AS "revenue", coalesce("parts_3"."order_count", 0) AS "order_count", "parts_3"."average" AS "average", "parts_3"."revenue_2" AS "revenue_prev_month", "parts_3"."revenue_3" AS "revenue_mtd", (CAST("parts_3"."revenue" AS REAL) / NULLIF("parts_3"."revenue_4", 0)) AS "revenue_share"
FROM (SELECT "parts_2"."day_month" AS "day_month", "parts_2"."status" AS "status", "parts_2"."revenue" AS "revenue", "parts_2"."order_count" AS "order_count", "parts_2"."average" AS "average", "parts_2"."revenue_2" AS "revenue_2", "parts_2"."revenue_3" AS "revenue_3", SUM("parts_2"."revenue") OVER () AS "revenue_4" FROM (SELECT "parts"."day_month" AS "day_month", "parts"."status" AS "status", MAX("parts"."revenue") AS "revenue", MAX("parts"."order_count") AS "order_count", MAX("parts"."average") AS "average", MAX("parts"."revenue_2") AS "revenue_2", MAX("parts"."revenue_3") AS "revenue_3" FROM (SELECT "orders_by_day_month_and_status"."day_month" AS "day_month", "orders_by_day_month_and_status"."status" AS "status", "orders_by_day_month_and_status"."revenue" AS "revenue", "orders_by_day_month_and_status"."order_count" AS "order_count", "orders_by_day_month_and_status"."average" AS "average", (SELECT MAX("orders_by_day_month_and_status_2"."revenue") FROM "orders_by_day_month_and_status_2" WHERE 1 = 0) AS "revenue_2", (SELECT MAX("orders_by_day_month_and_status_3"."revenue") FROM "orders_by_day_month_and_status_3" WHERE 1 = 0) AS "revenue_3" FROM "orders_by_day_month_and_status"
UNION ALL SELECT "orders_by_day_month_and_status_2"."day_month" AS "day_month", "orders_by_day_month_and_status_2"."status" AS "status", (SELECT MAX("orders_by_day_month_and_status"."revenue") FROM "orders_by_day_month_and_status" WHERE 1 = 0) AS "revenue", CAST(NULL AS INTEGER) AS "order_count", CAST(NULL AS REAL) AS "average", "orders_by_day_month_and_status_2"."revenue" AS "revenue_2", (SELECT MAX("orders_by_day_month_and_status_3"."revenue") FROM "orders_by_day_month_and_status_3" WHERE 1 = 0) AS "revenue_3" FROM "orders_by_day_month_and_status_2"
UNION ALL SELECT "orders_by_day_month_and_status_3"."day_month" AS "day_month", "orders_by_day_month_and_status_3"."status" AS "status", (SELECT MAX("orders_by_day_month_and_status"."revenue") FROM "orders_by_day_month_and_status" WHERE 1 = 0) AS "revenue", CAST(NULL AS INTEGER) AS "order_count", CAST(NULL AS REAL) AS "average", (SELECT MAX("orders_by_day_month_and_status_2"."revenue") FROM "orders_by_day_month_and_status_2" WHERE 1 = 0) AS "revenue_2", "orders_by_day_month_and_status_3"."revenue" AS "revenue_3" FROM "orders_by_day_month_and_status_3") AS "parts" GROUP BY "parts"."day_month", "parts"."status") AS "parts_2") AS "parts_3"
ORDER BY "parts_3"."day_month" ASC NULLS LAST, "parts_3"."status" ASC NULLS LAST
LIMIT 1000

-- sqlserver
WITH [orders_by_day] AS (
  SELECT [orders_2].[day_2] AS [day], [orders_2].[status] AS [status], SUM([orders_2].[revenue]) AS [revenue], COUNT_BIG([orders_2].[order_count]) AS [order_count], COUNT_BIG([orders_2].[revenue]) AS [average]
  FROM (SELECT CAST([orders].[day] AS date) AS [day_2], [orders].[status] AS [status], [orders].[amount] AS [revenue], 1 AS [order_count] FROM [orders] WHERE [orders].[day] >= CAST(N'2024-01-05' AS date) AND [orders].[day] < CAST(N'2024-05-01' AS date)) AS [orders_2]
  GROUP BY [orders_2].[day_2], [orders_2].[status]
),
[orders_by_day_month_and_status] AS (
  SELECT [orders_by_day_2].[day_month] AS [day_month], [orders_by_day_2].[status] AS [status], SUM([orders_by_day_2].[revenue]) AS [revenue], CAST(COALESCE(SUM(CAST([orders_by_day_2].[order_count] AS bigint)), 0) AS bigint) AS [order_count], (CAST(CAST(SUM([orders_by_day_2].[revenue]) AS float) AS float) / NULLIF(SUM(CAST([orders_by_day_2].[average] AS bigint)), 0)) AS [average]
  FROM (SELECT DATETRUNC(month, CAST([orders_by_day].[day] AS date)) AS [day_month], [orders_by_day].[status] AS [status], [orders_by_day].[revenue] AS [revenue], [orders_by_day].[order_count] AS [order_count], [orders_by_day].[average] AS [average] FROM [orders_by_day] WHERE [orders_by_day].[day] >= CAST(N'2024-02-05' AS date)) AS [orders_by_day_2]
  GROUP BY [orders_by_day_2].[day_month], [orders_by_day_2].[status]
),
[orders_by_day_month_and_status_2] AS (
  SELECT [orders_by_day_2].[day_month] AS [day_month], [orders_by_day_2].[status] AS [status], SUM([orders_by_day_2].[revenue]) AS [revenue]
  FROM (SELECT DATEADD(MONTH, 1, DATETRUNC(month, CAST([orders_by_day].[day] AS date))) AS [day_month], [orders_by_day].[status] AS [status], [orders_by_day].[revenue] AS [revenue] FROM [orders_by_day] WHERE [orders_by_day].[day] < CAST(N'2024-04-01' AS date)) AS [orders_by_day_2]
  GROUP BY [orders_by_day_2].[day_month], [orders_by_day_2].[status]
),
[periods] AS (
  SELECT [periods].period AS [period], DATEADD(MONTH, 1, [periods].period) AS [until], DATETRUNC(month, CAST([periods].period AS date)) AS [since]
  FROM (SELECT TOP (DATEDIFF(MONTH, CAST(N'2024-02-01' AS date), CAST(N'2024-04-01' AS date)) + 1) DATEADD(MONTH, ROW_NUMBER() OVER (ORDER BY (SELECT NULL)) - 1, CAST(N'2024-02-01' AS date)) AS period FROM sys.all_columns a CROSS JOIN sys.all_columns b) AS [periods]
),
[orders_in_windows] AS (
  SELECT [periods].[period] AS [day_month], [orders_by_day].[status] AS [status], [orders_by_day].[revenue] AS [revenue]
  FROM [periods] JOIN [orders_by_day] ON [orders_by_day].[day] >= [periods].[since] AND [orders_by_day].[day] < [periods].[until]
),
[orders_by_day_month_and_status_3] AS (
  SELECT [parts].[day_month] AS [day_month], [parts].[status] AS [status], SUM([parts].[revenue]) AS [revenue]
  FROM (SELECT [orders_in_windows].[day_month] AS [day_month], [orders_in_windows].[status] AS [status], [orders_in_windows].[revenue] AS [revenue] FROM [orders_in_windows]
UNION ALL SELECT [periods].[period] AS [day_month], [orders_in_windows_2].[status] AS [status], (SELECT MAX([orders_in_windows].[revenue]) FROM [orders_in_windows] WHERE 1 = 0) AS [revenue] FROM [periods] CROSS JOIN (SELECT DISTINCT [orders_in_windows].[status] AS [status] FROM [orders_in_windows]) AS [orders_in_windows_2]) AS [parts]
  GROUP BY [parts].[day_month], [parts].[status]
)
SELECT TOP (1000) [parts_3].[day_month] AS [day_month], [parts_3].[status] AS [status], [parts_3].[revenue] AS [revenue], COALESCE([parts_3].[order_count], 0) AS [order_count], [parts_3].[average] AS [average], [parts_3].[revenue_2] AS [revenue_prev_month], [parts_3].[revenue_3] AS [revenue_mtd], (CAST([parts_3].[revenue] AS float) / NULLIF([parts_3].[revenue_4], 0)) AS [revenue_share]
FROM (SELECT [parts_2].[day_month] AS [day_month], [parts_2].[status] AS [status], [parts_2].[revenue] AS [revenue], [parts_2].[order_count] AS [order_count], [parts_2].[average] AS [average], [parts_2].[revenue_2] AS [revenue_2], [parts_2].[revenue_3] AS [revenue_3], SUM([parts_2].[revenue]) OVER () AS [revenue_4] FROM (SELECT [parts].[day_month] AS [day_month], [parts].[status] AS [status], MAX([parts].[revenue]) AS [revenue], MAX([parts].[order_count]) AS [order_count], MAX([parts].[average]) AS [average], MAX([parts].[revenue_2]) AS [revenue_2], MAX([parts].[revenue_3]) AS [revenue_3] FROM (SELECT [orders_by_day_month_and_status].[day_month] AS [day_month], [orders_by_day_month_and_status].[status] AS [status], [orders_by_day_month_and_status].[revenue] AS [revenue], [orders_by_day_month_and_status].[order_count] AS [order_count], [orders_by_day_month_and_status].[average] AS [average], (SELECT MAX([orders_by_day_month_and_status_2].[revenue]) FROM [orders_by_day_month_and_status_2] WHERE 1 = 0) AS [revenue_2], (SELECT MAX([orders_by_day_month_and_status_3].[revenue]) FROM [orders_by_day_month_and_status_3] WHERE 1 = 0) AS [revenue_3] FROM [orders_by_day_month_and_status]
UNION ALL SELECT [orders_by_day_month_and_status_2].[day_month] AS [day_month], [orders_by_day_month_and_status_2].[status] AS [status], (SELECT MAX([orders_by_day_month_and_status].[revenue]) FROM [orders_by_day_month_and_status] WHERE 1 = 0) AS [revenue], CAST(NULL AS bigint) AS [order_count], CAST(NULL AS float) AS [average], [orders_by_day_month_and_status_2].[revenue] AS [revenue_2], (SELECT MAX([orders_by_day_month_and_status_3].[revenue]) FROM [orders_by_day_month_and_status_3] WHERE 1 = 0) AS [revenue_3] FROM [orders_by_day_month_and_status_2]
UNION ALL SELECT [orders_by_day_month_and_status_3].[day_month] AS [day_month], [orders_by_day_month_and_status_3].[status] AS [status], (SELECT MAX([orders_by_day_month_and_status].[revenue]) FROM [orders_by_day_month_and_status] WHERE 1 = 0) AS [revenue], CAST(NULL AS bigint) AS [order_count], CAST(NULL AS float) AS [average], (SELECT MAX([orders_by_day_month_and_status_2].[revenue]) FROM [orders_by_day_month_and_status_2] WHERE 1 = 0) AS [revenue_2], [orders_by_day_month_and_status_3].[revenue] AS [revenue_3] FROM [orders_by_day_month_and_status_3]) AS [parts] GROUP BY [parts].[day_month], [parts].[status]) AS [parts_2]) AS [parts_3]
ORDER BY CASE WHEN [parts_3].[day_month] IS NULL THEN 1 ELSE 0 END, [parts_3].[day_month] ASC, CASE WHEN [parts_3].[status] IS NULL THEN 1 ELSE 0 END, [parts_3].[status] ASC

