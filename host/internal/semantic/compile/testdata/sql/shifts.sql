-- bigquery
WITH `orders_by_day_month` AS (
  SELECT DATE_TRUNC(CAST(`orders`.`day` AS DATE), MONTH) AS `day_month`, SUM(`orders`.`amount`) AS `revenue`
  FROM `orders`
  WHERE `orders`.`day` >= CAST('2024-02-01' AS DATE) AND `orders`.`day` < CAST('2024-04-01' AS DATE)
  GROUP BY DATE_TRUNC(CAST(`orders`.`day` AS DATE), MONTH)
),
`orders_by_day_month_2` AS (
  SELECT DATE_ADD(DATE_TRUNC(CAST(`orders`.`day` AS DATE), MONTH), INTERVAL 1 MONTH) AS `day_month`, SUM(`orders`.`amount`) AS `revenue`
  FROM `orders`
  WHERE `orders`.`day` >= CAST('2024-01-01' AS DATE) AND `orders`.`day` < CAST('2024-03-01' AS DATE)
  GROUP BY DATE_ADD(DATE_TRUNC(CAST(`orders`.`day` AS DATE), MONTH), INTERVAL 1 MONTH)
)
SELECT `parts`.`day_month` AS `day_month`, MAX(`parts`.`revenue`) AS `revenue`, MAX(`parts`.`revenue_2`) AS `revenue_prev_month`
FROM (SELECT `orders_by_day_month`.`day_month` AS `day_month`, `orders_by_day_month`.`revenue` AS `revenue`, (SELECT MAX(`orders_by_day_month_2`.`revenue`) FROM `orders_by_day_month_2` WHERE 1 = 0) AS `revenue_2` FROM `orders_by_day_month`
UNION ALL SELECT `orders_by_day_month_2`.`day_month` AS `day_month`, (SELECT MAX(`orders_by_day_month`.`revenue`) FROM `orders_by_day_month` WHERE 1 = 0) AS `revenue`, `orders_by_day_month_2`.`revenue` AS `revenue_2` FROM `orders_by_day_month_2`) AS `parts`
GROUP BY `parts`.`day_month`
ORDER BY `parts`.`day_month` ASC NULLS LAST
LIMIT 1000

-- clickhouse
WITH `orders_by_day_month` AS (
  SELECT makeDate32(toYear(`orders`.`day`), toMonth(`orders`.`day`), 1) AS `day_month`, sumOrNull(toNullable(`orders`.`amount`)) AS `revenue`
  FROM `orders`
  WHERE `orders`.`day` >= toDate32('2024-02-01') AND `orders`.`day` < toDate32('2024-04-01')
  GROUP BY makeDate32(toYear(`orders`.`day`), toMonth(`orders`.`day`), 1)
),
`orders_by_day_month_2` AS (
  SELECT addMonths(makeDate32(toYear(`orders`.`day`), toMonth(`orders`.`day`), 1), 1) AS `day_month`, sumOrNull(toNullable(`orders`.`amount`)) AS `revenue`
  FROM `orders`
  WHERE `orders`.`day` >= toDate32('2024-01-01') AND `orders`.`day` < toDate32('2024-03-01')
  GROUP BY addMonths(makeDate32(toYear(`orders`.`day`), toMonth(`orders`.`day`), 1), 1)
)
SELECT `parts`.`day_month` AS `day_month`, maxOrNull(`parts`.`revenue`) AS `revenue`, maxOrNull(`parts`.`revenue_2`) AS `revenue_prev_month`
FROM (SELECT `orders_by_day_month`.`day_month` AS `day_month`, `orders_by_day_month`.`revenue` AS `revenue`, (SELECT MAX(`orders_by_day_month_2`.`revenue`) FROM `orders_by_day_month_2` WHERE 1 = 0) AS `revenue_2` FROM `orders_by_day_month`
UNION ALL SELECT `orders_by_day_month_2`.`day_month` AS `day_month`, (SELECT MAX(`orders_by_day_month`.`revenue`) FROM `orders_by_day_month` WHERE 1 = 0) AS `revenue`, `orders_by_day_month_2`.`revenue` AS `revenue_2` FROM `orders_by_day_month_2`) AS `parts`
GROUP BY `parts`.`day_month`
ORDER BY `parts`.`day_month` ASC NULLS LAST
LIMIT 1000

-- duckdb
WITH "orders_by_day_month" AS (
  SELECT CAST(date_trunc('month', "orders"."day") AS DATE) AS "day_month", SUM("orders"."amount") AS "revenue"
  FROM "orders"
  WHERE "orders"."day" >= CAST('2024-02-01' AS DATE) AND "orders"."day" < CAST('2024-04-01' AS DATE)
  GROUP BY CAST(date_trunc('month', "orders"."day") AS DATE)
),
"orders_by_day_month_2" AS (
  SELECT CAST(CAST(date_trunc('month', "orders"."day") AS DATE) + INTERVAL (1) month AS DATE) AS "day_month", SUM("orders"."amount") AS "revenue"
  FROM "orders"
  WHERE "orders"."day" >= CAST('2024-01-01' AS DATE) AND "orders"."day" < CAST('2024-03-01' AS DATE)
  GROUP BY CAST(CAST(date_trunc('month', "orders"."day") AS DATE) + INTERVAL (1) month AS DATE)
)
SELECT "parts"."day_month" AS "day_month", MAX("parts"."revenue") AS "revenue", MAX("parts"."revenue_2") AS "revenue_prev_month"
FROM (SELECT "orders_by_day_month"."day_month" AS "day_month", "orders_by_day_month"."revenue" AS "revenue", (SELECT MAX("orders_by_day_month_2"."revenue") FROM "orders_by_day_month_2" WHERE 1 = 0) AS "revenue_2" FROM "orders_by_day_month"
UNION ALL SELECT "orders_by_day_month_2"."day_month" AS "day_month", (SELECT MAX("orders_by_day_month"."revenue") FROM "orders_by_day_month" WHERE 1 = 0) AS "revenue", "orders_by_day_month_2"."revenue" AS "revenue_2" FROM "orders_by_day_month_2") AS "parts"
GROUP BY "parts"."day_month"
ORDER BY "parts"."day_month" ASC NULLS LAST
LIMIT 1000

-- mysql
WITH `orders_by_day_month` AS (
  SELECT `orders_2`.`day_month` AS `day_month`, SUM(`orders_2`.`revenue`) AS `revenue`
  FROM (SELECT CAST(DATE_FORMAT(`orders`.`day`, '%Y-%m-01') AS DATE) AS `day_month`, `orders`.`amount` AS `revenue` FROM `orders` WHERE `orders`.`day` >= DATE '2024-02-01' AND `orders`.`day` < DATE '2024-04-01') AS `orders_2`
  GROUP BY `orders_2`.`day_month`
),
`orders_by_day_month_2` AS (
  SELECT `orders_2`.`day_month` AS `day_month`, SUM(`orders_2`.`revenue`) AS `revenue`
  FROM (SELECT DATE_ADD(CAST(DATE_FORMAT(`orders`.`day`, '%Y-%m-01') AS DATE), INTERVAL 1 MONTH) AS `day_month`, `orders`.`amount` AS `revenue` FROM `orders` WHERE `orders`.`day` >= DATE '2024-01-01' AND `orders`.`day` < DATE '2024-03-01') AS `orders_2`
  GROUP BY `orders_2`.`day_month`
)
SELECT `parts`.`day_month` AS `day_month`, MAX(`parts`.`revenue`) AS `revenue`, MAX(`parts`.`revenue_2`) AS `revenue_prev_month`
FROM (SELECT `orders_by_day_month`.`day_month` AS `day_month`, `orders_by_day_month`.`revenue` AS `revenue`, (SELECT MAX(`orders_by_day_month_2`.`revenue`) FROM `orders_by_day_month_2` WHERE 1 = 0) AS `revenue_2` FROM `orders_by_day_month`
UNION ALL SELECT `orders_by_day_month_2`.`day_month` AS `day_month`, (SELECT MAX(`orders_by_day_month`.`revenue`) FROM `orders_by_day_month` WHERE 1 = 0) AS `revenue`, `orders_by_day_month_2`.`revenue` AS `revenue_2` FROM `orders_by_day_month_2`) AS `parts`
GROUP BY `parts`.`day_month`
ORDER BY `parts`.`day_month` IS NULL, `parts`.`day_month` ASC
LIMIT 1000

-- postgres
WITH "orders_by_day_month" AS (
  SELECT CAST(date_trunc('month', "orders"."day") AS date) AS "day_month", SUM("orders"."amount") AS "revenue"
  FROM "orders"
  WHERE "orders"."day" >= DATE '2024-02-01' AND "orders"."day" < DATE '2024-04-01'
  GROUP BY CAST(date_trunc('month', "orders"."day") AS date)
),
"orders_by_day_month_2" AS (
  SELECT CAST(CAST(date_trunc('month', "orders"."day") AS date) + make_interval(months => 1) AS date) AS "day_month", SUM("orders"."amount") AS "revenue"
  FROM "orders"
  WHERE "orders"."day" >= DATE '2024-01-01' AND "orders"."day" < DATE '2024-03-01'
  GROUP BY CAST(CAST(date_trunc('month', "orders"."day") AS date) + make_interval(months => 1) AS date)
)
SELECT "parts"."day_month" AS "day_month", MAX("parts"."revenue") AS "revenue", MAX("parts"."revenue_2") AS "revenue_prev_month"
FROM (SELECT "orders_by_day_month"."day_month" AS "day_month", "orders_by_day_month"."revenue" AS "revenue", (SELECT MAX("orders_by_day_month_2"."revenue") FROM "orders_by_day_month_2" WHERE 1 = 0) AS "revenue_2" FROM "orders_by_day_month"
UNION ALL SELECT "orders_by_day_month_2"."day_month" AS "day_month", (SELECT MAX("orders_by_day_month"."revenue") FROM "orders_by_day_month" WHERE 1 = 0) AS "revenue", "orders_by_day_month_2"."revenue" AS "revenue_2" FROM "orders_by_day_month_2") AS "parts"
GROUP BY "parts"."day_month"
ORDER BY "parts"."day_month" ASC NULLS LAST
LIMIT 1000

-- snowflake
WITH "orders_by_day_month" AS (
  SELECT DATE_TRUNC('MONTH', "orders"."DAY")::DATE AS "day_month", SUM("orders"."AMOUNT") AS "revenue"
  FROM "ORDERS" AS "orders"
  WHERE "orders"."DAY" >= CAST('2024-02-01' AS DATE) AND "orders"."DAY" < CAST('2024-04-01' AS DATE)
  GROUP BY DATE_TRUNC('MONTH', "orders"."DAY")::DATE
),
"orders_by_day_month_2" AS (
  SELECT DATEADD(MONTH, 1, DATE_TRUNC('MONTH', "orders"."DAY")::DATE) AS "day_month", SUM("orders"."AMOUNT") AS "revenue"
  FROM "ORDERS" AS "orders"
  WHERE "orders"."DAY" >= CAST('2024-01-01' AS DATE) AND "orders"."DAY" < CAST('2024-03-01' AS DATE)
  GROUP BY DATEADD(MONTH, 1, DATE_TRUNC('MONTH', "orders"."DAY")::DATE)
)
SELECT "parts"."day_month" AS "day_month", MAX("parts"."revenue") AS "revenue", MAX("parts"."revenue_2") AS "revenue_prev_month"
FROM (SELECT "orders_by_day_month"."day_month" AS "day_month", "orders_by_day_month"."revenue" AS "revenue", (SELECT MAX("orders_by_day_month_2"."revenue") FROM "orders_by_day_month_2" WHERE 1 = 0) AS "revenue_2" FROM "orders_by_day_month"
UNION ALL SELECT "orders_by_day_month_2"."day_month" AS "day_month", (SELECT MAX("orders_by_day_month"."revenue") FROM "orders_by_day_month" WHERE 1 = 0) AS "revenue", "orders_by_day_month_2"."revenue" AS "revenue_2" FROM "orders_by_day_month_2") AS "parts"
GROUP BY "parts"."day_month"
ORDER BY "parts"."day_month" ASC NULLS LAST
LIMIT 1000

-- sqlite
WITH "orders_by_day_month" AS (
  SELECT date("orders"."day", 'start of month') AS "day_month", SUM("orders"."amount") AS "revenue"
  FROM "orders"
  WHERE "orders"."day" >= date('2024-02-01') AND "orders"."day" < date('2024-04-01')
  GROUP BY date("orders"."day", 'start of month')
),
"orders_by_day_month_2" AS (
  SELECT date(date("orders"."day", 'start of month'), (1) || ' months', 'floor') AS "day_month", SUM("orders"."amount") AS "revenue"
  FROM "orders"
  WHERE "orders"."day" >= date('2024-01-01') AND "orders"."day" < date('2024-03-01')
  GROUP BY date(date("orders"."day", 'start of month'), (1) || ' months', 'floor')
)
SELECT "parts"."day_month" AS "day_month", MAX("parts"."revenue") AS "revenue", MAX("parts"."revenue_2") AS "revenue_prev_month"
FROM (SELECT "orders_by_day_month"."day_month" AS "day_month", "orders_by_day_month"."revenue" AS "revenue", (SELECT MAX("orders_by_day_month_2"."revenue") FROM "orders_by_day_month_2" WHERE 1 = 0) AS "revenue_2" FROM "orders_by_day_month"
UNION ALL SELECT "orders_by_day_month_2"."day_month" AS "day_month", (SELECT MAX("orders_by_day_month"."revenue") FROM "orders_by_day_month" WHERE 1 = 0) AS "revenue", "orders_by_day_month_2"."revenue" AS "revenue_2" FROM "orders_by_day_month_2") AS "parts"
GROUP BY "parts"."day_month"
ORDER BY "parts"."day_month" ASC NULLS LAST
LIMIT 1000

-- sqlserver
WITH [orders_by_day_month] AS (
  SELECT [orders_2].[day_month] AS [day_month], SUM([orders_2].[revenue]) AS [revenue]
  FROM (SELECT DATETRUNC(month, CAST([orders].[day] AS date)) AS [day_month], [orders].[amount] AS [revenue] FROM [orders] WHERE [orders].[day] >= CAST(N'2024-02-01' AS date) AND [orders].[day] < CAST(N'2024-04-01' AS date)) AS [orders_2]
  GROUP BY [orders_2].[day_month]
),
[orders_by_day_month_2] AS (
  SELECT [orders_2].[day_month] AS [day_month], SUM([orders_2].[revenue]) AS [revenue]
  FROM (SELECT DATEADD(MONTH, 1, DATETRUNC(month, CAST([orders].[day] AS date))) AS [day_month], [orders].[amount] AS [revenue] FROM [orders] WHERE [orders].[day] >= CAST(N'2024-01-01' AS date) AND [orders].[day] < CAST(N'2024-03-01' AS date)) AS [orders_2]
  GROUP BY [orders_2].[day_month]
)
SELECT TOP (1000) [parts].[day_month] AS [day_month], MAX([parts].[revenue]) AS [revenue], MAX([parts].[revenue_2]) AS [revenue_prev_month]
FROM (SELECT [orders_by_day_month].[day_month] AS [day_month], [orders_by_day_month].[revenue] AS [revenue], (SELECT MAX([orders_by_day_month_2].[revenue]) FROM [orders_by_day_month_2] WHERE 1 = 0) AS [revenue_2] FROM [orders_by_day_month]
UNION ALL SELECT [orders_by_day_month_2].[day_month] AS [day_month], (SELECT MAX([orders_by_day_month].[revenue]) FROM [orders_by_day_month] WHERE 1 = 0) AS [revenue], [orders_by_day_month_2].[revenue] AS [revenue_2] FROM [orders_by_day_month_2]) AS [parts]
GROUP BY [parts].[day_month]
ORDER BY CASE WHEN [parts].[day_month] IS NULL THEN 1 ELSE 0 END, [parts].[day_month] ASC

