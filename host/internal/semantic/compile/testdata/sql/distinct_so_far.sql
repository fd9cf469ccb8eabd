-- bigquery
WITH `orders_intervals` AS (
  SELECT `orders_2`.`first_day` AS `first_day`, COUNT(`orders_2`.`buyers`) AS `values`
  FROM (SELECT `orders`.`customer_id` AS `buyers`, MIN(CAST(`orders`.`day` AS DATE)) AS `first_day` FROM `orders` WHERE `orders`.`day` < CAST('2025-01-01' AS DATE) GROUP BY `orders`.`customer_id` HAVING MIN(CAST(`orders`.`day` AS DATE)) IS NOT NULL) AS `orders_2`
  GROUP BY `orders_2`.`first_day`
),
`periods` AS (
  SELECT `periods`.period AS `period`, DATE_ADD(DATE_ADD(`periods`.period, INTERVAL 1 MONTH), INTERVAL -1 DAY) AS `last_day`
  FROM (SELECT period FROM UNNEST(GENERATE_DATE_ARRAY(CAST('2024-01-01' AS DATE), CAST('2024-12-01' AS DATE), INTERVAL 1 MONTH)) AS period) AS `periods`
)
SELECT `parts_2`.`day_month` AS `day_month`, CAST(`parts_2`.`values_now` AS INT64) AS `buyers_so_far`
FROM (SELECT `parts`.`at` AS `at`, `parts`.`day_month` AS `day_month`, `parts`.`values` AS `values`, SUM(`parts`.`values`) OVER (ORDER BY `parts`.`at` ASC NULLS FIRST, `parts`.`day_month` ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS `values_now` FROM (SELECT `orders_intervals`.`first_day` AS `at`, CAST(NULL AS DATE) AS `day_month`, `orders_intervals`.`values` AS `values` FROM `orders_intervals`
UNION ALL SELECT `periods`.`last_day` AS `at`, `periods`.`period` AS `day_month`, 0 AS `values` FROM `periods`) AS `parts`) AS `parts_2`
WHERE `parts_2`.`day_month` IS NOT NULL
ORDER BY `parts_2`.`day_month` ASC NULLS LAST
LIMIT 1000

-- clickhouse
WITH `orders_intervals` AS (
  SELECT `orders_2`.`first_day` AS `first_day`, toInt64(count(`orders_2`.`buyers`)) AS `values`
  FROM (SELECT toNullable(`orders`.`customer_id`) AS `buyers`, minOrNull(toDate32(`orders`.`day`)) AS `first_day` FROM `orders` WHERE `orders`.`day` < toDate32('2025-01-01') GROUP BY toNullable(`orders`.`customer_id`) HAVING minOrNull(toDate32(`orders`.`day`)) IS NOT NULL) AS `orders_2`
  GROUP BY `orders_2`.`first_day`
),
`periods` AS (
  SELECT `periods`.period AS `period`, addDays(addMonths(`periods`.period, 1), -1) AS `last_day`
  FROM (SELECT addMonths(toDate32('2024-01-01'), number) AS period FROM numbers(toUInt64(ifNull(greatest(dateDiff('month', toDate32('2024-01-01'), toDate32('2024-12-01')) + 1, 0), 0)))) AS `periods`
)
SELECT `parts_2`.`day_month` AS `day_month`, CAST(`parts_2`.`values_now` AS Nullable(Int64)) AS `buyers_so_far`
FROM (SELECT `parts`.`at` AS `at`, `parts`.`day_month` AS `day_month`, `parts`.`values` AS `values`, SUM(`parts`.`values`) OVER (ORDER BY `parts`.`at` ASC NULLS LAST, `parts`.`day_month` ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS `values_now` FROM (SELECT `orders_intervals`.`first_day` AS `at`, CAST(NULL AS Nullable(Date32)) AS `day_month`, `orders_intervals`.`values` AS `values` FROM `orders_intervals`
UNION ALL SELECT `periods`.`last_day` AS `at`, `periods`.`period` AS `day_month`, 0 AS `values` FROM `periods`) AS `parts`) AS `parts_2`
WHERE `parts_2`.`day_month` IS NOT NULL
ORDER BY `parts_2`.`day_month` ASC NULLS LAST
LIMIT 1000

-- duckdb
WITH "orders_intervals" AS (
  SELECT "orders_2"."first_day" AS "first_day", COUNT("orders_2"."buyers") AS "values"
  FROM (SELECT "orders"."customer_id" AS "buyers", MIN(CAST(date_trunc('day', "orders"."day") AS DATE)) AS "first_day" FROM "orders" WHERE "orders"."day" < CAST('2025-01-01' AS DATE) GROUP BY "orders"."customer_id" HAVING MIN(CAST(date_trunc('day', "orders"."day") AS DATE)) IS NOT NULL) AS "orders_2"
  GROUP BY "orders_2"."first_day"
),
"periods" AS (
  SELECT "periods".period AS "period", CAST(CAST("periods".period + INTERVAL (1) month AS DATE) + INTERVAL (-1) day AS DATE) AS "last_day"
  FROM (SELECT CAST(unnest(generate_series(CAST('2024-01-01' AS DATE), CAST('2024-12-01' AS DATE), INTERVAL 1 month)) AS DATE) AS period) AS "periods"
)
SELECT "parts_2"."day_month" AS "day_month", CAST("parts_2"."values_now" AS BIGINT) AS "buyers_so_far"
FROM (SELECT "parts"."at" AS "at", "parts"."day_month" AS "day_month", "parts"."values" AS "values", SUM("parts"."values") OVER (ORDER BY "parts"."at" ASC NULLS LAST, "parts"."day_month" ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS "values_now" FROM (SELECT "orders_intervals"."first_day" AS "at", CAST(NULL AS DATE) AS "day_month", "orders_intervals"."values" AS "values" FROM "orders_intervals"
UNION ALL SELECT "periods"."last_day" AS "at", "periods"."period" AS "day_month", 0 AS "values" FROM "periods") AS "parts") AS "parts_2"
WHERE "parts_2"."day_month" IS NOT NULL
ORDER BY "parts_2"."day_month" ASC NULLS LAST
LIMIT 1000

-- mysql
WITH `orders_intervals` AS (
  SELECT `orders_2`.`first_day` AS `first_day`, COUNT(`orders_2`.`buyers`) AS `values`
  FROM (SELECT SQL_BIG_RESULT `orders`.`customer_id` AS `buyers`, MIN(DATE(`orders`.`day`)) AS `first_day` FROM `orders` WHERE `orders`.`day` < DATE '2025-01-01' GROUP BY `orders`.`customer_id` HAVING MIN(DATE(`orders`.`day`)) IS NOT NULL) AS `orders_2`
  GROUP BY `orders_2`.`first_day`
),
`periods` AS (
  SELECT `periods`.period AS `period`, DATE_ADD(DATE_ADD(`periods`.period, INTERVAL 1 MONTH), INTERVAL -1 DAY) AS `last_day`
  FROM (SELECT DATE_ADD(b.lo, INTERVAL n.i - 1 MONTH) AS period FROM (SELECT DATE '2024-01-01' AS lo, DATE '2024-12-01' AS hi) AS b JOIN JSON_TABLE(CONCAT('[0', REPEAT(',0', TIMESTAMPDIFF(MONTH, b.lo, b.hi)), ']'), '$[*]' COLUMNS (i FOR ORDINALITY)) AS n WHERE b.lo <= b.hi) AS `periods`
)
SELECT `parts_2`.`day_month` AS `day_month`, CAST(`parts_2`.`values_now` AS SIGNED) AS `buyers_so_far`
FROM (SELECT `parts`.`at` AS `at`, `parts`.`day_month` AS `day_month`, `parts`.`values` AS `values`, SUM(`parts`.`values`) OVER (ORDER BY `parts`.`at` ASC, `parts`.`day_month` ASC ROWS UNBOUNDED PRECEDING) AS `values_now` FROM (SELECT `orders_intervals`.`first_day` AS `at`, CAST(NULL AS DATE) AS `day_month`, `orders_intervals`.`values` AS `values` FROM `orders_intervals`
UNION ALL SELECT `periods`.`last_day` AS `at`, `periods`.`period` AS `day_month`, 0 AS `values` FROM `periods`) AS `parts`) AS `parts_2`
WHERE `parts_2`.`day_month` IS NOT NULL
ORDER BY `parts_2`.`day_month` IS NULL, `parts_2`.`day_month` ASC
LIMIT 1000

-- postgres
WITH "orders_intervals" AS (
  SELECT "orders_2"."first_day" AS "first_day", COUNT("orders_2"."buyers") AS "values"
  FROM (SELECT "orders"."customer_id" AS "buyers", MIN(CAST("orders"."day" AS date)) AS "first_day" FROM "orders" WHERE "orders"."day" < DATE '2025-01-01' GROUP BY "orders"."customer_id" HAVING MIN(CAST("orders"."day" AS date)) IS NOT NULL) AS "orders_2"
  GROUP BY "orders_2"."first_day"
),
"periods" AS (
  SELECT "periods".period AS "period", CAST(CAST("periods".period + make_interval(months => 1) AS date) + make_interval(days => -1) AS date) AS "last_day"
  FROM (SELECT CAST(p AS date) AS period FROM generate_series(CAST(DATE '2024-01-01' AS timestamp), CAST(DATE '2024-12-01' AS timestamp), INTERVAL '1 month') AS s (p)) AS "periods"
)
SELECT "parts_2"."day_month" AS "day_month", CAST("parts_2"."values_now" AS bigint) AS "buyers_so_far"
FROM (SELECT "parts"."at" AS "at", "parts"."day_month" AS "day_month", "parts"."values" AS "values", SUM("parts"."values") OVER (ORDER BY "parts"."at" ASC NULLS LAST, "parts"."day_month" ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS "values_now" FROM (SELECT "orders_intervals"."first_day" AS "at", CAST(NULL AS date) AS "day_month", "orders_intervals"."values" AS "values" FROM "orders_intervals"
UNION ALL SELECT "periods"."last_day" AS "at", "periods"."period" AS "day_month", 0 AS "values" FROM "periods") AS "parts") AS "parts_2"
WHERE "parts_2"."day_month" IS NOT NULL
ORDER BY "parts_2"."day_month" ASC NULLS LAST
LIMIT 1000

-- snowflake
WITH "orders_intervals" AS (
  SELECT "orders_2"."first_day" AS "first_day", COUNT("orders_2"."buyers") AS "values"
  FROM (SELECT "orders"."CUSTOMER_ID" AS "buyers", MIN(DATE_TRUNC('DAY', "orders"."DAY")::DATE) AS "first_day" FROM "ORDERS" AS "orders" WHERE "orders"."DAY" < CAST('2025-01-01' AS DATE) GROUP BY "orders"."CUSTOMER_ID" HAVING MIN(DATE_TRUNC('DAY', "orders"."DAY")::DATE) IS NOT NULL) AS "orders_2"
  GROUP BY "orders_2"."first_day"
),
"periods" AS (
  SELECT "periods".period AS "period", DATEADD(DAY, -1, DATEADD(MONTH, 1, "periods".period)) AS "last_day"
  FROM (SELECT DATEADD(MONTH, ROW_NUMBER() OVER (ORDER BY NULL) - 1, CAST('2024-01-01' AS DATE)) AS period FROM TABLE(GENERATOR(ROWCOUNT => 100000)) QUALIFY period <= CAST('2024-12-01' AS DATE)) AS "periods"
)
SELECT "parts_2"."day_month" AS "day_month", CAST("parts_2"."values_now" AS NUMBER(38,0)) AS "buyers_so_far"
FROM (SELECT "parts"."at" AS "at", "parts"."day_month" AS "day_month", "parts"."values" AS "values", SUM("parts"."values") OVER (ORDER BY "parts"."at" ASC NULLS LAST, "parts"."day_month" ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS "values_now" FROM (SELECT "orders_intervals"."first_day" AS "at", CAST(NULL AS DATE) AS "day_month", "orders_intervals"."values" AS "values" FROM "orders_intervals"
UNION ALL SELECT "periods"."last_day" AS "at", "periods"."period" AS "day_month", 0 AS "values" FROM "periods") AS "parts") AS "parts_2"
WHERE "parts_2"."day_month" IS NOT NULL
ORDER BY "parts_2"."day_month" ASC NULLS LAST
LIMIT 1000

-- sqlite
WITH "orders_intervals" AS (
  SELECT "orders_2"."first_day" AS "first_day", COUNT("orders_2"."buyers") AS "values"
  FROM (SELECT "orders"."customer_id" AS "buyers", MIN(date("orders"."day")) AS "first_day" FROM "orders" WHERE "orders"."day" < date('2025-01-01') GROUP BY "orders"."customer_id" HAVING MIN(date("orders"."day")) IS NOT NULL) AS "orders_2"
  GROUP BY "orders_2"."first_day"
),
"periods" AS (
  SELECT "periods".period AS "period", date(date("periods".period, (1) || ' months', 'floor'), (-1) || ' days') AS "last_day"
  FROM (WITH RECURSIVE spine (period) AS (SELECT date(date('2024-01-01')) WHERE date(date('2024-01-01')) <= date(date('2024-12-01')) UNION ALL SELECT date(period, (1) || ' months') FROM spine WHERE date(period, (1) || ' months') <= date(date('2024-12-01'))) SELECT period FROM spine) AS "periods"
)
SELECT "parts_2"."day_month" AS "day_month", CAST("parts_2"."values_now" AS INTEGER) AS "buyers_so_far"
FROM (SELECT "parts"."at" AS "at", "parts"."day_month" AS "day_month", "parts"."values" AS "values", SUM("parts"."values") OVER (ORDER BY "parts"."at" ASC NULLS FIRST, "parts"."day_month" ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS "values_now" FROM (SELECT "orders_intervals"."first_day" AS "at", date(NULL) AS "day_month", "orders_intervals"."values" AS "values" FROM "orders_intervals"
UNION ALL SELECT "periods"."last_day" AS "at", "periods"."period" AS "day_month", 0 AS "values" FROM "periods") AS "parts") AS "parts_2"
WHERE "parts_2"."day_month" IS NOT NULL
ORDER BY "parts_2"."day_month" ASC NULLS LAST
LIMIT 1000

-- sqlserver
WITH [orders_intervals] AS (
  SELECT [orders_2].[first_day] AS [first_day], COUNT_BIG([orders_2].[buyers]) AS [values]
  FROM (SELECT [orders].[customer_id] AS [buyers], MIN(CAST([orders].[day] AS date)) AS [first_day] FROM [orders] WHERE [orders].[day] < CAST(N'2025-01-01' AS date) GROUP BY [orders].[customer_id] HAVING MIN(CAST([orders].[day] AS date)) IS NOT NULL) AS [orders_2]
  GROUP BY [orders_2].[first_day]
),
[periods] AS (
  SELECT [periods].period AS [period], DATEADD(DAY, -1, DATEADD(MONTH, 1, [periods].period)) AS [last_day]
  FROM (SELECT TOP (DATEDIFF(MONTH, CAST(N'2024-01-01' AS date), CAST(N'2024-12-01' AS date)) + 1) DATEADD(MONTH, ROW_NUMBER() OVER (ORDER BY (SELECT NULL)) - 1, CAST(N'2024-01-01' AS date)) AS period FROM sys.all_columns a CROSS JOIN sys.all_columns b) AS [periods]
)
SELECT TOP (1000) [parts_2].[day_month] AS [day_month], CAST([parts_2].[values_now] AS bigint) AS [buyers_so_far]
FROM (SELECT [parts].[at] AS [at], [parts].[day_month] AS [day_month], [parts].[values] AS [values], SUM([parts].[values]) OVER (ORDER BY CASE WHEN [parts].[at] IS NULL THEN 0 ELSE 1 END, [parts].[at] ASC, CASE WHEN [parts].[day_month] IS NULL THEN 0 ELSE 1 END, [parts].[day_month] ASC ROWS UNBOUNDED PRECEDING) AS [values_now] FROM (SELECT [orders_intervals].[first_day] AS [at], CAST(NULL AS date) AS [day_month], [orders_intervals].[values] AS [values] FROM [orders_intervals]
UNION ALL SELECT [periods].[last_day] AS [at], [periods].[period] AS [day_month], 0 AS [values] FROM [periods]) AS [parts]) AS [parts_2]
WHERE [parts_2].[day_month] IS NOT NULL
ORDER BY CASE WHEN [parts_2].[day_month] IS NULL THEN 1 ELSE 0 END, [parts_2].[day_month] ASC

