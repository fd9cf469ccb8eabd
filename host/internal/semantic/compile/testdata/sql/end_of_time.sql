-- bigquery
SELECT `stock_2`.`day_month` AS `day_month`, SUM(CASE WHEN `stock_2`.`rank` = 1 AND `stock_2`.`at` IS NOT NULL THEN `stock_2`.`closing_per_sku` END) AS `closing_per_sku`, COUNT(`stock_2`.`readings`) AS `readings`
FROM (SELECT DATE_TRUNC(CAST(`stock`.`day` AS DATE), MONTH) AS `day_month`, `stock`.`on_hand` AS `closing_per_sku`, `stock`.`day` AS `at`, `stock`.`sku` AS `per`, 1 AS `readings`, RANK() OVER (PARTITION BY DATE_TRUNC(CAST(`stock`.`day` AS DATE), MONTH), `stock`.`sku` ORDER BY `stock`.`day` DESC NULLS LAST) AS `rank` FROM `stock`) AS `stock_2`
GROUP BY `stock_2`.`day_month`
ORDER BY `stock_2`.`day_month` ASC NULLS LAST
LIMIT 1000

-- clickhouse
SELECT `stock_2`.`day_month` AS `day_month`, sumOrNull(CASE WHEN `stock_2`.`rank` = 1 AND `stock_2`.`at` IS NOT NULL THEN `stock_2`.`closing_per_sku` END * toDecimal256(1, 0)) AS `closing_per_sku`, toInt64(count(`stock_2`.`readings`)) AS `readings`
FROM (SELECT makeDate32(toYear(`stock`.`day`), toMonth(`stock`.`day`), 1) AS `day_month`, toNullable(`stock`.`on_hand`) AS `closing_per_sku`, toNullable(`stock`.`day`) AS `at`, toNullable(`stock`.`sku`) AS `per`, toNullable(1) AS `readings`, RANK() OVER (PARTITION BY makeDate32(toYear(`stock`.`day`), toMonth(`stock`.`day`), 1), toNullable(`stock`.`sku`) ORDER BY toNullable(`stock`.`day`) DESC NULLS LAST) AS `rank` FROM `stock`) AS `stock_2`
GROUP BY `stock_2`.`day_month`
ORDER BY `stock_2`.`day_month` ASC NULLS LAST
LIMIT 1000

-- duckdb
SELECT "stock_2"."day_month" AS "day_month", SUM(CASE WHEN "stock_2"."rank" = 1 AND "stock_2"."at" IS NOT NULL THEN "stock_2"."closing_per_sku" END) AS "closing_per_sku", COUNT("stock_2"."readings") AS "readings"
FROM (SELECT CAST(date_trunc('month', "stock"."day") AS DATE) AS "day_month", "stock"."on_hand" AS "closing_per_sku", "stock"."day" AS "at", "stock"."sku" AS "per", 1 AS "readings", RANK() OVER (PARTITION BY CAST(date_trunc('month', "stock"."day") AS DATE), "stock"."sku" ORDER BY "stock"."day" DESC NULLS LAST) AS "rank" FROM "stock") AS "stock_2"
GROUP BY "stock_2"."day_month"
ORDER BY "stock_2"."day_month" ASC NULLS LAST
LIMIT 1000

-- mysql
SELECT `stock_2`.`day_month` AS `day_month`, SUM(CASE WHEN `stock_2`.`rank` = 1 AND `stock_2`.`at` IS NOT NULL THEN `stock_2`.`closing_per_sku` END) AS `closing_per_sku`, COUNT(`stock_2`.`readings`) AS `readings`
FROM (SELECT CAST(DATE_FORMAT(`stock`.`day`, '%Y-%m-01') AS DATE) AS `day_month`, `stock`.`on_hand` AS `closing_per_sku`, `stock`.`day` AS `at`, `stock`.`sku` AS `per`, 1 AS `readings`, RANK() OVER (PARTITION BY CAST(DATE_FORMAT(`stock`.`day`, '%Y-%m-01') AS DATE), `stock`.`sku` ORDER BY `stock`.`day` DESC) AS `rank` FROM `stock`) AS `stock_2`
GROUP BY `stock_2`.`day_month`
ORDER BY `stock_2`.`day_month` IS NULL, `stock_2`.`day_month` ASC
LIMIT 1000

-- postgres
SELECT "stock_2"."day_month" AS "day_month", SUM(CASE WHEN "stock_2"."rank" = 1 AND "stock_2"."at" IS NOT NULL THEN "stock_2"."closing_per_sku" END) AS "closing_per_sku", COUNT("stock_2"."readings") AS "readings"
FROM (SELECT CAST(date_trunc('month', "stock"."day") AS date) AS "day_month", "stock"."on_hand" AS "closing_per_sku", "stock"."day" AS "at", "stock"."sku" AS "per", 1 AS "readings", RANK() OVER (PARTITION BY CAST(date_trunc('month', "stock"."day") AS date), "stock"."sku" ORDER BY "stock"."day" DESC NULLS LAST) AS "rank" FROM "stock") AS "stock_2"
GROUP BY "stock_2"."day_month"
ORDER BY "stock_2"."day_month" ASC NULLS LAST
LIMIT 1000

-- snowflake
SELECT "stock_2"."day_month" AS "day_month", SUM(CASE WHEN "stock_2"."rank" = 1 AND "stock_2"."at" IS NOT NULL THEN "stock_2"."closing_per_sku" END) AS "closing_per_sku", COUNT("stock_2"."readings") AS "readings"
FROM (SELECT DATE_TRUNC('MONTH', "stock"."DAY")::DATE AS "day_month", "stock"."ON_HAND" AS "closing_per_sku", "stock"."DAY" AS "at", "stock"."SKU" AS "per", 1 AS "readings", RANK() OVER (PARTITION BY DATE_TRUNC('MONTH', "stock"."DAY")::DATE, "stock"."SKU" ORDER BY "stock"."DAY" DESC NULLS LAST) AS "rank" FROM "STOCK" AS "stock") AS "stock_2"
GROUP BY "stock_2"."day_month"
ORDER BY "stock_2"."day_month" ASC NULLS LAST
LIMIT 1000

-- sqlite
SELECT "stock_2"."day_month" AS "day_month", SUM(CASE WHEN "stock_2"."rank" = 1 AND "stock_2"."at" IS NOT NULL THEN "stock_2"."closing_per_sku" END) AS "closing_per_sku", COUNT("stock_2"."readings") AS "readings"
FROM (SELECT date("stock"."day", 'start of month') AS "day_month", "stock"."on_hand" AS "closing_per_sku", "stock"."day" AS "at", "stock"."sku" AS "per", 1 AS "readings", RANK() OVER (PARTITION BY date("stock"."day", 'start of month'), "stock"."sku" ORDER BY "stock"."day" DESC NULLS LAST) AS "rank" FROM "stock") AS "stock_2"
GROUP BY "stock_2"."day_month"
ORDER BY "stock_2"."day_month" ASC NULLS LAST
LIMIT 1000

-- sqlserver
SELECT TOP (1000) [stock_2].[day_month] AS [day_month], SUM(CASE WHEN [stock_2].[rank] = 1 AND [stock_2].[at] IS NOT NULL THEN [stock_2].[closing_per_sku] END) AS [closing_per_sku], COUNT_BIG([stock_2].[readings]) AS [readings]
FROM (SELECT DATETRUNC(month, CAST([stock].[day] AS date)) AS [day_month], [stock].[on_hand] AS [closing_per_sku], [stock].[day] AS [at], [stock].[sku] AS [per], 1 AS [readings], RANK() OVER (PARTITION BY DATETRUNC(month, CAST([stock].[day] AS date)), [stock].[sku] ORDER BY CASE WHEN [stock].[day] IS NULL THEN 1 ELSE 0 END, [stock].[day] DESC) AS [rank] FROM [stock]) AS [stock_2]
GROUP BY [stock_2].[day_month]
ORDER BY CASE WHEN [stock_2].[day_month] IS NULL THEN 1 ELSE 0 END, [stock_2].[day_month] ASC

