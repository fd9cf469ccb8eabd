-- bigquery
WITH `orders_by_day_month` AS (
  SELECT DATE_TRUNC(CAST(`orders`.`day` AS DATE), MONTH) AS `day_month`, COUNT(1) AS `order_count`
  FROM `orders`
  GROUP BY DATE_TRUNC(CAST(`orders`.`day` AS DATE), MONTH)
)
SELECT `parts`.`day_month` AS `day_month`, COALESCE(MAX(`parts`.`order_count`), 0) AS `order_count`
FROM (SELECT `orders_by_day_month`.`day_month` AS `day_month`, `orders_by_day_month`.`order_count` AS `order_count` FROM `orders_by_day_month`
UNION ALL SELECT `periods`.period AS `day_month`, CAST(NULL AS INT64) AS `order_count` FROM (SELECT period FROM UNNEST(GENERATE_DATE_ARRAY(DATE_TRUNC(CAST((SELECT MIN(`parts`.`day_month`) AS `first_day_month` FROM (SELECT `orders_by_day_month`.`day_month` AS `day_month` FROM `orders_by_day_month`) AS `parts`) AS DATE), MONTH), DATE_TRUNC(CAST((SELECT MAX(`parts`.`day_month`) AS `last_day_month` FROM (SELECT `orders_by_day_month`.`day_month` AS `day_month` FROM `orders_by_day_month`) AS `parts`) AS DATE), MONTH), INTERVAL 1 MONTH)) AS period) AS `periods`) AS `parts`
GROUP BY `parts`.`day_month`
ORDER BY `parts`.`day_month` ASC NULLS LAST
LIMIT 1000

-- clickhouse
WITH `orders_by_day_month` AS (
  SELECT makeDate32(toYear(`orders`.`day`), toMonth(`orders`.`day`), 1) AS `day_month`, toInt64(count(toNullable(1))) AS `order_count`
  FROM `orders`
  GROUP BY makeDate32(toYear(`orders`.`day`), toMonth(`orders`.`day`), 1)
)
SELECT `parts`.`day_month` AS `day_month`, coalesce(maxOrNull(`parts`.`order_count`), 0) AS `order_count`
FROM (SELECT `orders_by_day_month`.`day_month` AS `day_month`, `orders_by_day_month`.`order_count` AS `order_count` FROM `orders_by_day_month`
UNION ALL SELECT `periods`.period AS `day_month`, CAST(NULL AS Nullable(Int64)) AS `order_count` FROM (WITH (SELECT (makeDate32(toYear(`ends`.`first_day_month`), toMonth(`ends`.`first_day_month`), 1), makeDate32(toYear(`ends`.`last_day_month`), toMonth(`ends`.`last_day_month`), 1)) FROM (SELECT minOrNull(makeDate32(toYear(`orders`.`day`), toMonth(`orders`.`day`), 1)) AS `first_day_month`, maxOrNull(makeDate32(toYear(`orders`.`day`), toMonth(`orders`.`day`), 1)) AS `last_day_month` FROM `orders`) AS `ends`) AS loam_ends SELECT addMonths(loam_ends.1, arrayJoin(range(toUInt64(ifNull(greatest(dateDiff('month', loam_ends.1, loam_ends.2) + 1, 0), 0))))) AS period) AS `periods`) AS `parts`
GROUP BY `parts`.`day_month`
ORDER BY `parts`.`day_month` ASC NULLS LAST
LIMIT 1000

-- duckdb
WITH "orders_by_day_month" AS (
  SELECT CAST(date_trunc('month', "orders"."day") AS DATE) AS "day_month", COUNT(1) AS "order_count"
  FROM "orders"
  GROUP BY CAST(date_trunc('month', "orders"."day") AS DATE)
)
SELECT "parts"."day_month" AS "day_month", coalesce(MAX("parts"."order_count"), 0) AS "order_count"
FROM (SELECT "orders_by_day_month"."day_month" AS "day_month", "orders_by_day_month"."order_count" AS "order_count" FROM "orders_by_day_month"
UNION ALL SELECT "periods".period AS "day_month", CAST(NULL AS BIGINT) AS "order_count" FROM (SELECT CAST(unnest(generate_series(CAST(date_trunc('month', (SELECT MIN("parts"."day_month") AS "first_day_month" FROM (SELECT "orders_by_day_month"."day_month" AS "day_month" FROM "orders_by_day_month") AS "parts")) AS DATE), CAST(date_trunc('month', (SELECT MAX("parts"."day_month") AS "last_day_month" FROM (SELECT "orders_by_day_month"."day_month" AS "day_month" FROM "orders_by_day_month") AS "parts")) AS DATE), INTERVAL 1 month)) AS DATE) AS period) AS "periods") AS "parts"
GROUP BY "parts"."day_month"
ORDER BY "parts"."day_month" ASC NULLS LAST
LIMIT 1000

-- mysql
WITH `orders_by_day_month` AS (
  SELECT `orders_2`.`day_month` AS `day_month`, COUNT(`orders_2`.`order_count`) AS `order_count`
  FROM (SELECT CAST(DATE_FORMAT(`orders`.`day`, '%Y-%m-01') AS DATE) AS `day_month`, 1 AS `order_count` FROM `orders`) AS `orders_2`
  GROUP BY `orders_2`.`day_month`
)
SELECT `parts`.`day_month` AS `day_month`, COALESCE(MAX(`parts`.`order_count`), 0) AS `order_count`
FROM (SELECT `orders_by_day_month`.`day_month` AS `day_month`, `orders_by_day_month`.`order_count` AS `order_count` FROM `orders_by_day_month`
UNION ALL SELECT `periods`.period AS `day_month`, CAST(NULL AS SIGNED) AS `order_count` FROM (SELECT DATE_ADD(b.lo, INTERVAL n.i - 1 MONTH) AS period FROM (SELECT CAST(DATE_FORMAT(`ends`.`first_day_month`, '%Y-%m-01') AS DATE) AS lo, CAST(DATE_FORMAT(`ends`.`last_day_month`, '%Y-%m-01') AS DATE) AS hi FROM (SELECT MIN(CAST(DATE_FORMAT(`orders`.`day`, '%Y-%m-01') AS DATE)) AS `first_day_month`, MAX(CAST(DATE_FORMAT(`orders`.`day`, '%Y-%m-01') AS DATE)) AS `last_day_month` FROM `orders`) AS `ends`) AS b JOIN JSON_TABLE(CONCAT('[0', REPEAT(',0', TIMESTAMPDIFF(MONTH, b.lo, b.hi)), ']'), '$[*]' COLUMNS (i FOR ORDINALITY)) AS n WHERE b.lo <= b.hi) AS `periods`) AS `parts`
GROUP BY `parts`.`day_month`
ORDER BY `parts`.`day_month` IS NULL, `parts`.`day_month` ASC
LIMIT 1000

-- postgres
WITH "orders_by_day_month" AS (
  SELECT CAST(date_trunc('month', "orders"."day") AS date) AS "day_month", COUNT(1) AS "order_count"
  FROM "orders"
  GROUP BY CAST(date_trunc('month', "orders"."day") AS date)
)
SELECT "parts"."day_month" AS "day_month", coalesce(MAX("parts"."order_count"), 0) AS "order_count"
FROM (SELECT "orders_by_day_month"."day_month" AS "day_month", "orders_by_day_month"."order_count" AS "order_count" FROM "orders_by_day_month"
UNION ALL SELECT "periods".period AS "day_month", CAST(NULL AS bigint) AS "order_count" FROM (SELECT CAST(p AS date) AS period FROM generate_series(CAST(CAST(date_trunc('month', (SELECT MIN("parts"."day_month") AS "first_day_month" FROM (SELECT "orders_by_day_month"."day_month" AS "day_month" FROM "orders_by_day_month") AS "parts")) AS date) AS timestamp), CAST(CAST(date_trunc('month', (SELECT MAX("parts"."day_month") AS "last_day_month" FROM (SELECT "orders_by_day_month"."day_month" AS "day_month" FROM "orders_by_day_month") AS "parts")) AS date) AS timestamp), INTERVAL '1 month') AS s (p)) AS "periods") AS "parts"
GROUP BY "parts"."day_month"
ORDER BY "parts"."day_month" ASC NULLS LAST
LIMIT 1000

-- snowflake
WITH "orders_by_day_month" AS (
  SELECT DATE_TRUNC('MONTH', "orders"."DAY")::DATE AS "day_month", COUNT(1) AS "order_count"
  FROM "ORDERS" AS "orders"
  GROUP BY DATE_TRUNC('MONTH', "orders"."DAY")::DATE
)
SELECT "parts"."day_month" AS "day_month", COALESCE(MAX("parts"."order_count"), 0) AS "order_count"
FROM (SELECT "orders_by_day_month"."day_month" AS "day_month", "orders_by_day_month"."order_count" AS "order_count" FROM "orders_by_day_month"
UNION ALL SELECT "periods".period AS "day_month", CAST(NULL AS NUMBER(38,0)) AS "order_count" FROM (SELECT DATEADD(MONTH, ROW_NUMBER() OVER (ORDER BY NULL) - 1, DATE_TRUNC('MONTH', (SELECT MIN("parts"."day_month") AS "first_day_month" FROM (SELECT "orders_by_day_month"."day_month" AS "day_month" FROM "orders_by_day_month") AS "parts"))::DATE) AS period FROM TABLE(GENERATOR(ROWCOUNT => 100000)) QUALIFY period <= DATE_TRUNC('MONTH', (SELECT MAX("parts"."day_month") AS "last_day_month" FROM (SELECT "orders_by_day_month"."day_month" AS "day_month" FROM "orders_by_day_month") AS "parts"))::DATE) AS "periods") AS "parts"
GROUP BY "parts"."day_month"
ORDER BY "parts"."day_month" ASC NULLS LAST
LIMIT 1000

-- sqlite
WITH "orders_by_day_month" AS (
  SELECT date("orders"."day", 'start of month') AS "day_month", COUNT(1) AS "order_count"
  FROM "orders"
  GROUP BY date("orders"."day", 'start of month')
)
SELECT "parts"."day_month" AS "day_month", coalesce(MAX("parts"."order_count"), 0) AS "order_count"
FROM (SELECT "orders_by_day_month"."day_month" AS "day_month", "orders_by_day_month"."order_count" AS "order_count" FROM "orders_by_day_month"
UNION ALL SELECT "periods".period AS "day_month", CAST(NULL AS INTEGER) AS "order_count" FROM (WITH RECURSIVE spine (period) AS (SELECT date(date((SELECT MIN("parts"."day_month") AS "first_day_month" FROM (SELECT "orders_by_day_month"."day_month" AS "day_month" FROM "orders_by_day_month") AS "parts"), 'start of month')) WHERE date(date((SELECT MIN("parts"."day_month") AS "first_day_month" FROM (SELECT "orders_by_day_month"."day_month" AS "day_month" FROM "orders_by_day_month") AS "parts"), 'start of month')) <= date(date((SELECT MAX("parts"."day_month") AS "last_day_month" FROM (SELECT "orders_by_day_month"."day_month" AS "day_month" FROM "orders_by_day_month") AS "parts"), 'start of month')) UNION ALL SELECT date(period, (1) || ' months') FROM spine WHERE date(period, (1) || ' months') <= date(date((SELECT MAX("parts"."day_month") AS "last_day_month" FROM (SELECT "orders_by_day_month"."day_month" AS "day_month" FROM "orders_by_day_month") AS "parts"), 'start of month'))) SELECT period FROM spine) AS "periods") AS "parts"
GROUP BY "parts"."day_month"
ORDER BY "parts"."day_month" ASC NULLS LAST
LIMIT 1000

-- sqlserver
WITH [orders_by_day_month] AS (
  SELECT [orders_2].[day_month] AS [day_month], COUNT_BIG([orders_2].[order_count]) AS [order_count]
  FROM (SELECT DATETRUNC(month, CAST([orders].[day] AS date)) AS [day_month], 1 AS [order_count] FROM [orders]) AS [orders_2]
  GROUP BY [orders_2].[day_month]
)
SELECT TOP (1000) [parts].[day_month] AS [day_month], COALESCE(MAX([parts].[order_count]), 0) AS [order_count]
FROM (SELECT [orders_by_day_month].[day_month] AS [day_month], [orders_by_day_month].[order_count] AS [order_count] FROM [orders_by_day_month]
UNION ALL SELECT [periods].period AS [day_month], CAST(NULL AS bigint) AS [order_count] FROM (SELECT TOP (DATEDIFF(MONTH, DATETRUNC(month, CAST((SELECT MIN([parts].[day_month]) AS [first_day_month] FROM (SELECT [orders_by_day_month].[day_month] AS [day_month] FROM [orders_by_day_month]) AS [parts]) AS date)), DATETRUNC(month, CAST((SELECT MAX([parts].[day_month]) AS [last_day_month] FROM (SELECT [orders_by_day_month].[day_month] AS [day_month] FROM [orders_by_day_month]) AS [parts]) AS date))) + 1) DATEADD(MONTH, ROW_NUMBER() OVER (ORDER BY (SELECT NULL)) - 1, DATETRUNC(month, CAST((SELECT MIN([parts].[day_month]) AS [first_day_month] FROM (SELECT [orders_by_day_month].[day_month] AS [day_month] FROM [orders_by_day_month]) AS [parts]) AS date))) AS period FROM sys.all_columns a CROSS JOIN sys.all_columns b) AS [periods]) AS [parts]
GROUP BY [parts].[day_month]
ORDER BY CASE WHEN [parts].[day_month] IS NULL THEN 1 ELSE 0 END, [parts].[day_month] ASC

