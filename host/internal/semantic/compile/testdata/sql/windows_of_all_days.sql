-- bigquery
WITH `orders_by_day` AS (
  SELECT CAST(`orders`.`day` AS DATE) AS `day_2`, SUM(`orders`.`amount`) AS `revenue`, COUNT(1) AS `order_count`
  FROM `orders`
  GROUP BY CAST(`orders`.`day` AS DATE)
),
`orders_by_day_day` AS (
  SELECT `orders_by_day`.`day_2` AS `day_day`, `orders_by_day`.`revenue` AS `revenue`
  FROM `orders_by_day`
),
`shown` AS (
  SELECT `parts`.`day_day` AS `day_day`
  FROM (SELECT `orders_by_day_day`.`day_day` AS `day_day` FROM `orders_by_day_day`
UNION ALL SELECT `orders_by_day`.`day_2` AS `day_day` FROM `orders_by_day`) AS `parts`
),
`every_day` AS (
  SELECT `periods`.period AS `period`
  FROM (SELECT period FROM UNNEST(GENERATE_DATE_ARRAY(CAST((SELECT MIN(`shown`.`day_day`) AS `first_day_day` FROM `shown`) AS DATE), CAST((SELECT MAX(`shown`.`day_day`) AS `last_day_day` FROM `shown`) AS DATE), INTERVAL 1 DAY)) AS period) AS `periods`
),
`orders_by_day_day_2` AS (
  SELECT `every_day_2`.`period` AS `period`, `every_day_2`.`revenue_2` AS `revenue`
  FROM (SELECT `every_day`.`period` AS `period`, `orders_by_day_2`.`day_day` AS `day_day`, `orders_by_day_2`.`revenue` AS `revenue`, SUM(`orders_by_day_2`.`revenue`) OVER (PARTITION BY DATE_TRUNC(CAST(`every_day`.`period` AS DATE), MONTH) ORDER BY `every_day`.`period` ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS `revenue_2` FROM `every_day` LEFT JOIN (SELECT `orders_by_day`.`day_2` AS `day_day`, `orders_by_day`.`revenue` AS `revenue` FROM `orders_by_day`) AS `orders_by_day_2` ON `orders_by_day_2`.`day_day` = `every_day`.`period`) AS `every_day_2`
),
`orders_by_day_day_3` AS (
  SELECT `every_day_2`.`period` AS `period`, CAST(COALESCE(`every_day_2`.`order_count_2`, 0) AS INT64) AS `order_count`
  FROM (SELECT `every_day`.`period` AS `period`, `orders_by_day_2`.`day_day` AS `day_day`, `orders_by_day_2`.`order_count` AS `order_count`, SUM(`orders_by_day_2`.`order_count`) OVER (ORDER BY `every_day`.`period` ASC NULLS FIRST ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) AS `order_count_2` FROM `every_day` LEFT JOIN (SELECT `orders_by_day`.`day_2` AS `day_day`, `orders_by_day`.`order_count` AS `order_count` FROM `orders_by_day`) AS `orders_by_day_2` ON `orders_by_day_2`.`day_day` = `every_day`.`period`) AS `every_day_2`
)
SELECT `parts`.`day_day` AS `day_day`, MAX(`parts`.`revenue`) AS `revenue`, MAX(`parts`.`revenue_2`) AS `revenue_mtd`, COALESCE(MAX(`parts`.`order_count`), 0) AS `orders_7d`
FROM (SELECT `orders_by_day_day`.`day_day` AS `day_day`, `orders_by_day_day`.`revenue` AS `revenue`, (SELECT MAX(`orders_by_day_day_2`.`revenue`) FROM `orders_by_day_day_2` WHERE 1 = 0) AS `revenue_2`, CAST(NULL AS INT64) AS `order_count` FROM `orders_by_day_day`
UNION ALL SELECT `orders_by_day_day_2`.`period` AS `day_day`, (SELECT MAX(`orders_by_day_day`.`revenue`) FROM `orders_by_day_day` WHERE 1 = 0) AS `revenue`, `orders_by_day_day_2`.`revenue` AS `revenue_2`, CAST(NULL AS INT64) AS `order_count` FROM `orders_by_day_day_2`
UNION ALL SELECT `orders_by_day_day_3`.`period` AS `day_day`, (SELECT MAX(`orders_by_day_day`.`revenue`) FROM `orders_by_day_day` WHERE 1 = 0) AS `revenue`, (SELECT MAX(`orders_by_day_day_2`.`revenue`) FROM `orders_by_day_day_2` WHERE 1 = 0) AS `revenue_2`, `orders_by_day_day_3`.`order_count` AS `order_count` FROM `orders_by_day_day_3`) AS `parts`
GROUP BY `parts`.`day_day`
ORDER BY `parts`.`day_day` ASC NULLS LAST
LIMIT 1000

-- clickhouse
WITH `orders_by_day` AS (
  SELECT toDate32(`orders`.`day`) AS `day_2`, sumOrNull(toNullable(`orders`.`amount`)) AS `revenue`, toInt64(count(toNullable(1))) AS `order_count`
  FROM `orders`
  GROUP BY toDate32(`orders`.`day`)
),
`orders_by_day_day` AS (
  SELECT `orders_by_day`.`day_2` AS `day_day`, `orders_by_day`.`revenue` AS `revenue`
  FROM `orders_by_day`
),
`every_day` AS (
  SELECT `periods`.period AS `period`
  FROM (WITH (SELECT (toDate32(`ends`.`first_day_day`), toDate32(`ends`.`last_day_day`)) FROM (SELECT minOrNull(toDate32(`orders`.`day`)) AS `first_day_day`, maxOrNull(toDate32(`orders`.`day`)) AS `last_day_day` FROM `orders`) AS `ends`) AS loam_ends SELECT addDays(loam_ends.1, arrayJoin(range(toUInt64(ifNull(greatest(dateDiff('day', loam_ends.1, loam_ends.2) + 1, 0), 0))))) AS period) AS `periods`
),
`orders_by_day_day_2` AS (
  SELECT `every_day_2`.`period` AS `period`, `every_day_2`.`revenue_2` AS `revenue`
  FROM (SELECT `every_day`.`period` AS `period`, `orders_by_day_2`.`day_day` AS `day_day`, `orders_by_day_2`.`revenue` AS `revenue`, SUM(`orders_by_day_2`.`revenue`) OVER (PARTITION BY makeDate32(toYear(`every_day`.`period`), toMonth(`every_day`.`period`), 1) ORDER BY `every_day`.`period` ASC NULLS LAST ROWS UNBOUNDED PRECEDING) AS `revenue_2` FROM `every_day` LEFT JOIN (SELECT `orders_by_day`.`day_2` AS `day_day`, toNullable(`orders_by_day`.`revenue`) AS `revenue` FROM `orders_by_day`) AS `orders_by_day_2` ON `orders_by_day_2`.`day_day` = `every_day`.`period`) AS `every_day_2`
),
`orders_by_day_day_3` AS (
  SELECT `every_day_2`.`period` AS `period`, CAST(coalesce(`every_day_2`.`order_count_2`, 0) AS Nullable(Int64)) AS `order_count`
  FROM (SELECT `every_day`.`period` AS `period`, `orders_by_day_2`.`day_day` AS `day_day`, `orders_by_day_2`.`order_count` AS `order_count`, SUM(`orders_by_day_2`.`order_count`) OVER (ORDER BY `every_day`.`period` ASC NULLS LAST ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) AS `order_count_2` FROM `every_day` LEFT JOIN (SELECT `orders_by_day`.`day_2` AS `day_day`, toNullable(`orders_by_day`.`order_count`) AS `order_count` FROM `orders_by_day`) AS `orders_by_day_2` ON `orders_by_day_2`.`day_day` = `every_day`.`period`) AS `every_day_2`
)
SELECT `parts`.`day_day` AS `day_day`, maxOrNull(`parts`.`revenue`) AS `revenue`, maxOrNull(`parts`.`revenue_2`) AS `revenue_mtd`, coalesce(maxOrNull(`parts`.`order_count`), 0) AS `orders_7d`
FROM (SELECT `orders_by_day_day`.`day_day` AS `day_day`, `orders_by_day_day`.`revenue` AS `revenue`, (SELECT MAX(`orders_by_day_day_2`.`revenue`) FROM `orders_by_day_day_2` WHERE 1 = 0) AS `revenue_2`, CAST(NULL AS Nullable(Int64)) AS `order_count` FROM `orders_by_day_day`
UNION ALL SELECT `orders_by_day_day_2`.`period` AS `day_day`, (SELECT MAX(`orders_by_day_day`.`revenue`) FROM `orders_by_day_day` WHERE 1 = 0) AS `revenue`, `orders_by_day_day_2`.`revenue` AS `revenue_2`, CAST(NULL AS Nullable(Int64)) AS `order_count` FROM `orders_by_day_day_2`
UNION ALL SELECT `orders_by_day_day_3`.`period` AS `day_day`, (SELECT MAX(`orders_by_day_day`.`revenue`) FROM `orders_by_day_day` WHERE 1 = 0) AS `revenue`, (SELECT MAX(`orders_by_day_day_2`.`revenue`) FROM `orders_by_day_day_2` WHERE 1 = 0) AS `revenue_2`, `orders_by_day_day_3`.`order_count` AS `order_count` FROM `orders_by_day_day_3`) AS `parts`
GROUP BY `parts`.`day_day`
ORDER BY `parts`.`day_day` ASC NULLS LAST
LIMIT 1000

-- duckdb
WITH "orders_by_day" AS (
  SELECT CAST(date_trunc('day', "orders"."day") AS DATE) AS "day_2", SUM("orders"."amount") AS "revenue", COUNT(1) AS "order_count"
  FROM "orders"
  GROUP BY CAST(date_trunc('day', "orders"."day") AS DATE)
),
"orders_by_day_day" AS (
  SELECT "orders_by_day"."day_2" AS "day_day", "orders_by_day"."revenue" AS "revenue"
  FROM "orders_by_day"
),
"shown" AS (
  SELECT "parts"."day_day" AS "day_day"
  FROM (SELECT "orders_by_day_day"."day_day" AS "day_day" FROM "orders_by_day_day"
UNION ALL SELECT "orders_by_day"."day_2" AS "day_day" FROM "orders_by_day") AS "parts"
),
"every_day" AS (
  SELECT "periods".period AS "period"
  FROM (SELECT CAST(unnest(generate_series(CAST(date_trunc('day', (SELECT MIN("shown"."day_day") AS "first_day_day" FROM "shown")) AS DATE), CAST(date_trunc('day', (SELECT MAX("shown"."day_day") AS "last_day_day" FROM "shown")) AS DATE), INTERVAL 1 day)) AS DATE) AS period) AS "periods"
),
"orders_by_day_day_2" AS (
  SELECT "every_day_2"."period" AS "period", "every_day_2"."revenue_2" AS "revenue"
  FROM (SELECT "every_day"."period" AS "period", "orders_by_day_2"."day_day" AS "day_day", "orders_by_day_2"."revenue" AS "revenue", SUM("orders_by_day_2"."revenue") OVER (PARTITION BY CAST(date_trunc('month', "every_day"."period") AS DATE) ORDER BY "every_day"."period" ASC NULLS LAST ROWS UNBOUNDED PRECEDING) AS "revenue_2" FROM "every_day" LEFT JOIN (SELECT "orders_by_day"."day_2" AS "day_day", "orders_by_day"."revenue" AS "revenue" FROM "orders_by_day") AS "orders_by_day_2" ON "orders_by_day_2"."day_day" = "every_day"."period") AS "every_day_2"
),
"orders_by_day_day_3" AS (
  SELECT "every_day_2"."period" AS "period", CAST(coalesce("every_day_2"."order_count_2", 0) AS BIGINT) AS "order_count"
  FROM (SELECT "every_day"."period" AS "period", "orders_by_day_2"."day_day" AS "day_day", "orders_by_day_2"."order_count" AS "order_count", SUM("orders_by_day_2"."order_count") OVER (ORDER BY "every_day"."period" ASC NULLS LAST ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) AS "order_count_2" FROM "every_day" LEFT JOIN (SELECT "orders_by_day"."day_2" AS "day_day", "orders_by_day"."order_count" AS "order_count" FROM "orders_by_day") AS "orders_by_day_2" ON "orders_by_day_2"."day_day" = "every_day"."period") AS "every_day_2"
)
SELECT "parts"."day_day" AS "day_day", MAX("parts"."revenue") AS "revenue", MAX("parts"."revenue_2") AS "revenue_mtd", coalesce(MAX("parts"."order_count"), 0) AS "orders_7d"
FROM (SELECT "orders_by_day_day"."day_day" AS "day_day", "orders_by_day_day"."revenue" AS "revenue", (SELECT MAX("orders_by_day_day_2"."revenue") FROM "orders_by_day_day_2" WHERE 1 = 0) AS "revenue_2", CAST(NULL AS BIGINT) AS "order_count" FROM "orders_by_day_day"
UNION ALL SELECT "orders_by_day_day_2"."period" AS "day_day", (SELECT MAX("orders_by_day_day"."revenue") FROM "orders_by_day_day" WHERE 1 = 0) AS "revenue", "orders_by_day_day_2"."revenue" AS "revenue_2", CAST(NULL AS BIGINT) AS "order_count" FROM "orders_by_day_day_2"
UNION ALL SELECT "orders_by_day_day_3"."period" AS "day_day", (SELECT MAX("orders_by_day_day"."revenue") FROM "orders_by_day_day" WHERE 1 = 0) AS "revenue", (SELECT MAX("orders_by_day_day_2"."revenue") FROM "orders_by_day_day_2" WHERE 1 = 0) AS "revenue_2", "orders_by_day_day_3"."order_count" AS "order_count" FROM "orders_by_day_day_3") AS "parts"
GROUP BY "parts"."day_day"
ORDER BY "parts"."day_day" ASC NULLS LAST
LIMIT 1000

-- mysql
WITH `orders_by_day` AS (
  SELECT `orders_2`.`day_2` AS `day`, SUM(`orders_2`.`revenue`) AS `revenue`, COUNT(`orders_2`.`order_count`) AS `order_count`
  FROM (SELECT DATE(`orders`.`day`) AS `day_2`, `orders`.`amount` AS `revenue`, 1 AS `order_count` FROM `orders`) AS `orders_2`
  GROUP BY `orders_2`.`day_2`
),
`orders_by_day_day` AS (
  SELECT `orders_by_day`.`day` AS `day_day`, `orders_by_day`.`revenue` AS `revenue`
  FROM `orders_by_day`
),
`every_day` AS (
  SELECT `periods`.period AS `period`
  FROM (SELECT DATE_ADD(b.lo, INTERVAL n.i - 1 DAY) AS period FROM (SELECT DATE(`ends`.`first_day_day`) AS lo, DATE(`ends`.`last_day_day`) AS hi FROM (SELECT MIN(DATE(`orders`.`day`)) AS `first_day_day`, MAX(DATE(`orders`.`day`)) AS `last_day_day` FROM `orders`) AS `ends`) AS b JOIN JSON_TABLE(CONCAT('[0', REPEAT(',0', TIMESTAMPDIFF(DAY, b.lo, b.hi)), ']'), '$[*]' COLUMNS (i FOR ORDINALITY)) AS n WHERE b.lo <= b.hi) AS `periods`
),
`orders_by_day_day_2` AS (
  SELECT `every_day_2`.`period` AS `period`, `every_day_2`.`revenue_2` AS `revenue`
  FROM (SELECT `every_day`.`period` AS `period`, `orders_by_day_2`.`day_day` AS `day_day`, `orders_by_day_2`.`revenue` AS `revenue`, SUM(`orders_by_day_2`.`revenue`) OVER (PARTITION BY CAST(DATE_FORMAT(`every_day`.`period`, '%Y-%m-01') AS DATE) ORDER BY `every_day`.`period` ASC ROWS UNBOUNDED PRECEDING) AS `revenue_2` FROM `every_day` LEFT JOIN (SELECT `orders_by_day`.`day` AS `day_day`, `orders_by_day`.`revenue` AS `revenue` FROM `orders_by_day`) AS `orders_by_day_2` ON `orders_by_day_2`.`day_day` = `every_day`.`period`) AS `every_day_2`
),
`orders_by_day_day_3` AS (
  SELECT `every_day_2`.`period` AS `period`, CAST(COALESCE(`every_day_2`.`order_count_2`, 0) AS SIGNED) AS `order_count`
  FROM (SELECT `every_day`.`period` AS `period`, `orders_by_day_2`.`day_day` AS `day_day`, `orders_by_day_2`.`order_count` AS `order_count`, SUM(`orders_by_day_2`.`order_count`) OVER (ORDER BY `every_day`.`period` ASC ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) AS `order_count_2` FROM `every_day` LEFT JOIN (SELECT `orders_by_day`.`day` AS `day_day`, `orders_by_day`.`order_count` AS `order_count` FROM `orders_by_day`) AS `orders_by_day_2` ON `orders_by_day_2`.`day_day` = `every_day`.`period`) AS `every_day_2`
)
SELECT `parts`.`day_day` AS `day_day`, MAX(`parts`.`revenue`) AS `revenue`, MAX(`parts`.`revenue_2`) AS `revenue_mtd`, COALESCE(MAX(`parts`.`order_count`), 0) AS `orders_7d`
FROM (SELECT `orders_by_day_day`.`day_day` AS `day_day`, `orders_by_day_day`.`revenue` AS `revenue`, (SELECT MAX(`orders_by_day_day_2`.`revenue`) FROM `orders_by_day_day_2` WHERE 1 = 0) AS `revenue_2`, CAST(NULL AS SIGNED) AS `order_count` FROM `orders_by_day_day`
UNION ALL SELECT `orders_by_day_day_2`.`period` AS `day_day`, (SELECT MAX(`orders_by_day_day`.`revenue`) FROM `orders_by_day_day` WHERE 1 = 0) AS `revenue`, `orders_by_day_day_2`.`revenue` AS `revenue_2`, CAST(NULL AS SIGNED) AS `order_count` FROM `orders_by_day_day_2`
UNION ALL SELECT `orders_by_day_day_3`.`period` AS `day_day`, (SELECT MAX(`orders_by_day_day`.`revenue`) FROM `orders_by_day_day` WHERE 1 = 0) AS `revenue`, (SELECT MAX(`orders_by_day_day_2`.`revenue`) FROM `orders_by_day_day_2` WHERE 1 = 0) AS `revenue_2`, `orders_by_day_day_3`.`order_count` AS `order_count` FROM `orders_by_day_day_3`) AS `parts`
GROUP BY `parts`.`day_day`
ORDER BY `parts`.`day_day` IS NULL, `parts`.`day_day` ASC
LIMIT 1000

-- postgres
WITH "orders_by_day" AS (
  SELECT CAST("orders"."day" AS date) AS "day_2", SUM("orders"."amount") AS "revenue", COUNT(1) AS "order_count"
  FROM "orders"
  GROUP BY CAST("orders"."day" AS date)
),
"orders_by_day_day" AS (
  SELECT "orders_by_day"."day_2" AS "day_day", "orders_by_day"."revenue" AS "revenue"
  FROM "orders_by_day"
),
"shown" AS (
  SELECT "parts"."day_day" AS "day_day"
  FROM (SELECT "orders_by_day_day"."day_day" AS "day_day" FROM "orders_by_day_day"
UNION ALL SELECT "orders_by_day"."day_2" AS "day_day" FROM "orders_by_day") AS "parts"
),
"every_day" AS (
  SELECT "periods".period AS "period"
  FROM (SELECT CAST(p AS date) AS period FROM generate_series(CAST(CAST((SELECT MIN("shown"."day_day") AS "first_day_day" FROM "shown") AS date) AS timestamp), CAST(CAST((SELECT MAX("shown"."day_day") AS "last_day_day" FROM "shown") AS date) AS timestamp), INTERVAL '1 day') AS s (p)) AS "periods"
),
"orders_by_day_day_2" AS (
  SELECT "every_day_2"."period" AS "period", "every_day_2"."revenue_2" AS "revenue"
  FROM (SELECT "every_day"."period" AS "period", "orders_by_day_2"."day_day" AS "day_day", "orders_by_day_2"."revenue" AS "revenue", SUM("orders_by_day_2"."revenue") OVER (PARTITION BY CAST(date_trunc('month', "every_day"."period") AS date) ORDER BY "every_day"."period" ASC NULLS LAST ROWS UNBOUNDED PRECEDING) AS "revenue_2" FROM "every_day" LEFT JOIN (SELECT "orders_by_day"."day_2" AS "day_day", "orders_by_day"."revenue" AS "revenue" FROM "orders_by_day") AS "orders_by_day_2" ON "orders_by_day_2"."day_day" = "every_day"."period") AS "every_day_2"
),
"orders_by_day_day_3" AS (
  SELECT "every_day_2"."period" AS "period", CAST(coalesce("every_day_2"."order_count_2", 0) AS bigint) AS "order_count"
  FROM (SELECT "every_day"."period" AS "period", "orders_by_day_2"."day_day" AS "day_day", "orders_by_day_2"."order_count" AS "order_count", SUM("orders_by_day_2"."order_count") OVER (ORDER BY "every_day"."period" ASC NULLS LAST ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) AS "order_count_2" FROM "every_day" LEFT JOIN (SELECT "orders_by_day"."day_2" AS "day_day", "orders_by_day"."order_count" AS "order_count" FROM "orders_by_day") AS "orders_by_day_2" ON "orders_by_day_2"."day_day" = "every_day"."period") AS "every_day_2"
)
SELECT "parts"."day_day" AS "day_day", MAX("parts"."revenue") AS "revenue", MAX("parts"."revenue_2") AS "revenue_mtd", coalesce(MAX("parts"."order_count"), 0) AS "orders_7d"
FROM (SELECT "orders_by_day_day"."day_day" AS "day_day", "orders_by_day_day"."revenue" AS "revenue", (SELECT MAX("orders_by_day_day_2"."revenue") FROM "orders_by_day_day_2" WHERE 1 = 0) AS "revenue_2", CAST(NULL AS bigint) AS "order_count" FROM "orders_by_day_day"
UNION ALL SELECT "orders_by_day_day_2"."period" AS "day_day", (SELECT MAX("orders_by_day_day"."revenue") FROM "orders_by_day_day" WHERE 1 = 0) AS "revenue", "orders_by_day_day_2"."revenue" AS "revenue_2", CAST(NULL AS bigint) AS "order_count" FROM "orders_by_day_day_2"
UNION ALL SELECT "orders_by_day_day_3"."period" AS "day_day", (SELECT MAX("orders_by_day_day"."revenue") FROM "orders_by_day_day" WHERE 1 = 0) AS "revenue", (SELECT MAX("orders_by_day_day_2"."revenue") FROM "orders_by_day_day_2" WHERE 1 = 0) AS "revenue_2", "orders_by_day_day_3"."order_count" AS "order_count" FROM "orders_by_day_day_3") AS "parts"
GROUP BY "parts"."day_day"
ORDER BY "parts"."day_day" ASC NULLS LAST
LIMIT 1000

-- snowflake
WITH "orders_by_day" AS (
  SELECT DATE_TRUNC('DAY', "orders"."DAY")::DATE AS "day_2", SUM("orders"."AMOUNT") AS "revenue", COUNT(1) AS "order_count"
  FROM "ORDERS" AS "orders"
  GROUP BY DATE_TRUNC('DAY', "orders"."DAY")::DATE
),
"orders_by_day_day" AS (
  SELECT "orders_by_day"."day_2" AS "day_day", "orders_by_day"."revenue" AS "revenue"
  FROM "orders_by_day"
),
"shown" AS (
  SELECT "parts"."day_day" AS "day_day"
  FROM (SELECT "orders_by_day_day"."day_day" AS "day_day" FROM "orders_by_day_day"
UNION ALL SELECT "orders_by_day"."day_2" AS "day_day" FROM "orders_by_day") AS "parts"
),
"every_day" AS (
  SELECT "periods".period AS "period"
  FROM (SELECT DATEADD(DAY, ROW_NUMBER() OVER (ORDER BY NULL) - 1, DATE_TRUNC('DAY', (SELECT MIN("shown"."day_day") AS "first_day_day" FROM "shown"))::DATE) AS period FROM TABLE(GENERATOR(ROWCOUNT => 100000)) QUALIFY period <= DATE_TRUNC('DAY', (SELECT MAX("shown"."day_day") AS "last_day_day" FROM "shown"))::DATE) AS "periods"
),
"orders_by_day_day_2" AS (
  SELECT "every_day_2"."period" AS "period", "every_day_2"."revenue_2" AS "revenue"
  FROM (SELECT "every_day"."period" AS "period", "orders_by_day_2"."day_day" AS "day_day", "orders_by_day_2"."revenue" AS "revenue", SUM("orders_by_day_2"."revenue") OVER (PARTITION BY DATE_TRUNC('MONTH', "every_day"."period")::DATE ORDER BY "every_day"."period" ASC NULLS LAST ROWS UNBOUNDED PRECEDING) AS "revenue_2" FROM "every_day" LEFT JOIN (SELECT "orders_by_day"."day_2" AS "day_day", "orders_by_day"."revenue" AS "revenue" FROM "orders_by_day") AS "orders_by_day_2" ON "orders_by_day_2"."day_day" = "every_day"."period") AS "every_day_2"
),
"orders_by_day_day_3" AS (
  SELECT "every_day_2"."period" AS "period", CAST(COALESCE("every_day_2"."order_count_2", 0) AS NUMBER(38,0)) AS "order_count"
  FROM (SELECT "every_day"."period" AS "period", "orders_by_day_2"."day_day" AS "day_day", "orders_by_day_2"."order_count" AS "order_count", SUM("orders_by_day_2"."order_count") OVER (ORDER BY "every_day"."period" ASC NULLS LAST ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) AS "order_count_2" FROM "every_day" LEFT JOIN (SELECT "orders_by_day"."day_2" AS "day_day", "orders_by_day"."order_count" AS "order_count" FROM "orders_by_day") AS "orders_by_day_2" ON "orders_by_day_2"."day_day" = "every_day"."period") AS "every_day_2"
)
SELECT "parts"."day_day" AS "day_day", MAX("parts"."revenue") AS "revenue", MAX("parts"."revenue_2") AS "revenue_mtd", COALESCE(MAX("parts"."order_count"), 0) AS "orders_7d"
FROM (SELECT "orders_by_day_day"."day_day" AS "day_day", "orders_by_day_day"."revenue" AS "revenue", (SELECT MAX("orders_by_day_day_2"."revenue") FROM "orders_by_day_day_2" WHERE 1 = 0) AS "revenue_2", CAST(NULL AS NUMBER(38,0)) AS "order_count" FROM "orders_by_day_day"
UNION ALL SELECT "orders_by_day_day_2"."period" AS "day_day", (SELECT MAX("orders_by_day_day"."revenue") FROM "orders_by_day_day" WHERE 1 = 0) AS "revenue", "orders_by_day_day_2"."revenue" AS "revenue_2", CAST(NULL AS NUMBER(38,0)) AS "order_count" FROM "orders_by_day_day_2"
UNION ALL SELECT "orders_by_day_day_3"."period" AS "day_day", (SELECT MAX("orders_by_day_day"."revenue") FROM "orders_by_day_day" WHERE 1 = 0) AS "revenue", (SELECT MAX("orders_by_day_day_2"."revenue") FROM "orders_by_day_day_2" WHERE 1 = 0) AS "revenue_2", "orders_by_day_day_3"."order_count" AS "order_count" FROM "orders_by_day_day_3") AS "parts"
GROUP BY "parts"."day_day"
ORDER BY "parts"."day_day" ASC NULLS LAST
LIMIT 1000

-- sqlite
WITH "orders_by_day" AS (
  SELECT date("orders"."day") AS "day_2", SUM("orders"."amount") AS "revenue", COUNT(1) AS "order_count"
  FROM "orders"
  GROUP BY date("orders"."day")
),
"orders_by_day_day" AS (
  SELECT "orders_by_day"."day_2" AS "day_day", "orders_by_day"."revenue" AS "revenue"
  FROM "orders_by_day"
),
"shown" AS (
  SELECT "parts"."day_day" AS "day_day"
  FROM (SELECT "orders_by_day_day"."day_day" AS "day_day" FROM "orders_by_day_day"
UNION ALL SELECT "orders_by_day"."day_2" AS "day_day" FROM "orders_by_day") AS "parts"
),
"every_day" AS (
  SELECT "periods".period AS "period"
  FROM (WITH RECURSIVE spine (period) AS (SELECT date(date((SELECT MIN("shown"."day_day") AS "first_day_day" FROM "shown"))) WHERE date(date((SELECT MIN("shown"."day_day") AS "first_day_day" FROM "shown"))) <= date(date((SELECT MAX("shown"."day_day") AS "last_day_day" FROM "shown"))) UNION ALL SELECT date(period, (1) || ' days') FROM spine WHERE date(period, (1) || ' days') <= date(date((SELECT MAX("shown"."day_day") AS "last_day_day" FROM "shown")))) SELECT period FROM spine) AS "periods"
),
"orders_by_day_day_2" AS (
  SELECT "every_day_2"."period" AS "period", "every_day_2"."revenue_2" AS "revenue"
  FROM (SELECT "every_day"."period" AS "period", "orders_by_day_2"."day_day" AS "day_day", "orders_by_day_2"."revenue" AS "revenue", SUM("orders_by_day_2"."revenue") OVER (PARTITION BY date("every_day"."period", 'start of month') ORDER BY "every_day"."period" ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS "revenue_2" FROM "every_day" LEFT JOIN (SELECT "orders_by_day"."day_2" AS "day_day", "orders_by_day"."revenue" AS "revenue" FROM "orders_by_day") AS "orders_by_day_2" ON "orders_by_day_2"."day_day" = "every_day"."period") AS "every_day_2"
),
"orders_by_day_day_3" AS (
  SELECT "every_day_2"."period" AS "period", CAST(coalesce("every_day_2"."order_count_2", 0) AS INTEGER) AS "order_count"
  FROM (SELECT "every_day"."period" AS "period", "orders_by_day_2"."day_day" AS "day_day", "orders_by_day_2"."order_count" AS "order_count", SUM("orders_by_day_2"."order_count") OVER (ORDER BY "every_day"."period" ASC NULLS FIRST ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) AS "order_count_2" FROM "every_day" LEFT JOIN (SELECT "orders_by_day"."day_2" AS "day_day", "orders_by_day"."order_count" AS "order_count" FROM "orders_by_day") AS "orders_by_day_2" ON "orders_by_day_2"."day_day" = "every_day"."period") AS "every_day_2"
)
SELECT "parts"."day_day" AS "day_day", MAX("parts"."revenue") AS "revenue", MAX("parts"."revenue_2") AS "revenue_mtd", coalesce(MAX("parts"."order_count"), 0) AS "orders_7d"
FROM (SELECT "orders_by_day_day"."day_day" AS "day_day", "orders_by_day_day"."revenue" AS "revenue", (SELECT MAX("orders_by_day_day_2"."revenue") FROM "orders_by_day_day_2" WHERE 1 = 0) AS "revenue_2", CAST(NULL AS INTEGER) AS "order_count" FROM "orders_by_day_day"
UNION ALL SELECT "orders_by_day_day_2"."period" AS "day_day", (SELECT MAX("orders_by_day_day"."revenue") FROM "orders_by_day_day" WHERE 1 = 0) AS "revenue", "orders_by_day_day_2"."revenue" AS "revenue_2", CAST(NULL AS INTEGER) AS "order_count" FROM "orders_by_day_day_2"
UNION ALL SELECT "orders_by_day_day_3"."period" AS "day_day", (SELECT MAX("orders_by_day_day"."revenue") FROM "orders_by_day_day" WHERE 1 = 0) AS "revenue", (SELECT MAX("orders_by_day_day_2"."revenue") FROM "orders_by_day_day_2" WHERE 1 = 0) AS "revenue_2", "orders_by_day_day_3"."order_count" AS "order_count" FROM "orders_by_day_day_3") AS "parts"
GROUP BY "parts"."day_day"
ORDER BY "parts"."day_day" ASC NULLS LAST
LIMIT 1000

-- sqlserver
WITH [orders_by_day] AS (
  SELECT [orders_2].[day_2] AS [day], SUM([orders_2].[revenue]) AS [revenue], COUNT_BIG([orders_2].[order_count]) AS [order_count]
  FROM (SELECT CAST([orders].[day] AS date) AS [day_2], [orders].[amount] AS [revenue], 1 AS [order_count] FROM [orders]) AS [orders_2]
  GROUP BY [orders_2].[day_2]
),
[orders_by_day_day] AS (
  SELECT [orders_by_day].[day] AS [day_day], [orders_by_day].[revenue] AS [revenue]
  FROM [orders_by_day]
),
[shown] AS (
  SELECT [parts].[day_day] AS [day_day]
  FROM (SELECT [orders_by_day_day].[day_day] AS [day_day] FROM [orders_by_day_day]
UNION ALL SELECT [orders_by_day].[day] AS [day_day] FROM [orders_by_day]) AS [parts]
),
[every_day] AS (
  SELECT [periods].period AS [period]
  FROM (SELECT TOP (DATEDIFF(DAY, CAST((SELECT MIN([shown].[day_day]) AS [first_day_day] FROM [shown]) AS date), CAST((SELECT MAX([shown].[day_day]) AS [last_day_day] FROM [shown]) AS date)) + 1) DATEADD(DAY, ROW_NUMBER() OVER (ORDER BY (SELECT NULL)) - 1, CAST((SELECT MIN([shown].[day_day]) AS [first_day_day] FROM [shown]) AS date)) AS period FROM sys.all_columns a CROSS JOIN sys.all_columns b) AS [periods]
),
[orders_by_day_day_2] AS (
  SELECT [every_day_2].[period] AS [period], [every_day_2].[revenue_2] AS [revenue]
  FROM (SELECT [every_day].[period] AS [period], [orders_by_day_2].[day_day] AS [day_day], [orders_by_day_2].[revenue] AS [revenue], SUM([orders_by_day_2].[revenue]) OVER (PARTITION BY DATETRUNC(month, CAST([every_day].[period] AS date)) ORDER BY CASE WHEN [every_day].[period] IS NULL THEN 0 ELSE 1 END, [every_day].[period] ASC ROWS UNBOUNDED PRECEDING) AS [revenue_2] FROM [every_day] LEFT JOIN (SELECT [orders_by_day].[day] AS [day_day], [orders_by_day].[revenue] AS [revenue] FROM [orders_by_day]) AS [orders_by_day_2] ON [orders_by_day_2].[day_day] = [every_day].[period]) AS [every_day_2]
),
[orders_by_day_day_3] AS (
  SELECT [every_day_2].[period] AS [period], CAST(COALESCE([every_day_2].[order_count_2], 0) AS bigint) AS [order_count]
  FROM (SELECT [every_day].[period] AS [period], [orders_by_day_2].[day_day] AS [day_day], [orders_by_day_2].[order_count] AS [order_count], SUM([orders_by_day_2].[order_count]) OVER (ORDER BY CASE WHEN [every_day].[period] IS NULL THEN 0 ELSE 1 END, [every_day].[period] ASC ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) AS [order_count_2] FROM [every_day] LEFT JOIN (SELECT [orders_by_day].[day] AS [day_day], [orders_by_day].[order_count] AS [order_count] FROM [orders_by_day]) AS [orders_by_day_2] ON [orders_by_day_2].[day_day] = [every_day].[period]) AS [every_day_2]
)
SELECT TOP (1000) [parts].[day_day] AS [day_day], MAX([parts].[revenue]) AS [revenue], MAX([parts].[revenue_2]) AS [revenue_mtd], COALESCE(MAX([parts].[order_count]), 0) AS [orders_7d]
FROM (SELECT [orders_by_day_day].[day_day] AS [day_day], [orders_by_day_day].[revenue] AS [revenue], (SELECT MAX([orders_by_day_day_2].[revenue]) FROM [orders_by_day_day_2] WHERE 1 = 0) AS [revenue_2], CAST(NULL AS bigint) AS [order_count] FROM [orders_by_day_day]
UNION ALL SELECT [orders_by_day_day_2].[period] AS [day_day], (SELECT MAX([orders_by_day_day].[revenue]) FROM [orders_by_day_day] WHERE 1 = 0) AS [revenue], [orders_by_day_day_2].[revenue] AS [revenue_2], CAST(NULL AS bigint) AS [order_count] FROM [orders_by_day_day_2]
UNION ALL SELECT [orders_by_day_day_3].[period] AS [day_day], (SELECT MAX([orders_by_day_day].[revenue]) FROM [orders_by_day_day] WHERE 1 = 0) AS [revenue], (SELECT MAX([orders_by_day_day_2].[revenue]) FROM [orders_by_day_day_2] WHERE 1 = 0) AS [revenue_2], [orders_by_day_day_3].[order_count] AS [order_count] FROM [orders_by_day_day_3]) AS [parts]
GROUP BY [parts].[day_day]
ORDER BY CASE WHEN [parts].[day_day] IS NULL THEN 1 ELSE 0 END, [parts].[day_day] ASC

