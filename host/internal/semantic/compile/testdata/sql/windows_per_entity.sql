-- bigquery
WITH `order_count_by_name` AS (
  SELECT `customers`.`name` AS `name`, COUNT(1) AS `order_count`
  FROM `orders` LEFT JOIN `customers` ON `orders`.`customer_id` = `customers`.`id`
  GROUP BY `customers`.`name`
),
`orders_by_month` AS (
  SELECT DATE_TRUNC(CAST(CAST(`orders`.`day` AS DATE) AS DATE), MONTH) AS `month`, CASE WHEN `customers`.`name` IS NOT NULL THEN COALESCE(`order_count_by_name`.`order_count`, 0) END AS `orders_of`, SUM(`orders`.`amount`) AS `revenue`
  FROM `orders` LEFT JOIN `customers` ON `orders`.`customer_id` = `customers`.`id` LEFT JOIN `order_count_by_name` ON `order_count_by_name`.`name` = `customers`.`name`
  GROUP BY DATE_TRUNC(CAST(CAST(`orders`.`day` AS DATE) AS DATE), MONTH), CASE WHEN `customers`.`name` IS NOT NULL THEN COALESCE(`order_count_by_name`.`order_count`, 0) END
),
`orders_by_period` AS (
  SELECT `orders_by_month`.`month` AS `day_month`, `orders_by_month`.`orders_of` AS `orders_of`, `orders_by_month`.`revenue` AS `revenue`
  FROM `orders_by_month`
  WHERE `orders_by_month`.`month` IS NOT NULL
),
`every_month` AS (
  SELECT `periods`.period AS `period`
  FROM (SELECT period FROM UNNEST(GENERATE_DATE_ARRAY(DATE_TRUNC(CAST((SELECT MIN(`orders_by_month`.`month`) AS `first_month` FROM `orders_by_month`) AS DATE), MONTH), DATE_TRUNC(CAST((SELECT MAX(`orders_by_month`.`month`) AS `last_month` FROM `orders_by_month`) AS DATE), MONTH), INTERVAL 1 MONTH)) AS period) AS `periods`
)
SELECT `parts_3`.`day_month` AS `day_month`, `parts_3`.`orders_of` AS `orders_of`, `parts_3`.`revenue` AS `revenue_mtd`
FROM (SELECT `parts_2`.`day_month` AS `day_month`, `parts_2`.`orders_of` AS `orders_of`, `parts_2`.`value` AS `value`, SUM(`parts_2`.`value`) OVER (PARTITION BY `parts_2`.`orders_of`, DATE_TRUNC(CAST(`parts_2`.`day_month` AS DATE), MONTH) ORDER BY `parts_2`.`day_month` ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS `revenue` FROM (SELECT `parts`.`day_month` AS `day_month`, `parts`.`orders_of` AS `orders_of`, SUM(`parts`.`revenue`) AS `value` FROM (SELECT `orders_by_period`.`day_month` AS `day_month`, `orders_by_period`.`orders_of` AS `orders_of`, `orders_by_period`.`revenue` AS `revenue` FROM `orders_by_period`
UNION ALL SELECT `every_month`.`period` AS `day_month`, `orders_by_period_2`.`orders_of` AS `orders_of`, (SELECT MAX(`orders_by_period`.`revenue`) FROM `orders_by_period` WHERE 1 = 0) AS `revenue` FROM `every_month` CROSS JOIN (SELECT DISTINCT `orders_by_period`.`orders_of` AS `orders_of` FROM `orders_by_period`) AS `orders_by_period_2`) AS `parts` GROUP BY `parts`.`day_month`, `parts`.`orders_of`) AS `parts_2`) AS `parts_3`
ORDER BY `parts_3`.`day_month` ASC NULLS LAST, `parts_3`.`orders_of` ASC NULLS LAST
LIMIT 1000

-- clickhouse
WITH `order_count_by_name` AS (
  SELECT `customers`.`name` AS `name`, toInt64(count(toNullable(1))) AS `order_count`
  FROM `orders` LEFT JOIN (SELECT toNullable(`customers`.`id`) AS `id`, toNullable(`customers`.`name`) AS `name` FROM `customers`) AS `customers` ON `orders`.`customer_id` = `customers`.`id`
  GROUP BY `customers`.`name`
),
`orders_by_month` AS (
  SELECT makeDate32(toYear(toDate32(`orders`.`day`)), toMonth(toDate32(`orders`.`day`)), 1) AS `month`, CASE WHEN `customers`.`name` IS NOT NULL THEN coalesce(`order_count_by_name`.`order_count`, 0) END AS `orders_of`, sumOrNull(toNullable(`orders`.`amount`)) AS `revenue`
  FROM `orders` LEFT JOIN (SELECT toNullable(`customers`.`id`) AS `id`, toNullable(`customers`.`name`) AS `name` FROM `customers`) AS `customers` ON `orders`.`customer_id` = `customers`.`id` LEFT JOIN `order_count_by_name` ON `order_count_by_name`.`name` = `customers`.`name`
  GROUP BY makeDate32(toYear(toDate32(`orders`.`day`)), toMonth(toDate32(`orders`.`day`)), 1), CASE WHEN `customers`.`name` IS NOT NULL THEN coalesce(`order_count_by_name`.`order_count`, 0) END
),
`orders_by_period` AS (
  SELECT `orders_by_month`.`month` AS `day_month`, `orders_by_month`.`orders_of` AS `orders_of`, `orders_by_month`.`revenue` AS `revenue`
  FROM `orders_by_month`
  WHERE `orders_by_month`.`month` IS NOT NULL
),
`every_month` AS (
  SELECT `periods`.period AS `period`
  FROM (WITH (SELECT (makeDate32(toYear(`ends`.`first_month`), toMonth(`ends`.`first_month`), 1), makeDate32(toYear(`ends`.`last_month`), toMonth(`ends`.`last_month`), 1)) FROM (SELECT minOrNull(`orders_by_month`.`month`) AS `first_month`, maxOrNull(`orders_by_month`.`month`) AS `last_month` FROM `orders_by_month`) AS `ends`) AS loam_ends SELECT addMonths(loam_ends.1, arrayJoin(range(toUInt64(ifNull(greatest(dateDiff('month', loam_ends.1, loam_ends.2) + 1, 0), 0))))) AS period) AS `periods`
)
SELECT `parts_3`.`day_month` AS `day_month`, `parts_3`.`orders_of` AS `orders_of`, `parts_3`.`revenue` AS `revenue_mtd`
FROM (SELECT `parts_2`.`day_month` AS `day_month`, `parts_2`.`orders_of` AS `orders_of`, `parts_2`.`value` AS `value`, SUM(`parts_2`.`value`) OVER (PARTITION BY `parts_2`.`orders_of`, makeDate32(toYear(`parts_2`.`day_month`), toMonth(`parts_2`.`day_month`), 1) ORDER BY `parts_2`.`day_month` ASC NULLS LAST ROWS UNBOUNDED PRECEDING) AS `revenue` FROM (SELECT `parts`.`day_month` AS `day_month`, `parts`.`orders_of` AS `orders_of`, sumOrNull(`parts`.`revenue`) AS `value` FROM (SELECT `orders_by_period`.`day_month` AS `day_month`, `orders_by_period`.`orders_of` AS `orders_of`, `orders_by_period`.`revenue` AS `revenue` FROM `orders_by_period`
UNION ALL SELECT `every_month`.`period` AS `day_month`, `orders_by_period_2`.`orders_of` AS `orders_of`, (SELECT MAX(`orders_by_period`.`revenue`) FROM `orders_by_period` WHERE 1 = 0) AS `revenue` FROM `every_month` CROSS JOIN (SELECT DISTINCT `orders_by_period`.`orders_of` AS `orders_of` FROM `orders_by_period`) AS `orders_by_period_2`) AS `parts` GROUP BY `parts`.`day_month`, `parts`.`orders_of`) AS `parts_2`) AS `parts_3`
ORDER BY `parts_3`.`day_month` ASC NULLS LAST, `parts_3`.`orders_of` ASC NULLS LAST
LIMIT 1000

-- duckdb
WITH "order_count_by_name" AS (
  SELECT "customers"."name" AS "name", COUNT(1) AS "order_count"
  FROM "orders" LEFT JOIN "customers" ON "orders"."customer_id" = "customers"."id"
  GROUP BY "customers"."name"
),
"orders_by_month" AS (
  SELECT CAST(date_trunc('month', CAST(date_trunc('day', "orders"."day") AS DATE)) AS DATE) AS "month", CASE WHEN "customers"."name" IS NOT NULL THEN coalesce("order_count_by_name"."order_count", 0) END AS "orders_of", SUM("orders"."amount") AS "revenue"
  FROM "orders" LEFT JOIN "customers" ON "orders"."customer_id" = "customers"."id" LEFT JOIN "order_count_by_name" ON "order_count_by_name"."name" = "customers"."name"
  GROUP BY CAST(date_trunc('month', CAST(date_trunc('day', "orders"."day") AS DATE)) AS DATE), CASE WHEN "customers"."name" IS NOT NULL THEN coalesce("order_count_by_name"."order_count", 0) END
),
"orders_by_period" AS (
  SELECT "orders_by_month"."month" AS "day_month", "orders_by_month"."orders_of" AS "orders_of", "orders_by_month"."revenue" AS "revenue"
  FROM "orders_by_month"
  WHERE "orders_by_month"."month" IS NOT NULL
),
"every_month" AS (
  SELECT "periods".period AS "period"
  FROM (SELECT CAST(unnest(generate_series(CAST(date_trunc('month', (SELECT MIN("orders_by_month"."month") AS "first_month" FROM "orders_by_month")) AS DATE), CAST(date_trunc('month', (SELECT MAX("orders_by_month"."month") AS "last_month" FROM "orders_by_month")) AS DATE), INTERVAL 1 month)) AS DATE) AS period) AS "periods"
)
SELECT "parts_3"."day_month" AS "day_month", "parts_3"."orders_of" AS "orders_of", "parts_3"."revenue" AS "revenue_mtd"
FROM (SELECT "parts_2"."day_month" AS "day_month", "parts_2"."orders_of" AS "orders_of", "parts_2"."value" AS "value", SUM("parts_2"."value") OVER (PARTITION BY "parts_2"."orders_of", CAST(date_trunc('month', "parts_2"."day_month") AS DATE) ORDER BY "parts_2"."day_month" ASC NULLS LAST ROWS UNBOUNDED PRECEDING) AS "revenue" FROM (SELECT "parts"."day_month" AS "day_month", "parts"."orders_of" AS "orders_of", SUM("parts"."revenue") AS "value" FROM (SELECT "orders_by_period"."day_month" AS "day_month", "orders_by_period"."orders_of" AS "orders_of", "orders_by_period"."revenue" AS "revenue" FROM "orders_by_period"
UNION ALL SELECT "every_month"."period" AS "day_month", "orders_by_period_2"."orders_of" AS "orders_of", (SELECT MAX("orders_by_period"."revenue") FROM "orders_by_period" WHERE 1 = 0) AS "revenue" FROM "every_month" CROSS JOIN (SELECT DISTINCT "orders_by_period"."orders_of" AS "orders_of" FROM "orders_by_period") AS "orders_by_period_2") AS "parts" GROUP BY "parts"."day_month", "parts"."orders_of") AS "parts_2") AS "parts_3"
ORDER BY "parts_3"."day_month" ASC NULLS LAST, "parts_3"."orders_of" ASC NULLS LAST
LIMIT 1000

-- mysql
WITH `order_count_by_name` AS (
  SELECT `customers`.`name` AS `name`, COUNT(1) AS `order_count`
  FROM `orders` LEFT JOIN `customers` ON `orders`.`customer_id` = `customers`.`id`
  GROUP BY `customers`.`name`
),
`orders_by_month` AS (
  SELECT `orders_2`.`month` AS `month`, `orders_2`.`orders_of` AS `orders_of`, SUM(`orders_2`.`revenue`) AS `revenue`
  FROM (SELECT CAST(DATE_FORMAT(DATE(`orders`.`day`), '%Y-%m-01') AS DATE) AS `month`, CASE WHEN `customers`.`name` IS NOT NULL THEN COALESCE(`order_count_by_name`.`order_count`, 0) END AS `orders_of`, `orders`.`amount` AS `revenue` FROM `orders` LEFT JOIN `customers` ON `orders`.`customer_id` = `customers`.`id` LEFT JOIN `order_count_by_name` ON `order_count_by_name`.`name` = `customers`.`name`) AS `orders_2`
  GROUP BY `orders_2`.`month`, `orders_2`.`orders_of`
),
`orders_by_period` AS (
  SELECT `orders_by_month`.`month` AS `day_month`, `orders_by_month`.`orders_of` AS `orders_of`, `orders_by_month`.`revenue` AS `revenue`
  FROM `orders_by_month`
  WHERE `orders_by_month`.`month` IS NOT NULL
),
`every_month` AS (
  SELECT `periods`.period AS `period`
  FROM (SELECT DATE_ADD(b.lo, INTERVAL n.i - 1 MONTH) AS period FROM (SELECT CAST(DATE_FORMAT(`ends`.`first_month`, '%Y-%m-01') AS DATE) AS lo, CAST(DATE_FORMAT(`ends`.`last_month`, '%Y-%m-01') AS DATE) AS hi FROM (SELECT MIN(`orders_by_month`.`month`) AS `first_month`, MAX(`orders_by_month`.`month`) AS `last_month` FROM `orders_by_month`) AS `ends`) AS b JOIN JSON_TABLE(CONCAT('[0', REPEAT(',0', TIMESTAMPDIFF(MONTH, b.lo, b.hi)), ']'), '$[*]' COLUMNS (i FOR ORDINALITY)) AS n WHERE b.lo <= b.hi) AS `periods`
)
SELECT `parts_3`.`day_month` AS `day_month`, `parts_3`.`orders_of` AS `orders_of`, `parts_3`.`revenue` AS `revenue_mtd`
FROM (SELECT `parts_2`.`day_month` AS `day_month`, `parts_2`.`orders_of` AS `orders_of`, `parts_2`.`value` AS `value`, SUM(`parts_2`.`value`) OVER (PARTITION BY `parts_2`.`orders_of`, CAST(DATE_FORMAT(`parts_2`.`day_month`, '%Y-%m-01') AS DATE) ORDER BY `parts_2`.`day_month` ASC ROWS UNBOUNDED PRECEDING) AS `revenue` FROM (SELECT `parts`.`day_month` AS `day_month`, `parts`.`orders_of` AS `orders_of`, SUM(`parts`.`revenue`) AS `value` FROM (SELECT `orders_by_period`.`day_month` AS `day_month`, `orders_by_period`.`orders_of` AS `orders_of`, `orders_by_period`.`revenue` AS `revenue` FROM `orders_by_period`
UNION ALL SELECT `every_month`.`period` AS `day_month`, `orders_by_period_2`.`orders_of` AS `orders_of`, (SELECT MAX(`orders_by_period`.`revenue`) FROM `orders_by_period` WHERE 1 = 0) AS `revenue` FROM `every_month` CROSS JOIN (SELECT DISTINCT `orders_by_period`.`orders_of` AS `orders_of` FROM `orders_by_period`) AS `orders_by_period_2`) AS `parts` GROUP BY `parts`.`day_month`, `parts`.`orders_of`) AS `parts_2`) AS `parts_3`
ORDER BY `parts_3`.`day_month` IS NULL, `parts_3`.`day_month` ASC, `parts_3`.`orders_of` IS NULL, `parts_3`.`orders_of` ASC
LIMIT 1000

-- postgres
WITH "order_count_by_name" AS (
  SELECT "customers"."name" AS "name", COUNT(1) AS "order_count"
  FROM "orders" LEFT JOIN "customers" ON "orders"."customer_id" = "customers"."id"
  GROUP BY "customers"."name"
),
"orders_by_month" AS (
  SELECT CAST(date_trunc('month', CAST("orders"."day" AS date)) AS date) AS "month", CASE WHEN "customers"."name" IS NOT NULL THEN coalesce("order_count_by_name"."order_count", 0) END AS "orders_of", SUM("orders"."amount") AS "revenue"
  FROM "orders" LEFT JOIN "customers" ON "orders"."customer_id" = "customers"."id" LEFT JOIN "order_count_by_name" ON "order_count_by_name"."name" = "customers"."name"
  GROUP BY CAST(date_trunc('month', CAST("orders"."day" AS date)) AS date), CASE WHEN "customers"."name" IS NOT NULL THEN coalesce("order_count_by_name"."order_count", 0) END
),
"orders_by_period" AS (
  SELECT "orders_by_month"."month" AS "day_month", "orders_by_month"."orders_of" AS "orders_of", "orders_by_month"."revenue" AS "revenue"
  FROM "orders_by_month"
  WHERE "orders_by_month"."month" IS NOT NULL
),
"every_month" AS (
  SELECT "periods".period AS "period"
  FROM (SELECT CAST(p AS date) AS period FROM generate_series(CAST(CAST(date_trunc('month', (SELECT MIN("orders_by_month"."month") AS "first_month" FROM "orders_by_month")) AS date) AS timestamp), CAST(CAST(date_trunc('month', (SELECT MAX("orders_by_month"."month") AS "last_month" FROM "orders_by_month")) AS date) AS timestamp), INTERVAL '1 month') AS s (p)) AS "periods"
)
SELECT "parts_3"."day_month" AS "day_month", "parts_3"."orders_of" AS "orders_of", "parts_3"."revenue" AS "revenue_mtd"
FROM (SELECT "parts_2"."day_month" AS "day_month", "parts_2"."orders_of" AS "orders_of", "parts_2"."value" AS "value", SUM("parts_2"."value") OVER (PARTITION BY "parts_2"."orders_of", CAST(date_trunc('month', "parts_2"."day_month") AS date) ORDER BY "parts_2"."day_month" ASC NULLS LAST ROWS UNBOUNDED PRECEDING) AS "revenue" FROM (SELECT "parts"."day_month" AS "day_month", "parts"."orders_of" AS "orders_of", SUM("parts"."revenue") AS "value" FROM (SELECT "orders_by_period"."day_month" AS "day_month", "orders_by_period"."orders_of" AS "orders_of", "orders_by_period"."revenue" AS "revenue" FROM "orders_by_period"
UNION ALL SELECT "every_month"."period" AS "day_month", "orders_by_period_2"."orders_of" AS "orders_of", (SELECT MAX("orders_by_period"."revenue") FROM "orders_by_period" WHERE 1 = 0) AS "revenue" FROM "every_month" CROSS JOIN (SELECT DISTINCT "orders_by_period"."orders_of" AS "orders_of" FROM "orders_by_period") AS "orders_by_period_2") AS "parts" GROUP BY "parts"."day_month", "parts"."orders_of") AS "parts_2") AS "parts_3"
ORDER BY "parts_3"."day_month" ASC NULLS LAST, "parts_3"."orders_of" ASC NULLS LAST
LIMIT 1000

-- snowflake
WITH "order_count_by_name" AS (
  SELECT "customers"."NAME" AS "name_2", COUNT(1) AS "order_count"
  FROM "ORDERS" AS "orders" LEFT JOIN "CUSTOMERS" AS "customers" ON "orders"."CUSTOMER_ID" = "customers"."ID"
  GROUP BY "customers"."NAME"
),
"orders_by_month" AS (
  SELECT DATE_TRUNC('MONTH', DATE_TRUNC('DAY', "orders"."DAY")::DATE)::DATE AS "month", CASE WHEN "customers"."NAME" IS NOT NULL THEN COALESCE("order_count_by_name"."order_count", 0) END AS "orders_of", SUM("orders"."AMOUNT") AS "revenue"
  FROM "ORDERS" AS "orders" LEFT JOIN "CUSTOMERS" AS "customers" ON "orders"."CUSTOMER_ID" = "customers"."ID" LEFT JOIN "order_count_by_name" ON "order_count_by_name"."name_2" = "customers"."NAME"
  GROUP BY DATE_TRUNC('MONTH', DATE_TRUNC('DAY', "orders"."DAY")::DATE)::DATE, CASE WHEN "customers"."NAME" IS NOT NULL THEN COALESCE("order_count_by_name"."order_count", 0) END
),
"orders_by_period" AS (
  SELECT "orders_by_month"."month" AS "day_month", "orders_by_month"."orders_of" AS "orders_of", "orders_by_month"."revenue" AS "revenue"
  FROM "orders_by_month"
  WHERE "orders_by_month"."month" IS NOT NULL
),
"every_month" AS (
  SELECT "periods".period AS "period"
  FROM (SELECT DATEADD(MONTH, ROW_NUMBER() OVER (ORDER BY NULL) - 1, DATE_TRUNC('MONTH', (SELECT MIN("orders_by_month"."month") AS "first_month" FROM "orders_by_month"))::DATE) AS period FROM TABLE(GENERATOR(ROWCOUNT => 100000)) QUALIFY period <= DATE_TRUNC('MONTH', (SELECT MAX("orders_by_month"."month") AS "last_month" FROM "orders_by_month"))::DATE) AS "periods"
)
SELECT "parts_3"."day_month" AS "day_month", "parts_3"."orders_of" AS "orders_of", "parts_3"."revenue" AS "revenue_mtd"
FROM (SELECT "parts_2"."day_month" AS "day_month", "parts_2"."orders_of" AS "orders_of", "parts_2"."value" AS "value", SUM("parts_2"."value") OVER (PARTITION BY "parts_2"."orders_of", DATE_TRUNC('MONTH', "parts_2"."day_month")::DATE ORDER BY "parts_2"."day_month" ASC NULLS LAST ROWS UNBOUNDED PRECEDING) AS "revenue" FROM (SELECT "parts"."day_month" AS "day_month", "parts"."orders_of" AS "orders_of", SUM("parts"."revenue") AS "value" FROM (SELECT "orders_by_period"."day_month" AS "day_month", "orders_by_period"."orders_of" AS "orders_of", "orders_by_period"."revenue" AS "revenue" FROM "orders_by_period"
UNION ALL SELECT "every_month"."period" AS "day_month", "orders_by_period_2"."orders_of" AS "orders_of", (SELECT MAX("orders_by_period"."revenue") FROM "orders_by_period" WHERE 1 = 0) AS "revenue" FROM "every_month" CROSS JOIN (SELECT DISTINCT "orders_by_period"."orders_of" AS "orders_of" FROM "orders_by_period") AS "orders_by_period_2") AS "parts" GROUP BY "parts"."day_month", "parts"."orders_of") AS "parts_2") AS "parts_3"
ORDER BY "parts_3"."day_month" ASC NULLS LAST, "parts_3"."orders_of" ASC NULLS LAST
LIMIT 1000

-- sqlite
WITH "order_count_by_name" AS (
  SELECT "customers"."name" AS "name", COUNT(1) AS "order_count"
  FROM "orders" LEFT JOIN "customers" ON "orders"."customer_id" = "customers"."id"
  GROUP BY "customers"."name"
),
"orders_by_month" AS (
  SELECT date(date("orders"."day"), 'start of month') AS "month", CASE WHEN "customers"."name" IS NOT NULL THEN coalesce("order_count_by_name"."order_count", 0) END AS "orders_of", SUM("orders"."amount") AS "revenue"
  FROM "orders" LEFT JOIN "customers" ON "orders"."customer_id" = "customers"."id" LEFT JOIN "order_count_by_name" ON "order_count_by_name"."name" = "customers"."name"
  GROUP BY date(date("orders"."day"), 'start of month'), CASE WHEN "customers"."name" IS NOT NULL THEN coalesce("order_count_by_name"."order_count", 0) END
),
"orders_by_period" AS (
  SELECT "orders_by_month"."month" AS "day_month", "orders_by_month"."orders_of" AS "orders_of", "orders_by_month"."revenue" AS "revenue"
  FROM "orders_by_month"
  WHERE "orders_by_month"."month" IS NOT NULL
),
"every_month" AS (
  SELECT "periods".period AS "period"
  FROM (WITH RECURSIVE spine (period) AS (SELECT date(date((SELECT MIN("orders_by_month"."month") AS "first_month" FROM "orders_by_month"), 'start of month')) WHERE date(date((SELECT MIN("orders_by_month"."month") AS "first_month" FROM "orders_by_month"), 'start of month')) <= date(date((SELECT MAX("orders_by_month"."month") AS "last_month" FROM "orders_by_month"), 'start of month')) UNION ALL SELECT date(period, (1) || ' months') FROM spine WHERE date(period, (1) || ' months') <= date(date((SELECT MAX("orders_by_month"."month") AS "last_month" FROM "orders_by_month"), 'start of month'))) SELECT period FROM spine) AS "periods"
)
SELECT "parts_3"."day_month" AS "day_month", "parts_3"."orders_of" AS "orders_of", "parts_3"."revenue" AS "revenue_mtd"
FROM (SELECT "parts_2"."day_month" AS "day_month", "parts_2"."orders_of" AS "orders_of", "parts_2"."value" AS "value", SUM("parts_2"."value") OVER (PARTITION BY "parts_2"."orders_of", date("parts_2"."day_month", 'start of month') ORDER BY "parts_2"."day_month" ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS "revenue" FROM (SELECT "parts"."day_month" AS "day_month", "parts"."orders_of" AS "orders_of", SUM("parts"."revenue") AS "value" FROM (SELECT "orders_by_period"."day_month" AS "day_month", "orders_by_period"."orders_of" AS "orders_of", "orders_by_period"."revenue" AS "revenue" FROM "orders_by_period"
UNION ALL SELECT "every_month"."period" AS "day_month", "orders_by_period_2"."orders_of" AS "orders_of", (SELECT MAX("orders_by_period"."revenue") FROM "orders_by_period" WHERE 1 = 0) AS "revenue" FROM "every_month" CROSS JOIN (SELECT DISTINCT "orders_by_period"."orders_of" AS "orders_of" FROM "orders_by_period") AS "orders_by_period_2") AS "parts" GROUP BY "parts"."day_month", "parts"."orders_of") AS "parts_2") AS "parts_3"
ORDER BY "parts_3"."day_month" ASC NULLS LAST, "parts_3"."orders_of" ASC NULLS LAST
LIMIT 1000

-- sqlserver
WITH [order_count_by_name] AS (
  SELECT [customers].[name] AS [name], COUNT_BIG(1) AS [order_count]
  FROM [orders] LEFT JOIN [customers] ON [orders].[customer_id] = [customers].[id]
  GROUP BY [customers].[name]
),
[orders_by_month] AS (
  SELECT [orders_2].[month] AS [month], [orders_2].[orders_of] AS [orders_of], SUM([orders_2].[revenue]) AS [revenue]
  FROM (SELECT DATETRUNC(month, CAST(CAST([orders].[day] AS date) AS date)) AS [month], CASE WHEN [customers].[name] IS NOT NULL THEN COALESCE([order_count_by_name].[order_count], 0) END AS [orders_of], [orders].[amount] AS [revenue] FROM [orders] LEFT JOIN [customers] ON [orders].[customer_id] = [customers].[id] LEFT JOIN [order_count_by_name] ON [order_count_by_name].[name] = [customers].[name]) AS [orders_2]
  GROUP BY [orders_2].[month], [orders_2].[orders_of]
),
[orders_by_period] AS (
  SELECT [orders_by_month].[month] AS [day_month], [orders_by_month].[orders_of] AS [orders_of], [orders_by_month].[revenue] AS [revenue]
  FROM [orders_by_month]
  WHERE [orders_by_month].[month] IS NOT NULL
),
[every_month] AS (
  SELECT [periods].period AS [period]
  FROM (SELECT TOP (DATEDIFF(MONTH, DATETRUNC(month, CAST((SELECT MIN([orders_by_month].[month]) AS [first_month] FROM [orders_by_month]) AS date)), DATETRUNC(month, CAST((SELECT MAX([orders_by_month].[month]) AS [last_month] FROM [orders_by_month]) AS date))) + 1) DATEADD(MONTH, ROW_NUMBER() OVER (ORDER BY (SELECT NULL)) - 1, DATETRUNC(month, CAST((SELECT MIN([orders_by_month].[month]) AS [first_month] FROM [orders_by_month]) AS date))) AS period FROM sys.all_columns a CROSS JOIN sys.all_columns b) AS [periods]
)
SELECT TOP (1000) [parts_3].[day_month] AS [day_month], [parts_3].[orders_of] AS [orders_of], [parts_3].[revenue] AS [revenue_mtd]
FROM (SELECT [parts_2].[day_month] AS [day_month], [parts_2].[orders_of] AS [orders_of], [parts_2].[value] AS [value], SUM([parts_2].[value]) OVER (PARTITION BY [parts_2].[orders_of], DATETRUNC(month, CAST([parts_2].[day_month] AS date)) ORDER BY CASE WHEN [parts_2].[day_month] IS NULL THEN 0 ELSE 1 END, [parts_2].[day_month] ASC ROWS UNBOUNDED PRECEDING) AS [revenue] FROM (SELECT [parts].[day_month] AS [day_month], [parts].[orders_of] AS [orders_of], SUM([parts].[revenue]) AS [value] FROM (SELECT [orders_by_period].[day_month] AS [day_month], [orders_by_period].[orders_of] AS [orders_of], [orders_by_period].[revenue] AS [revenue] FROM [orders_by_period]
UNION ALL SELECT [every_month].[period] AS [day_month], [orders_by_period_2].[orders_of] AS [orders_of], (SELECT MAX([orders_by_period].[revenue]) FROM [orders_by_period] WHERE 1 = 0) AS [revenue] FROM [every_month] CROSS JOIN (SELECT DISTINCT [orders_by_period].[orders_of] AS [orders_of] FROM [orders_by_period]) AS [orders_by_period_2]) AS [parts] GROUP BY [parts].[day_month], [parts].[orders_of]) AS [parts_2]) AS [parts_3]
ORDER BY CASE WHEN [parts_3].[day_month] IS NULL THEN 1 ELSE 0 END, [parts_3].[day_month] ASC, CASE WHEN [parts_3].[orders_of] IS NULL THEN 1 ELSE 0 END, [parts_3].[orders_of] ASC

