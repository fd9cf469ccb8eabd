-- bigquery
WITH `orders_by_category` AS (
  SELECT `orders_2`.`category` AS `category`, SUM(`orders_2`.`revenue`) AS `revenue`
  FROM (SELECT DISTINCT `orders`.`id` AS `key`, `items`.`category` AS `category`, `orders`.`amount` AS `revenue` FROM `orders` JOIN `items` ON `items`.`order_id` = `orders`.`id` WHERE `orders`.`status` = 'paid' AND `items`.`qty` > 1) AS `orders_2`
  GROUP BY `orders_2`.`category`
),
`items_by_category` AS (
  SELECT `items`.`category` AS `category`, SUM(`items`.`qty`) AS `units`
  FROM `items` JOIN `orders` ON `items`.`order_id` = `orders`.`id`
  WHERE `orders`.`status` = 'paid' AND `items`.`qty` > 1
  GROUP BY `items`.`category`
)
SELECT `parts`.`category` AS `category`, MAX(`parts`.`revenue`) AS `revenue`, MAX(`parts`.`units`) AS `units`
FROM (SELECT `orders_by_category`.`category` AS `category`, `orders_by_category`.`revenue` AS `revenue`, CAST(NULL AS BIGNUMERIC) AS `units` FROM `orders_by_category`
UNION ALL SELECT `items_by_category`.`category` AS `category`, (SELECT MAX(`orders_by_category`.`revenue`) FROM `orders_by_category` WHERE 1 = 0) AS `revenue`, `items_by_category`.`units` AS `units` FROM `items_by_category`) AS `parts`
GROUP BY `parts`.`category`
ORDER BY `parts`.`category` ASC NULLS LAST
LIMIT 1000

-- clickhouse
WITH `orders_by_category` AS (
  SELECT `orders_2`.`category` AS `category`, sumOrNull(`orders_2`.`revenue`) AS `revenue`
  FROM (SELECT DISTINCT `orders`.`id` AS `key`, `items`.`category` AS `category`, toNullable(`orders`.`amount`) AS `revenue` FROM `orders` JOIN (SELECT toNullable(`items`.`order_id`) AS `order_id`, toNullable(`items`.`category`) AS `category`, toNullable(`items`.`qty`) AS `qty` FROM `items`) AS `items` ON `items`.`order_id` = `orders`.`id` WHERE `orders`.`status` = 'paid' AND `items`.`qty` > 1) AS `orders_2`
  GROUP BY `orders_2`.`category`
),
`items_by_category` AS (
  SELECT `items`.`category` AS `category`, sumOrNull(toNullable(`items`.`qty`) * toDecimal256(1, 0)) AS `units`
  FROM `items` JOIN (SELECT toNullable(`orders`.`id`) AS `id`, toNullable(`orders`.`status`) AS `status` FROM `orders`) AS `orders` ON `items`.`order_id` = `orders`.`id`
  WHERE `orders`.`status` = 'paid' AND `items`.`qty` > 1
  GROUP BY `items`.`category`
)
SELECT `parts`.`category` AS `category`, maxOrNull(`parts`.`revenue`) AS `revenue`, maxOrNull(`parts`.`units`) AS `units`
FROM (SELECT `orders_by_category`.`category` AS `category`, `orders_by_category`.`revenue` AS `revenue`, (SELECT MAX(`items_by_category`.`units`) FROM `items_by_category` WHERE 1 = 0) AS `units` FROM `orders_by_category`
UNION ALL SELECT `items_by_category`.`category` AS `category`, (SELECT MAX(`orders_by_category`.`revenue`) FROM `orders_by_category` WHERE 1 = 0) AS `revenue`, `items_by_category`.`units` AS `units` FROM `items_by_category`) AS `parts`
GROUP BY `parts`.`category`
ORDER BY `parts`.`category` ASC NULLS LAST
LIMIT 1000

-- duckdb
WITH "orders_by_category" AS (
  SELECT "orders_2"."category" AS "category", SUM("orders_2"."revenue") AS "revenue"
  FROM (SELECT DISTINCT "orders"."id" AS "key", "items"."category" AS "category", "orders"."amount" AS "revenue" FROM "orders" JOIN "items" ON "items"."order_id" = "orders"."id" WHERE "orders"."status" = 'paid' AND "items"."qty" > 1) AS "orders_2"
  GROUP BY "orders_2"."category"
),
"items_by_category" AS (
  SELECT "items"."category" AS "category", SUM("items"."qty") AS "units"
  FROM "items" JOIN "orders" ON "items"."order_id" = "orders"."id"
  WHERE "orders"."status" = 'paid' AND "items"."qty" > 1
  GROUP BY "items"."category"
)
SELECT "parts"."category" AS "category", MAX("parts"."revenue") AS "revenue", MAX("parts"."units") AS "units"
FROM (SELECT "orders_by_category"."category" AS "category", "orders_by_category"."revenue" AS "revenue", CAST(NULL AS DECIMAL(30,10)) AS "units" FROM "orders_by_category"
UNION ALL SELECT "items_by_category"."category" AS "category", (SELECT MAX("orders_by_category"."revenue") FROM "orders_by_category" WHERE 1 = 0) AS "revenue", "items_by_category"."units" AS "units" FROM "items_by_category") AS "parts"
GROUP BY "parts"."category"
ORDER BY "parts"."category" ASC NULLS LAST
LIMIT 1000

-- mysql
WITH `orders_by_category` AS (
  SELECT `orders_2`.`category` AS `category`, SUM(`orders_2`.`revenue`) AS `revenue`
  FROM (SELECT DISTINCT `orders`.`id` AS `key`, `items`.`category` AS `category`, `orders`.`amount` AS `revenue` FROM `orders` JOIN `items` ON `items`.`order_id` = `orders`.`id` WHERE `orders`.`status` = 'paid' AND `items`.`qty` > 1) AS `orders_2`
  GROUP BY `orders_2`.`category`
),
`items_by_category` AS (
  SELECT `items`.`category` AS `category`, SUM(`items`.`qty`) AS `units`
  FROM `items` JOIN `orders` ON `items`.`order_id` = `orders`.`id`
  WHERE `orders`.`status` = 'paid' AND `items`.`qty` > 1
  GROUP BY `items`.`category`
)
SELECT `parts`.`category` AS `category`, MAX(`parts`.`revenue`) AS `revenue`, MAX(`parts`.`units`) AS `units`
FROM (SELECT `orders_by_category`.`category` AS `category`, `orders_by_category`.`revenue` AS `revenue`, CAST(NULL AS DECIMAL(65,30)) AS `units` FROM `orders_by_category`
UNION ALL SELECT `items_by_category`.`category` AS `category`, (SELECT MAX(`orders_by_category`.`revenue`) FROM `orders_by_category` WHERE 1 = 0) AS `revenue`, `items_by_category`.`units` AS `units` FROM `items_by_category`) AS `parts`
GROUP BY `parts`.`category`
ORDER BY `parts`.`category` IS NULL, `parts`.`category` ASC
LIMIT 1000

-- postgres
WITH "orders_by_category" AS (
  SELECT "orders_2"."category" AS "category", SUM("orders_2"."revenue") AS "revenue"
  FROM (SELECT DISTINCT "orders"."id" AS "key", "items"."category" AS "category", "orders"."amount" AS "revenue" FROM "orders" JOIN "items" ON "items"."order_id" = "orders"."id" WHERE "orders"."status" = 'paid' AND "items"."qty" > 1) AS "orders_2"
  GROUP BY "orders_2"."category"
),
"items_by_category" AS (
  SELECT "items"."category" AS "category", SUM("items"."qty") AS "units"
  FROM "items" JOIN "orders" ON "items"."order_id" = "orders"."id"
  WHERE "orders"."status" = 'paid' AND "items"."qty" > 1
  GROUP BY "items"."category"
)
SELECT "parts"."category" AS "category", MAX("parts"."revenue") AS "revenue", MAX("parts"."units") AS "units"
FROM (SELECT "orders_by_category"."category" AS "category", "orders_by_category"."revenue" AS "revenue", CAST(NULL AS numeric) AS "units" FROM "orders_by_category"
UNION ALL SELECT "items_by_category"."category" AS "category", (SELECT MAX("orders_by_category"."revenue") FROM "orders_by_category" WHERE 1 = 0) AS "revenue", "items_by_category"."units" AS "units" FROM "items_by_category") AS "parts"
GROUP BY "parts"."category"
ORDER BY "parts"."category" ASC NULLS LAST
LIMIT 1000

-- snowflake
WITH "orders_by_category" AS (
  SELECT "orders_2"."category_2" AS "category", SUM("orders_2"."revenue") AS "revenue"
  FROM (SELECT DISTINCT "orders"."ID" AS "key", "items"."CATEGORY" AS "category_2", "orders"."AMOUNT" AS "revenue" FROM "ORDERS" AS "orders" JOIN "ITEMS" AS "items" ON "items"."ORDER_ID" = "orders"."ID" WHERE "orders"."STATUS" = 'paid' AND "items"."QTY" > 1) AS "orders_2"
  GROUP BY "orders_2"."category_2"
),
"items_by_category" AS (
  SELECT "items"."CATEGORY" AS "category_2", SUM("items"."QTY") AS "units"
  FROM "ITEMS" AS "items" JOIN "ORDERS" AS "orders" ON "items"."ORDER_ID" = "orders"."ID"
  WHERE "orders"."STATUS" = 'paid' AND "items"."QTY" > 1
  GROUP BY "items"."CATEGORY"
)
SELECT "parts"."category" AS "category", MAX("parts"."revenue") AS "revenue", MAX("parts"."units") AS "units"
FROM (SELECT "orders_by_category"."category" AS "category", "orders_by_category"."revenue" AS "revenue", CAST(NULL AS NUMBER(38,10)) AS "units" FROM "orders_by_category"
UNION ALL SELECT "items_by_category"."category_2" AS "category", (SELECT MAX("orders_by_category"."revenue") FROM "orders_by_category" WHERE 1 = 0) AS "revenue", "items_by_category"."units" AS "units" FROM "items_by_category") AS "parts"
GROUP BY "parts"."category"
ORDER BY "parts"."category" ASC NULLS LAST
LIMIT 1000

-- sqlite
WITH "orders_by_category" AS (
  SELECT "orders_2"."category" AS "category", SUM("orders_2"."revenue") AS "revenue"
  FROM (SELECT DISTINCT "orders"."id" AS "key", "items"."category" AS "category", "orders"."amount" AS "revenue" FROM "orders" JOIN "items" ON "items"."order_id" = "orders"."id" WHERE "orders"."status" = 'paid' AND "items"."qty" > 1) AS "orders_2"
  GROUP BY "orders_2"."category"
),
"items_by_category" AS (
  SELECT "items"."category" AS "category", SUM("items"."qty") AS "units"
  FROM "items" JOIN "orders" ON "items"."order_id" = "orders"."id"
  WHERE "orders"."status" = 'paid' AND "items"."qty" > 1
  GROUP BY "items"."category"
)
SELECT "parts"."category" AS "category", MAX("parts"."revenue") AS "revenue", MAX("parts"."units") AS "units"
FROM (SELECT "orders_by_category"."category" AS "category", "orders_by_category"."revenue" AS "revenue", CAST(NULL AS NUMERIC) AS "units" FROM "orders_by_category"
UNION ALL SELECT "items_by_category"."category" AS "category", (SELECT MAX("orders_by_category"."revenue") FROM "orders_by_category" WHERE 1 = 0) AS "revenue", "items_by_category"."units" AS "units" FROM "items_by_category") AS "parts"
GROUP BY "parts"."category"
ORDER BY "parts"."category" ASC NULLS LAST
LIMIT 1000

-- sqlserver
WITH [orders_by_category] AS (
  SELECT [orders_2].[category] AS [category], SUM([orders_2].[revenue]) AS [revenue]
  FROM (SELECT DISTINCT [orders].[id] AS [key], [items].[category] AS [category], [orders].[amount] AS [revenue] FROM [orders] JOIN [items] ON [items].[order_id] = [orders].[id] WHERE [orders].[status] = N'paid' AND [items].[qty] > 1) AS [orders_2]
  GROUP BY [orders_2].[category]
),
[items_by_category] AS (
  SELECT [items].[category] AS [category], SUM([items].[qty]) AS [units]
  FROM [items] JOIN [orders] ON [items].[order_id] = [orders].[id]
  WHERE [orders].[status] = N'paid' AND [items].[qty] > 1
  GROUP BY [items].[category]
)
SELECT TOP (1000) [parts].[category] AS [category], MAX([parts].[revenue]) AS [revenue], MAX([parts].[units]) AS [units]
FROM (SELECT [orders_by_category].[category] AS [category], [orders_by_category].[revenue] AS [revenue], CAST(NULL AS decimal(38,10)) AS [units] FROM [orders_by_category]
UNION ALL SELECT [items_by_category].[category] AS [category], (SELECT MAX([orders_by_category].[revenue]) FROM [orders_by_category] WHERE 1 = 0) AS [revenue], [items_by_category].[units] AS [units] FROM [items_by_category]) AS [parts]
GROUP BY [parts].[category]
ORDER BY CASE WHEN [parts].[category] IS NULL THEN 1 ELSE 0 END, [parts].[category] ASC

