-- bigquery
WITH `fiscal_days_2` AS (
  SELECT `fiscal`.`day` AS `day`, CASE WHEN MIN(`fiscal`.`quarter`) = MAX(`fiscal`.`quarter`) THEN MAX(`fiscal`.`quarter`) END AS `fiscal_quarter`
  FROM `fiscal_days` AS `fiscal`
  WHERE `fiscal`.`day` IS NOT NULL
  GROUP BY `fiscal`.`day`
),
`every_fiscal_quarter` AS (
  SELECT `fiscal_days_2_2`.`fiscal_quarter` AS `fiscal_quarter`, `fiscal_days_2_2`.`first` AS `first`
  FROM (SELECT `fiscal_days_2`.`fiscal_quarter` AS `fiscal_quarter`, MIN(`fiscal_days_2`.`day`) AS `first` FROM `fiscal_days_2` WHERE `fiscal_days_2`.`fiscal_quarter` IS NOT NULL GROUP BY `fiscal_days_2`.`fiscal_quarter`) AS `fiscal_days_2_2`
),
`periods` AS (
  SELECT `periods`.period AS `period`, DATE_ADD(`periods`.period, INTERVAL 1 MONTH) AS `until`, `fiscal_days_2_2`.`first` AS `since`
  FROM (SELECT period FROM UNNEST(GENERATE_DATE_ARRAY(CAST('2024-02-01' AS DATE), CAST('2024-04-01' AS DATE), INTERVAL 1 MONTH)) AS period) AS `periods` LEFT JOIN (SELECT `fiscal_days_2`.`day` AS `day`, `every_fiscal_quarter`.`first` AS `first` FROM `fiscal_days_2` JOIN `every_fiscal_quarter` ON `fiscal_days_2`.`fiscal_quarter` = `every_fiscal_quarter`.`fiscal_quarter`) AS `fiscal_days_2_2` ON `periods`.period = `fiscal_days_2_2`.`day`
),
`orders_by_day` AS (
  SELECT CAST(`orders`.`day` AS DATE) AS `day_2`, SUM(`orders`.`amount`) AS `revenue`
  FROM `orders`
  WHERE `orders`.`day` < CAST('2024-05-01' AS DATE)
  GROUP BY CAST(`orders`.`day` AS DATE)
)
SELECT `periods`.`period` AS `day_month`, SUM(`orders_by_day_2`.`revenue`) AS `revenue_fqtd`
FROM `periods` LEFT JOIN (SELECT `orders_by_day`.`day_2` AS `day`, `orders_by_day`.`revenue` AS `revenue`, `fiscal_days_2`.`day` AS `day_2`, `fiscal_days_2`.`fiscal_quarter` AS `fiscal_quarter` FROM `orders_by_day` JOIN `fiscal_days_2` ON `orders_by_day`.`day_2` = `fiscal_days_2`.`day` WHERE `fiscal_days_2`.`fiscal_quarter` IS NOT NULL) AS `orders_by_day_2` ON `orders_by_day_2`.`day` >= `periods`.`since` AND `orders_by_day_2`.`day` < `periods`.`until`
GROUP BY `periods`.`period`
ORDER BY `periods`.`period` ASC NULLS LAST
LIMIT 1000

-- clickhouse
WITH `fiscal_days_2` AS (
  SELECT `fiscal`.`day` AS `day`, CASE WHEN minOrNull(toNullable(`fiscal`.`quarter`)) = maxOrNull(toNullable(`fiscal`.`quarter`)) THEN maxOrNull(toNullable(`fiscal`.`quarter`)) END AS `fiscal_quarter`
  FROM `fiscal_days` AS `fiscal`
  WHERE `fiscal`.`day` IS NOT NULL
  GROUP BY `fiscal`.`day`
),
`every_fiscal_quarter` AS (
  SELECT toNullable(`fiscal_days_2_2`.`fiscal_quarter`) AS `fiscal_quarter`, toNullable(`fiscal_days_2_2`.`first`) AS `first`
  FROM (SELECT `fiscal_days_2`.`fiscal_quarter` AS `fiscal_quarter`, minOrNull(`fiscal_days_2`.`day`) AS `first` FROM `fiscal_days_2` WHERE `fiscal_days_2`.`fiscal_quarter` IS NOT NULL GROUP BY `fiscal_days_2`.`fiscal_quarter`) AS `fiscal_days_2_2`
),
`periods` AS (
  SELECT `periods`.period AS `period`, addMonths(`periods`.period, 1) AS `until`, `fiscal_days_2_2`.`first` AS `since`
  FROM (SELECT addMonths(toDate32('2024-02-01'), number) AS period FROM numbers(toUInt64(ifNull(greatest(dateDiff('month', toDate32('2024-02-01'), toDate32('2024-04-01')) + 1, 0), 0)))) AS `periods` LEFT JOIN (SELECT `fiscal_days_2`.`day` AS `day`, `every_fiscal_quarter`.`first` AS `first` FROM `fiscal_days_2` JOIN `every_fiscal_quarter` ON `fiscal_days_2`.`fiscal_quarter` = `every_fiscal_quarter`.`fiscal_quarter`) AS `fiscal_days_2_2` ON `periods`.period = `fiscal_days_2_2`.`day`
),
`orders_by_day` AS (
  SELECT toDate32(`orders`.`day`) AS `day_2`, sumOrNull(toNullable(`orders`.`amount`)) AS `revenue`
  FROM `orders`
  WHERE `orders`.`day` < toDate32('2024-05-01')
  GROUP BY toDate32(`orders`.`day`)
),
`orders_in_windows` AS (
  SELECT `periods`.`period` AS `day_month`, `orders_by_day_2`.`revenue` AS `revenue`
  FROM `periods` JOIN (SELECT `orders_by_day`.`day_2` AS `day`, `orders_by_day`.`revenue` AS `revenue`, `fiscal_days_2`.`day` AS `day_2`, `fiscal_days_2`.`fiscal_quarter` AS `fiscal_quarter` FROM `orders_by_day` JOIN `fiscal_days_2` ON `orders_by_day`.`day_2` = `fiscal_days_2`.`day` WHERE `fiscal_days_2`.`fiscal_quarter` IS NOT NULL) AS `orders_by_day_2` ON `orders_by_day_2`.`day` >= `periods`.`since` AND `orders_by_day_2`.`day` < `periods`.`until`
)
SELECT `parts`.`day_month` AS `day_month`, sumOrNull(`parts`.`revenue`) AS `revenue_fqtd`
FROM (SELECT `orders_in_windows`.`day_month` AS `day_month`, `orders_in_windows`.`revenue` AS `revenue` FROM `orders_in_windows`
UNION ALL SELECT `periods`.`period` AS `day_month`, (SELECT MAX(`orders_in_windows`.`revenue`) FROM `orders_in_windows` WHERE 1 = 0) AS `revenue` FROM `periods`) AS `parts`
GROUP BY `parts`.`day_month`
ORDER BY `parts`.`day_month` ASC NULLS LAST
LIMIT 1000

-- duckdb
WITH "fiscal_days_2" AS (
  SELECT "fiscal"."day" AS "day", CASE WHEN MIN("fiscal"."quarter") = MAX("fiscal"."quarter") THEN MAX("fiscal"."quarter") END AS "fiscal_quarter"
  FROM "fiscal_days" AS "fiscal"
  WHERE "fiscal"."day" IS NOT NULL
  GROUP BY "fiscal"."day"
),
"every_fiscal_quarter" AS (
  SELECT "fiscal_days_2_2"."fiscal_quarter" AS "fiscal_quarter", "fiscal_days_2_2"."first" AS "first"
  FROM (SELECT "fiscal_days_2"."fiscal_quarter" AS "fiscal_quarter", MIN("fiscal_days_2"."day") AS "first" FROM "fiscal_days_2" WHERE "fiscal_days_2"."fiscal_quarter" IS NOT NULL GROUP BY "fiscal_days_2"."fiscal_quarter") AS "fiscal_days_2_2"
),
"periods" AS (
  SELECT "periods".period AS "period", CAST("periods".period + INTERVAL (1) month AS DATE) AS "until", "fiscal_days_2_2"."first" AS "since"
  FROM (SELECT CAST(unnest(generate_series(CAST('2024-02-01' AS DATE), CAST('2024-04-01' AS DATE), INTERVAL 1 month)) AS DATE) AS period) AS "periods" LEFT JOIN (SELECT "fiscal_days_2"."day" AS "day", "every_fiscal_quarter"."first" AS "first" FROM "fiscal_days_2" JOIN "every_fiscal_quarter" ON "fiscal_days_2"."fiscal_quarter" = "every_fiscal_quarter"."fiscal_quarter") AS "fiscal_days_2_2" ON "periods".period = "fiscal_days_2_2"."day"
),
"orders_by_day" AS (
  SELECT CAST(date_trunc('day', "orders"."day") AS DATE) AS "day_2", SUM("orders"."amount") AS "revenue"
  FROM "orders"
  WHERE "orders"."day" < CAST('2024-05-01' AS DATE)
  GROUP BY CAST(date_trunc('day', "orders"."day") AS DATE)
)
SELECT "periods"."period" AS "day_month", SUM("orders_by_day_2"."revenue") AS "revenue_fqtd"
FROM "periods" LEFT JOIN (SELECT "orders_by_day"."day_2" AS "day", "orders_by_day"."revenue" AS "revenue", "fiscal_days_2"."day" AS "day_2", "fiscal_days_2"."fiscal_quarter" AS "fiscal_quarter" FROM "orders_by_day" JOIN "fiscal_days_2" ON "orders_by_day"."day_2" = "fiscal_days_2"."day" WHERE "fiscal_days_2"."fiscal_quarter" IS NOT NULL) AS "orders_by_day_2" ON "orders_by_day_2"."day" >= "periods"."since" AND "orders_by_day_2"."day" < "periods"."until"
GROUP BY "periods"."period"
ORDER BY "periods"."period" ASC NULLS LAST
LIMIT 1000

-- mysql
WITH `fiscal_days_2` AS (
  SELECT `fiscal`.`day` AS `day`, CASE WHEN MIN(`fiscal`.`quarter`) = MAX(`fiscal`.`quarter`) THEN MAX(`fiscal`.`quarter`) END AS `fiscal_quarter`
  FROM `fiscal_days` AS `fiscal`
  WHERE `fiscal`.`day` IS NOT NULL
  GROUP BY `fiscal`.`day`
),
`every_fiscal_quarter` AS (
  SELECT `fiscal_days_2_2`.`fiscal_quarter` AS `fiscal_quarter`, `fiscal_days_2_2`.`first` AS `first`
  FROM (SELECT `fiscal_days_2`.`fiscal_quarter` AS `fiscal_quarter`, MIN(`fiscal_days_2`.`day`) AS `first` FROM `fiscal_days_2` WHERE `fiscal_days_2`.`fiscal_quarter` IS NOT NULL GROUP BY `fiscal_days_2`.`fiscal_quarter`) AS `fiscal_days_2_2`
),
`periods` AS (
  SELECT `periods`.period AS `period`, DATE_ADD(`periods`.period, INTERVAL 1 MONTH) AS `until`, `fiscal_days_2_2`.`first` AS `since`
  FROM (SELECT DATE_ADD(b.lo, INTERVAL n.i - 1 MONTH) AS period FROM (SELECT DATE '2024-02-01' AS lo, DATE '2024-04-01' AS hi) AS b JOIN JSON_TABLE(CONCAT('[0', REPEAT(',0', TIMESTAMPDIFF(MONTH, b.lo, b.hi)), ']'), '$[*]' COLUMNS (i FOR ORDINALITY)) AS n WHERE b.lo <= b.hi) AS `periods` LEFT JOIN (SELECT `fiscal_days_2`.`day` AS `day`, `every_fiscal_quarter`.`first` AS `first` FROM `fiscal_days_2` JOIN `every_fiscal_quarter` ON `fiscal_days_2`.`fiscal_quarter` = `every_fiscal_quarter`.`fiscal_quarter`) AS `fiscal_days_2_2` ON `periods`.period = `fiscal_days_2_2`.`day`
),
`orders_by_day` AS (
  SELECT `orders_2`.`day_2` AS `day`, SUM(`orders_2`.`revenue`) AS `revenue`
  FROM (SELECT DATE(`orders`.`day`) AS `day_2`, `orders`.`amount` AS `revenue` FROM `orders` WHERE `orders`.`day` < DATE '2024-05-01') AS `orders_2`
  GROUP BY `orders_2`.`day_2`
)
SELECT `periods`.`period` AS `day_month`, SUM(`orders_by_day_2`.`revenue`) AS `revenue_fqtd`
FROM `periods` LEFT JOIN (SELECT `orders_by_day`.`day` AS `day`, `orders_by_day`.`revenue` AS `revenue`, `fiscal_days_2`.`day` AS `day_2`, `fiscal_days_2`.`fiscal_quarter` AS `fiscal_quarter` FROM `orders_by_day` JOIN `fiscal_days_2` ON `orders_by_day`.`day` = `fiscal_days_2`.`day` WHERE `fiscal_days_2`.`fiscal_quarter` IS NOT NULL) AS `orders_by_day_2` ON `orders_by_day_2`.`day` >= `periods`.`since` AND `orders_by_day_2`.`day` < `periods`.`until`
GROUP BY `periods`.`period`
ORDER BY `periods`.`period` IS NULL, `periods`.`period` ASC
LIMIT 1000

-- postgres
WITH "fiscal_days_2" AS (
  SELECT "fiscal"."day" AS "day", CASE WHEN MIN("fiscal"."quarter") = MAX("fiscal"."quarter") THEN MAX("fiscal"."quarter") END AS "fiscal_quarter"
  FROM "fiscal_days" AS "fiscal"
  WHERE "fiscal"."day" IS NOT NULL
  GROUP BY "fiscal"."day"
),
"every_fiscal_quarter" AS (
  SELECT "fiscal_days_2_2"."fiscal_quarter" AS "fiscal_quarter", "fiscal_days_2_2"."first" AS "first"
  FROM (SELECT "fiscal_days_2"."fiscal_quarter" AS "fiscal_quarter", MIN("fiscal_days_2"."day") AS "first" FROM "fiscal_days_2" WHERE "fiscal_days_2"."fiscal_quarter" IS NOT NULL GROUP BY "fiscal_days_2"."fiscal_quarter") AS "fiscal_days_2_2"
),
"periods" AS (
  SELECT "periods".period AS "period", CAST("periods".period + make_interval(months => 1) AS date) AS "until", "fiscal_days_2_2"."first" AS "since"
  FROM (SELECT CAST(p AS date) AS period FROM generate_series(CAST(DATE '2024-02-01' AS timestamp), CAST(DATE '2024-04-01' AS timestamp), INTERVAL '1 month') AS s (p)) AS "periods" LEFT JOIN (SELECT "fiscal_days_2"."day" AS "day", "every_fiscal_quarter"."first" AS "first" FROM "fiscal_days_2" JOIN "every_fiscal_quarter" ON "fiscal_days_2"."fiscal_quarter" = "every_fiscal_quarter"."fiscal_quarter") AS "fiscal_days_2_2" ON "periods".period = "fiscal_days_2_2"."day"
),
"orders_by_day" AS (
  SELECT CAST("orders"."day" AS date) AS "day_2", SUM("orders"."amount") AS "revenue"
  FROM "orders"
  WHERE "orders"."day" < DATE '2024-05-01'
  GROUP BY CAST("orders"."day" AS date)
)
SELECT "periods"."period" AS "day_month", SUM("orders_by_day_2"."revenue") AS "revenue_fqtd"
FROM "periods" LEFT JOIN (SELECT "orders_by_day"."day_2" AS "day", "orders_by_day"."revenue" AS "revenue", "fiscal_days_2"."day" AS "day_2", "fiscal_days_2"."fiscal_quarter" AS "fiscal_quarter" FROM "orders_by_day" JOIN "fiscal_days_2" ON "orders_by_day"."day_2" = "fiscal_days_2"."day" WHERE "fiscal_days_2"."fiscal_quarter" IS NOT NULL) AS "orders_by_day_2" ON "orders_by_day_2"."day" >= "periods"."since" AND "orders_by_day_2"."day" < "periods"."until"
GROUP BY "periods"."period"
ORDER BY "periods"."period" ASC NULLS LAST
LIMIT 1000

-- snowflake
WITH "fiscal_days_2" AS (
  SELECT "fiscal"."DAY" AS "day_2", CASE WHEN MIN("fiscal"."QUARTER") = MAX("fiscal"."QUARTER") THEN MAX("fiscal"."QUARTER") END AS "fiscal_quarter"
  FROM "FISCAL_DAYS" AS "fiscal"
  WHERE "fiscal"."DAY" IS NOT NULL
  GROUP BY "fiscal"."DAY"
),
"every_fiscal_quarter" AS (
  SELECT "fiscal_days_2_2"."fiscal_quarter" AS "fiscal_quarter", "fiscal_days_2_2"."first" AS "first"
  FROM (SELECT "fiscal_days_2"."fiscal_quarter" AS "fiscal_quarter", MIN("fiscal_days_2"."day_2") AS "first" FROM "fiscal_days_2" WHERE "fiscal_days_2"."fiscal_quarter" IS NOT NULL GROUP BY "fiscal_days_2"."fiscal_quarter") AS "fiscal_days_2_2"
),
"periods" AS (
  SELECT "periods".period AS "period", DATEADD(MONTH, 1, "periods".period) AS "until", "fiscal_days_2_2"."first" AS "since"
  FROM (SELECT DATEADD(MONTH, ROW_NUMBER() OVER (ORDER BY NULL) - 1, CAST('2024-02-01' AS DATE)) AS period FROM TABLE(GENERATOR(ROWCOUNT => 100000)) QUALIFY period <= CAST('2024-04-01' AS DATE)) AS "periods" LEFT JOIN (SELECT "fiscal_days_2"."day_2" AS "day", "every_fiscal_quarter"."first" AS "first" FROM "fiscal_days_2" JOIN "every_fiscal_quarter" ON "fiscal_days_2"."fiscal_quarter" = "every_fiscal_quarter"."fiscal_quarter") AS "fiscal_days_2_2" ON "periods".period = "fiscal_days_2_2"."day"
),
"orders_by_day" AS (
  SELECT DATE_TRUNC('DAY', "orders"."DAY")::DATE AS "day_2", SUM("orders"."AMOUNT") AS "revenue"
  FROM "ORDERS" AS "orders"
  WHERE "orders"."DAY" < CAST('2024-05-01' AS DATE)
  GROUP BY DATE_TRUNC('DAY', "orders"."DAY")::DATE
)
SELECT "periods"."period" AS "day_month", SUM("orders_by_day_2"."revenue") AS "revenue_fqtd"
FROM "periods" LEFT JOIN (SELECT "orders_by_day"."day_2" AS "day", "orders_by_day"."revenue" AS "revenue", "fiscal_days_2"."day_2" AS "day_2", "fiscal_days_2"."fiscal_quarter" AS "fiscal_quarter" FROM "orders_by_day" JOIN "fiscal_days_2" ON "orders_by_day"."day_2" = "fiscal_days_2"."day_2" WHERE "fiscal_days_2"."fiscal_quarter" IS NOT NULL) AS "orders_by_day_2" ON "orders_by_day_2"."day" >= "periods"."since" AND "orders_by_day_2"."day" < "periods"."until"
GROUP BY "periods"."period"
ORDER BY "periods"."period" ASC NULLS LAST
LIMIT 1000

-- sqlite
WITH "fiscal_days_2" AS (
  SELECT "fiscal"."day" AS "day", CASE WHEN MIN("fiscal"."quarter") = MAX("fiscal"."quarter") THEN MAX("fiscal"."quarter") END AS "fiscal_quarter"
  FROM "fiscal_days" AS "fiscal"
  WHERE "fiscal"."day" IS NOT NULL
  GROUP BY "fiscal"."day"
),
"every_fiscal_quarter" AS (
  SELECT "fiscal_days_2_2"."fiscal_quarter" AS "fiscal_quarter", "fiscal_days_2_2"."first" AS "first"
  FROM (SELECT "fiscal_days_2"."fiscal_quarter" AS "fiscal_quarter", MIN("fiscal_days_2"."day") AS "first" FROM "fiscal_days_2" WHERE "fiscal_days_2"."fiscal_quarter" IS NOT NULL GROUP BY "fiscal_days_2"."fiscal_quarter") AS "fiscal_days_2_2"
),
"periods" AS (
  SELECT "periods".period AS "period", date("periods".period, (1) || ' months', 'floor') AS "until", "fiscal_days_2_2"."first" AS "since"
  FROM (WITH RECURSIVE spine (period) AS (SELECT date(date('2024-02-01')) WHERE date(date('2024-02-01')) <= date(date('2024-04-01')) UNION ALL SELECT date(period, (1) || ' months') FROM spine WHERE date(period, (1) || ' months') <= date(date('2024-04-01'))) SELECT period FROM spine) AS "periods" LEFT JOIN (SELECT "fiscal_days_2"."day" AS "day", "every_fiscal_quarter"."first" AS "first" FROM "fiscal_days_2" JOIN "every_fiscal_quarter" ON "fiscal_days_2"."fiscal_quarter" = "every_fiscal_quarter"."fiscal_quarter") AS "fiscal_days_2_2" ON "periods".period = "fiscal_days_2_2"."day"
),
"orders_by_day" AS (
  SELECT date("orders"."day") AS "day_2", SUM("orders"."amount") AS "revenue"
  FROM "orders"
  WHERE "orders"."day" < date('2024-05-01')
  GROUP BY date("orders"."day")
)
SELECT "periods"."period" AS "day_month", SUM("orders_by_day_2"."revenue") AS "revenue_fqtd"
FROM "periods" LEFT JOIN (SELECT "orders_by_day"."day_2" AS "day", "orders_by_day"."revenue" AS "revenue", "fiscal_days_2"."day" AS "day_2", "fiscal_days_2"."fiscal_quarter" AS "fiscal_quarter" FROM "orders_by_day" JOIN "fiscal_days_2" ON "orders_by_day"."day_2" = "fiscal_days_2"."day" WHERE "fiscal_days_2"."fiscal_quarter" IS NOT NULL) AS "orders_by_day_2" ON "orders_by_day_2"."day" >= "periods"."since" AND "orders_by_day_2"."day" < "periods"."until"
GROUP BY "periods"."period"
ORDER BY "periods"."period" ASC NULLS LAST
LIMIT 1000

-- sqlserver
WITH [fiscal_days_2] AS (
  SELECT [fiscal].[day] AS [day], CASE WHEN MIN([fiscal].[quarter]) = MAX([fiscal].[quarter]) THEN MAX([fiscal].[quarter]) END AS [fiscal_quarter]
  FROM [fiscal_days] AS [fiscal]
  WHERE [fiscal].[day] IS NOT NULL
  GROUP BY [fiscal].[day]
),
[every_fiscal_quarter] AS (
  SELECT [fiscal_days_2_2].[fiscal_quarter] AS [fiscal_quarter], [fiscal_days_2_2].[first] AS [first]
  FROM (SELECT [fiscal_days_2].[fiscal_quarter] AS [fiscal_quarter], MIN([fiscal_days_2].[day]) AS [first] FROM [fiscal_days_2] WHERE [fiscal_days_2].[fiscal_quarter] IS NOT NULL GROUP BY [fiscal_days_2].[fiscal_quarter]) AS [fiscal_days_2_2]
),
[periods] AS (
  SELECT [periods].period AS [period], DATEADD(MONTH, 1, [periods].period) AS [until], [fiscal_days_2_2].[first] AS [since]
  FROM (SELECT TOP (DATEDIFF(MONTH, CAST(N'2024-02-01' AS date), CAST(N'2024-04-01' AS date)) + 1) DATEADD(MONTH, ROW_NUMBER() OVER (ORDER BY (SELECT NULL)) - 1, CAST(N'2024-02-01' AS date)) AS period FROM sys.all_columns a CROSS JOIN sys.all_columns b) AS [periods] LEFT JOIN (SELECT [fiscal_days_2].[day] AS [day], [every_fiscal_quarter].[first] AS [first] FROM [fiscal_days_2] JOIN [every_fiscal_quarter] ON [fiscal_days_2].[fiscal_quarter] = [every_fiscal_quarter].[fiscal_quarter]) AS [fiscal_days_2_2] ON [periods].period = [fiscal_days_2_2].[day]
),
[orders_by_day] AS (
  SELECT [orders_2].[day_2] AS [day], SUM([orders_2].[revenue]) AS [revenue]
  FROM (SELECT CAST([orders].[day] AS date) AS [day_2], [orders].[amount] AS [revenue] FROM [orders] WHERE [orders].[day] < CAST(N'2024-05-01' AS date)) AS [orders_2]
  GROUP BY [orders_2].[day_2]
)
SELECT TOP (1000) [periods].[period] AS [day_month], SUM([orders_by_day_2].[revenue]) AS [revenue_fqtd]
FROM [periods] LEFT JOIN (SELECT [orders_by_day].[day] AS [day], [orders_by_day].[revenue] AS [revenue], [fiscal_days_2].[day] AS [day_2], [fiscal_days_2].[fiscal_quarter] AS [fiscal_quarter] FROM [orders_by_day] JOIN [fiscal_days_2] ON [orders_by_day].[day] = [fiscal_days_2].[day] WHERE [fiscal_days_2].[fiscal_quarter] IS NOT NULL) AS [orders_by_day_2] ON [orders_by_day_2].[day] >= [periods].[since] AND [orders_by_day_2].[day] < [periods].[until]
GROUP BY [periods].[period]
ORDER BY CASE WHEN [periods].[period] IS NULL THEN 1 ELSE 0 END, [periods].[period] ASC

