-- bigquery
WITH `orders_by_month` AS (
  SELECT DATE_TRUNC(CAST(CAST(`orders`.`day` AS DATE) AS DATE), MONTH) AS `month`, SUM(`orders`.`amount`) AS `revenue`
  FROM `orders`
  WHERE `orders`.`day` >= CAST('2024-01-01' AS DATE) AND `orders`.`day` < CAST('2024-04-01' AS DATE)
  GROUP BY DATE_TRUNC(CAST(CAST(`orders`.`day` AS DATE) AS DATE), MONTH)
),
`orders_by_day_month` AS (
  SELECT `orders_by_month`.`month` AS `day_month`, `orders_by_month`.`revenue` AS `revenue`
  FROM `orders_by_month`
  WHERE `orders_by_month`.`month` >= CAST('2024-02-01' AS DATE)
),
`orders_by_day_month_2` AS (
  SELECT DATE_ADD(`orders_by_month`.`month`, INTERVAL 1 MONTH) AS `day_month`, `orders_by_month`.`revenue` AS `revenue`
  FROM `orders_by_month`
  WHERE `orders_by_month`.`month` < CAST('2024-03-01' AS DATE)
)
SELECT `parts`.`day_month` AS `day_month`, MAX(`parts`.`revenue`) AS `revenue`, MAX(`parts`.`revenue_2`) AS `revenue_prev_month`
FROM (SELECT `orders_by_day_month`.`day_month` AS `day_month`, `orders_by_day_month`.`revenue` AS `revenue`, (SELECT MAX(`orders_by_day_month_2`.`revenue`) FROM `orders_by_day_month_2` WHERE 1 = 0) AS `revenue_2` FROM `orders_by_day_month`
UNION ALL SELECT `orders_by_day_month_2`.`day_month` AS `day_month`, (SELECT MAX(`orders_by_day_month`.`revenue`) FROM `orders_by_day_month` WHERE 1 = 0) AS `revenue`, `orders_by_day_month_2`.`revenue` AS `revenue_2` FROM `orders_by_day_month_2`) AS `parts`
GROUP BY `parts`.`day_month`
ORDER BY `parts`.`day_month` ASC NULLS LAST
LIMIT 1000

-- clickhouse
WITH `orders_by_month` AS (
  SELECT makeDate32(toYear(toDate32(`orders`.`day`)), toMonth(toDate32(`orders`.`day`)), 1) AS `month`, sumOrNull(toNullable(`orders`.`amount`)) AS `revenue`
  FROM `orders`
  WHERE `orders`.`day` >= toDate32('2024-01-01') AND `orders`.`day` < toDate32('2024-04-01')
  GROUP BY makeDate32(toYear(toDate32(`orders`.`day`)), toMonth(toDate32(`orders`.`day`)), 1)
),
`orders_by_day_month` AS (
  SELECT `orders_by_month`.`month` AS `day_month`, `orders_by_month`.`revenue` AS `revenue`
  FROM `orders_by_month`
  WHERE `orders_by_month`.`month` >= toDate32('2024-02-01')
),
`orders_by_day_month_2` AS (
  SELECT addMonths(`orders_by_month`.`month`, 1) AS `day_month`, `orders_by_month`.`revenue` AS `revenue`
  FROM `orders_by_month`
  WHERE `orders_by_month`.`month` < toDate32('2024-03-01')
)
SELECT `parts`.`day_month` AS `day_month`, maxOrNull(`parts`.`revenue`) AS `revenue`, maxOrNull(`parts`.`revenue_2`) AS `revenue_prev_month`
FROM (SELECT `orders_by_day_month`.`day_month` AS `day_month`, `orders_by_day_month`.`revenue` AS `revenue`, (SELECT MAX(`orders_by_day_month_2`.`revenue`) FROM `orders_by_day_month_2` WHERE 1 = 0) AS `revenue_2` FROM `orders_by_day_month`
UNION ALL SELECT `orders_by_day_month_2`.`day_month` AS `day_month`, (SELECT MAX(`orders_by_day_month`.`revenue`) FROM `orders_by_day_month` WHERE 1 = 0) AS `revenue`, `orders_by_day_month_2`.`revenue` AS `revenue_2` FROM `orders_by_day_month_2`) AS `parts`
GROUP BY `parts`.`day_month`
ORDER BY `parts`.`day_month` ASC NULLS LAST
LIMIT 1000

-- duckdb
WITH "orders_by_month" AS (
  SELECT CAST(date_trunc('month', CAST(date_trunc('day', "orders"."day") AS DATE)) AS DATE) AS "month", SUM("orders"."amount") AS "revenue"
  FROM "orders"
  WHERE "orders"."day" >= CAST('2024-01-01' AS DATE) AND "orders"."day" < CAST('2024-04-01' AS DATE)
  GROUP BY CAST(date_trunc('month', CAST(date_trunc('day', "orders"."day") AS DATE)) AS DATE)
),
"orders_by_day_month" AS (
  SELECT "orders_by_month"."month" AS "day_month", "orders_by_month"."revenue" AS "revenue"
  FROM "orders_by_month"
  WHERE "orders_by_month"."month" >= CAST('2024-02-01' AS DATE)
),
"orders_by_day_month_2" AS (
  SELECT CAST("orders_by_month"."month" + INTERVAL (1) month AS DATE) AS "day_month", "orders_by_month"."revenue" AS "revenue"
  FROM "orders_by_month"
  WHERE "orders_by_month"."month" < CAST('2024-03-01' AS DATE)
)
SELECT "parts"."day_month" AS "day_month", MAX("parts"."revenue") AS "revenue", MAX("parts"."revenue_2") AS "revenue_prev_month"
FROM (SELECT "orders_by_day_month"."day_month" AS "day_month", "orders_by_day_month"."revenue" AS "revenue", (SELECT MAX("orders_by_day_month_2"."revenue") FROM "orders_by_day_month_2" WHERE 1 = 0) AS "revenue_2" FROM "orders_by_day_month"
UNION ALL SELECT "orders_by_day_month_2"."day_month" AS "day_month", (SELECT MAX("orders_by_day_month"."revenue") FROM "orders_by_day_month" WHERE 1 = 0) AS "revenue", "orders_by_day_month_2"."revenue" AS "revenue_2" FROM "orders_by_day_month_2") AS "parts"
GROUP BY "parts"."day_month"
ORDER BY "parts"."day_month" ASC NULLS LAST
LIMIT 1000

-- mysql
WITH `orders_by_month` AS (
  SELECT `orders_2`.`month` AS `month`, SUM(`orders_2`.`revenue`) AS `revenue`
  FROM (SELECT CAST(DATE_FORMAT(DATE(`orders`.`day`), '%Y-%m-01') AS DATE) AS `month`, `orders`.`amount` AS `revenue` FROM `orders` WHERE `orders`.`day` >= DATE '2024-01-01' AND `orders`.`day` < DATE '2024-04-01') AS `orders_2`
  GROUP BY `orders_2`.`month`
),
`orders_by_day_month` AS (
  SELECT `orders_by_month`.`month` AS `day_month`, `orders_by_month`.`revenue` AS `revenue`
  FROM `orders_by_month`
  WHERE `orders_by_month`.`month` >= DATE '2024-02-01'
),
`orders_by_day_month_2` AS (
  SELECT DATE_ADD(`orders_by_month`.`month`, INTERVAL 1 MONTH) AS `day_month`, `orders_by_month`.`revenue` AS `revenue`
  FROM `orders_by_month`
  WHERE `orders_by_month`.`month` < DATE '2024-03-01'
)
SELECT `parts`.`day_month` AS `day_month`, MAX(`parts`.`revenue`) AS `revenue`, MAX(`parts`.`revenue_2`) AS `revenue_prev_month`
FROM (SELECT `orders_by_day_month`.`day_month` AS `day_month`, `orders_by_day_month`.`revenue` AS `revenue`, (SELECT MAX(`orders_by_day_month_2`.`revenue`) FROM `orders_by_day_month_2` WHERE 1 = 0) AS `revenue_2` FROM `orders_by_day_month`
UNION ALL SELECT `orders_by_day_month_2`.`day_month` AS `day_month`, (SELECT MAX(`orders_by_day_month`.`revenue`) FROM `orders_by_day_month` WHERE 1 = 0) AS `revenue`, `orders_by_day_month_2`.`revenue` AS `revenue_2` FROM `orders_by_day_month_2`) AS `parts`
GROUP BY `parts`.`day_month`
ORDER BY `parts`.`day_month` IS NULL, `parts`.`day_month` ASC
LIMIT 1000

-- postgres
WITH "orders_by_month" AS (
  SELECT CAST(date_trunc('month', CAST("orders"."day" AS date)) AS date) AS "month", SUM("orders"."amount") AS "revenue"
  FROM "orders"
  WHERE "orders"."day" >= DATE '2024-01-01' AND "orders"."day" < DATE '2024-04-01'
  GROUP BY CAST(date_trunc('month', CAST("orders"."day" AS date)) AS date)
),
"orders_by_day_month" AS (
  SELECT "orders_by_month"."month" AS "day_month", "orders_by_month"."revenue" AS "revenue"
  FROM "orders_by_month"
  WHERE "orders_by_month"."month" >= DATE '2024-02-01'
),
"orders_by_day_month_2" AS (
  SELECT CAST("orders_by_month"."month" + make_interval(months => 1) AS date) AS "day_month", "orders_by_month"."revenue" AS "revenue"
  FROM "orders_by_month"
  WHERE "orders_by_month"."month" < DATE '2024-03-01'
)
SELECT "parts"."day_month" AS "day_month", MAX("parts"."revenue") AS "revenue", MAX("parts"."revenue_2") AS "revenue_prev_month"
FROM (SELECT "orders_by_day_month"."day_month" AS "day_month", "orders_by_day_month"."revenue" AS "revenue", (SELECT MAX("orders_by_day_month_2"."revenue") FROM "orders_by_day_month_2" WHERE 1 = 0) AS "revenue_2" FROM "orders_by_day_month"
UNION ALL SELECT "orders_by_day_month_2"."day_month" AS "day_month", (SELECT MAX("orders_by_day_month"."revenue") FROM "orders_by_day_month" WHERE 1 = 0) AS "revenue", "orders_by_day_month_2"."revenue" AS "revenue_2" FROM "orders_by_day_month_2") AS "parts"
GROUP BY "parts"."day_month"
ORDER BY "parts"."day_month" ASC NULLS LAST
LIMIT 1000

-- snowflake
WITH "orders_by_month" AS (
  SELECT DATE_TRUNC('MONTH', DATE_TRUNC('DAY', "orders"."DAY")::DATE)::DATE AS "month", SUM("orders"."AMOUNT") AS "revenue"
  FROM "ORDERS" AS "orders"
  WHERE "orders"."DAY" >= CAST('2024-01-01' AS DATE) AND "orders"."DAY" < CAST('2024-04-01' AS DATE)
  GROUP BY DATE_TRUNC('MONTH', DATE_TRUNC('DAY', "orders"."DAY")::DATE)::DATE
),
"orders_by_day_month" AS (
  SELECT "orders_by_month"."month" AS "day_month", "orders_by_month"."revenue" AS "revenue"
  FROM "orders_by_month"
  WHERE "orders_by_month"."month" >= CAST('2024-02-01' AS DATE)
),
"orders_by_day_month_2" AS (
  SELECT DATEADD(MONTH, 1, "orders_by_month"."month") AS "day_month", "orders_by_month"."revenue" AS "revenue"
  FROM "orders_by_month"
  WHERE "orders_by_month"."month" < CAST('2024-03-01' AS DATE)
)
SELECT "parts"."day_month" AS "day_month", MAX("parts"."revenue") AS "revenue", MAX("parts"."revenue_2") AS "revenue_prev_month"
FROM (SELECT "orders_by_day_month"."day_month" AS "day_month", "orders_by_day_month"."revenue" AS "revenue", (SELECT MAX("orders_by_day_month_2"."revenue") FROM "orders_by_day_month_2" WHERE 1 = 0) AS "revenue_2" FROM "orders_by_day_month"
UNION ALL SELECT "orders_by_day_month_2"."day_month" AS "day_month", (SELECT MAX("orders_by_day_month"."revenue") FROM "orders_by_day_month" WHERE 1 = 0) AS "revenue", "orders_by_day_month_2"."revenue" AS "revenue_2" FROM "orders_by_day_month_2") AS "parts"
GROUP BY "parts"."day_month"
ORDER BY "parts"."day_month" ASC NULLS LAST
LIMIT 1000

-- sqlite
WITH "orders_by_month" AS (
  SELECT date(date("orders"."day"), 'start of month') AS "month", SUM("orders"."amount") AS "revenue"
  FROM "orders"
  WHERE "orders"."day" >= date('2024-01-01') AND "orders"."day" < date('2024-04-01')
  GROUP BY date(date("orders"."day"), 'start of month')
),
"orders_by_day_month" AS (
  SELECT "orders_by_month"."month" AS "day_month", "orders_by_month"."revenue" AS "revenue"
  FROM "orders_by_month"
  WHERE "orders_by_month"."month" >= date('2024-02-01')
),
"orders_by_day_month_2" AS (
  SELECT date("orders_by_month"."month", (1) || ' months', 'floor') AS "day_month", "orders_by_month"."revenue" AS "revenue"
  FROM "orders_by_month"
  WHERE "orders_by_month"."month" < date('2024-03-01')
)
SELECT "parts"."day_month" AS "day_month", MAX("parts"."revenue") AS "revenue", MAX("parts"."revenue_2") AS "revenue_prev_month"
FROM (SELECT "orders_by_day_month"."day_month" AS "day_month", "orders_by_day_month"."revenue" AS "revenue", (SELECT MAX("orders_by_day_month_2"."revenue") FROM "orders_by_day_month_2" WHERE 1 = 0) AS "revenue_2" FROM "orders_by_day_month"
UNION ALL SELECT "orders_by_day_month_2"."day_month" AS "day_month", (SELECT MAX("orders_by_day_month"."revenue") FROM "orders_by_day_month" WHERE 1 = 0) AS "revenue", "orders_by_day_month_2"."revenue" AS "revenue_2" FROM "orders_by_day_month_2") AS "parts"
GROUP BY "parts"."day_month"
ORDER BY "parts"."day_month" ASC NULLS LAST
LIMIT 1000

-- sqlserver
WITH [orders_by_month] AS (
  SELECT [orders_2].[month] AS [month], SUM([orders_2].[revenue]) AS [revenue]
  FROM (SELECT DATETRUNC(month, CAST(CAST([orders].[day] AS date) AS date)) AS [month], [orders].[amount] AS [revenue] FROM [orders] WHERE [orders].[day] >= CAST(N'2024-01-01' AS date) AND [orders].[day] < CAST(N'2024-04-01' AS date)) AS [orders_2]
  GROUP BY [orders_2].[month]
),
[orders_by_day_month] AS (
  SELECT [orders_by_month].[month] AS [day_month], [orders_by_month].[revenue] AS [revenue]
  FROM [orders_by_month]
  WHERE [orders_by_month].[month] >= CAST(N'2024-02-01' AS date)
),
[orders_by_day_month_2] AS (
  SELECT DATEADD(MONTH, 1, [orders_by_month].[month]) AS [day_month], [orders_by_month].[revenue] AS [revenue]
  FROM [orders_by_month]
  WHERE [orders_by_month].[month] < CAST(N'2024-03-01' AS date)
)
SELECT TOP (1000) [parts].[day_month] AS [day_month], MAX([parts].[revenue]) AS [revenue], MAX([parts].[revenue_2]) AS [revenue_prev_month]
FROM (SELECT [orders_by_day_month].[day_month] AS [day_month], [orders_by_day_month].[revenue] AS [revenue], (SELECT MAX([orders_by_day_month_2].[revenue]) FROM [orders_by_day_month_2] WHERE 1 = 0) AS [revenue_2] FROM [orders_by_day_month]
UNION ALL SELECT [orders_by_day_month_2].[day_month] AS [day_month], (SELECT MAX([orders_by_day_month].[revenue]) FROM [orders_by_day_month] WHERE 1 = 0) AS [revenue], [orders_by_day_month_2].[revenue] AS [revenue_2] FROM [orders_by_day_month_2]) AS [parts]
GROUP BY [parts].[day_month]
ORDER BY CASE WHEN [parts].[day_month] IS NULL THEN 1 ELSE 0 END, [parts].[day_month] ASC

