-- bigquery
SELECT `customers`.`segment` AS `segment`, DATE_TRUNC(CAST(`orders`.`day` AS DATE), WEEK(MONDAY)) AS `day_week`, SUM(`orders`.`amount`) AS `revenue`, COUNT(1) AS `order_count`, COALESCE(SUM(CASE WHEN `orders`.`status` = 'paid' THEN `orders`.`amount` END), 0) AS `paid_revenue`, AVG(CAST(`orders`.`amount` AS FLOAT64)) AS `average`
FROM `orders` JOIN `customers` ON `orders`.`customer_id` = `customers`.`id`
WHERE `orders`.`status` <> 'it\'s \\ off' AND (`customers`.`name` LIKE 'a%')
GROUP BY `customers`.`segment`, DATE_TRUNC(CAST(`orders`.`day` AS DATE), WEEK(MONDAY))
ORDER BY `customers`.`segment` ASC NULLS LAST, DATE_TRUNC(CAST(`orders`.`day` AS DATE), WEEK(MONDAY)) ASC NULLS LAST
LIMIT 10 OFFSET 20

-- clickhouse
SELECT `customers`.`segment` AS `segment`, addDays(toDate32(`orders`.`day`), 1 - toDayOfWeek(`orders`.`day`)) AS `day_week`, sumOrNull(toNullable(`orders`.`amount`)) AS `revenue`, toInt64(count(toNullable(1))) AS `order_count`, coalesce(sumOrNull(toNullable(CASE WHEN `orders`.`status` = 'paid' THEN `orders`.`amount` END)), 0) AS `paid_revenue`, avgOrNull(toFloat64(toNullable(`orders`.`amount`))) AS `average`
FROM `orders` JOIN (SELECT toNullable(`customers`.`id`) AS `id`, toNullable(`customers`.`segment`) AS `segment`, toNullable(`customers`.`name`) AS `name` FROM `customers`) AS `customers` ON `orders`.`customer_id` = `customers`.`id`
WHERE `orders`.`status` <> 'it''s \\ off' AND (`customers`.`name` LIKE 'a%')
GROUP BY `customers`.`segment`, addDays(toDate32(`orders`.`day`), 1 - toDayOfWeek(`orders`.`day`))
ORDER BY `customers`.`segment` ASC NULLS LAST, addDays(toDate32(`orders`.`day`), 1 - toDayOfWeek(`orders`.`day`)) ASC NULLS LAST
LIMIT 10 OFFSET 20

-- duckdb
SELECT "customers"."segment" AS "segment", CAST(date_trunc('week', "orders"."day") AS DATE) AS "day_week", SUM("orders"."amount") AS "revenue", COUNT(1) AS "order_count", coalesce(SUM(CASE WHEN "orders"."status" = 'paid' THEN "orders"."amount" END), 0) AS "paid_revenue", AVG("orders"."amount") AS "average"
FROM "orders" JOIN "customers" ON "orders"."customer_id" = "customers"."id"
WHERE "orders"."status" <> 'it''s \ off' AND ("customers"."name" LIKE 'a%')
GROUP BY "customers"."segment", CAST(date_trunc('week', "orders"."day") AS DATE)
ORDER BY "customers"."segment" ASC NULLS LAST, CAST(date_trunc('week', "orders"."day") AS DATE) ASC NULLS LAST
LIMIT 10 OFFSET 20

-- mysql
SELECT `orders_2`.`segment` AS `segment`, `orders_2`.`day_week` AS `day_week`, SUM(`orders_2`.`revenue`) AS `revenue`, COUNT(`orders_2`.`order_count`) AS `order_count`, COALESCE(SUM(`orders_2`.`paid_revenue`), 0) AS `paid_revenue`, AVG(`orders_2`.`average` * 1e0) AS `average`
FROM (SELECT `customers`.`segment` AS `segment`, DATE_SUB(DATE(`orders`.`day`), INTERVAL WEEKDAY(`orders`.`day`) DAY) AS `day_week`, `orders`.`amount` AS `revenue`, 1 AS `order_count`, CASE WHEN `orders`.`status` = 'paid' THEN `orders`.`amount` END AS `paid_revenue`, `orders`.`amount` AS `average` FROM `orders` JOIN `customers` ON `orders`.`customer_id` = `customers`.`id` WHERE `orders`.`status` <> 'it''s \\ off' AND (CONVERT(`customers`.`name` USING utf8mb4) COLLATE utf8mb4_bin LIKE CONVERT('a%' USING utf8mb4) COLLATE utf8mb4_bin ESCAPE '\\')) AS `orders_2`
GROUP BY `orders_2`.`segment`, `orders_2`.`day_week`
ORDER BY `orders_2`.`segment` IS NULL, `orders_2`.`segment` ASC, `orders_2`.`day_week` IS NULL, `orders_2`.`day_week` ASC
LIMIT 10 OFFSET 20

-- postgres
SELECT "customers"."segment" AS "segment", CAST(date_trunc('week', "orders"."day") AS date) AS "day_week", SUM("orders"."amount") AS "revenue", COUNT(1) AS "order_count", coalesce(SUM(CASE WHEN "orders"."status" = 'paid' THEN "orders"."amount" END), 0) AS "paid_revenue", CAST(AVG("orders"."amount") AS double precision) AS "average"
FROM "orders" JOIN "customers" ON "orders"."customer_id" = "customers"."id"
WHERE "orders"."status" <> 'it''s \ off' AND ("customers"."name" LIKE 'a%' ESCAPE '\')
GROUP BY "customers"."segment", CAST(date_trunc('week', "orders"."day") AS date)
ORDER BY "customers"."segment" ASC NULLS LAST, CAST(date_trunc('week', "orders"."day") AS date) ASC NULLS LAST
LIMIT 10 OFFSET 20

-- snowflake
SELECT "orders_2"."segment_2" AS "segment", "orders_2"."day_week" AS "day_week", "orders_2"."revenue" AS "revenue", "orders_2"."order_count" AS "order_count", "orders_2"."paid_revenue" AS "paid_revenue", "orders_2"."average" AS "average"
FROM (SELECT "customers"."SEGMENT" AS "segment_2", DATEADD('DAY', 1 - DAYOFWEEKISO("orders"."DAY"), "orders"."DAY"::DATE) AS "day_week", SUM("orders"."AMOUNT") AS "revenue", COUNT(1) AS "order_count", COALESCE(SUM(CASE WHEN "orders"."STATUS" = 'paid' THEN "orders"."AMOUNT" END), 0) AS "paid_revenue", AVG("orders"."AMOUNT"::FLOAT) AS "average" FROM "ORDERS" AS "orders" JOIN "CUSTOMERS" AS "customers" ON "orders"."CUSTOMER_ID" = "customers"."ID" WHERE "orders"."STATUS" <> 'it''s \\ off' AND ("customers"."NAME" LIKE 'a%' ESCAPE '\\') GROUP BY "customers"."SEGMENT", DATEADD('DAY', 1 - DAYOFWEEKISO("orders"."DAY"), "orders"."DAY"::DATE)) AS "orders_2"
ORDER BY "orders_2"."segment_2" ASC NULLS LAST, "orders_2"."day_week" ASC NULLS LAST
LIMIT 10 OFFSET 20

-- sqlite
SELECT "customers"."segment" AS "segment", date("orders"."day", 'weekday 0', '-6 days') AS "day_week", SUM("orders"."amount") AS "revenue", COUNT(1) AS "order_count", coalesce(SUM(CASE WHEN "orders"."status" = 'paid' THEN "orders"."amount" END), 0) AS "paid_revenue", AVG("orders"."amount") AS "average"
FROM "orders" JOIN "customers" ON "orders"."customer_id" = "customers"."id"
WHERE "orders"."status" <> 'it''s \ off' AND ("customers"."name" GLOB replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace('a%', '\\', char(57344)), '\%', char(57345)), '\_', char(57346)), '\', ''), '[', '[[]'), '*', '[*]'), '?', '[?]'), '%', '*'), '_', '?'), char(57344), '\'), char(57345), '%'), char(57346), '_'))
GROUP BY "customers"."segment", date("orders"."day", 'weekday 0', '-6 days')
ORDER BY "customers"."segment" ASC NULLS LAST, date("orders"."day", 'weekday 0', '-6 days') ASC NULLS LAST
LIMIT 10 OFFSET 20

-- sqlserver
SELECT [orders_2].[segment] AS [segment], [orders_2].[day_week] AS [day_week], SUM([orders_2].[revenue]) AS [revenue], COUNT_BIG([orders_2].[order_count]) AS [order_count], COALESCE(SUM([orders_2].[paid_revenue]), 0) AS [paid_revenue], AVG(CAST([orders_2].[average] AS float)) AS [average]
FROM (SELECT [customers].[segment] AS [segment], CAST(DATETRUNC(iso_week, [orders].[day]) AS date) AS [day_week], [orders].[amount] AS [revenue], 1 AS [order_count], CASE WHEN [orders].[status] = N'paid' THEN [orders].[amount] END AS [paid_revenue], [orders].[amount] AS [average] FROM [orders] JOIN [customers] ON [orders].[customer_id] = [customers].[id] WHERE [orders].[status] <> N'it''s \ off' AND ([customers].[name] LIKE REPLACE(N'a%', '[', '\[') COLLATE Latin1_General_100_BIN2 ESCAPE '\')) AS [orders_2]
GROUP BY [orders_2].[segment], [orders_2].[day_week]
ORDER BY CASE WHEN [orders_2].[segment] IS NULL THEN 1 ELSE 0 END, [orders_2].[segment] ASC, CASE WHEN [orders_2].[day_week] IS NULL THEN 1 ELSE 0 END, [orders_2].[day_week] ASC
OFFSET 20 ROWS FETCH NEXT 10 ROWS ONLY

