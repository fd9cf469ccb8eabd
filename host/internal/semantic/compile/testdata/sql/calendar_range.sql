-- bigquery
WITH `fiscal_days_2` AS (
  SELECT `fiscal`.`day` AS `day`, CASE WHEN MIN(`fiscal`.`quarter`) = MAX(`fiscal`.`quarter`) THEN MAX(`fiscal`.`quarter`) END AS `fiscal_quarter`
  FROM `fiscal_days` AS `fiscal`
  WHERE `fiscal`.`day` IS NOT NULL
  GROUP BY `fiscal`.`day`
),
`every_fiscal_quarter` AS (
  SELECT `fiscal_days_2_3`.`fiscal_quarter` AS `fiscal_quarter`, CAST(`fiscal_days_2_3`.`number` AS INT64) AS `number`, `fiscal_days_2_3`.`first` AS `first`, `fiscal_days_2_3`.`last` AS `last`
  FROM (SELECT `fiscal_days_2_2`.`fiscal_quarter` AS `fiscal_quarter`, `fiscal_days_2_2`.`first` AS `first`, `fiscal_days_2_2`.`last` AS `last`, ROW_NUMBER() OVER (ORDER BY `fiscal_days_2_2`.`first` ASC NULLS LAST) AS `number` FROM (SELECT `fiscal_days_2`.`fiscal_quarter` AS `fiscal_quarter`, MIN(`fiscal_days_2`.`day`) AS `first`, MAX(`fiscal_days_2`.`day`) AS `last` FROM `fiscal_days_2` WHERE `fiscal_days_2`.`fiscal_quarter` IS NOT NULL GROUP BY `fiscal_days_2`.`fiscal_quarter`) AS `fiscal_days_2_2`) AS `fiscal_days_2_3`
),
`range_of_fiscal_quarter` AS (
  SELECT MIN(`every_fiscal_quarter_2`.`first`) AS `first`, MAX(`every_fiscal_quarter_2`.`last`) AS `last`
  FROM `fiscal_days_2` JOIN `every_fiscal_quarter` ON `fiscal_days_2`.`fiscal_quarter` = `every_fiscal_quarter`.`fiscal_quarter` CROSS JOIN `every_fiscal_quarter` AS `every_fiscal_quarter_2`
  WHERE `fiscal_days_2`.`day` = CAST('2024-03-15' AS DATE) AND `every_fiscal_quarter_2`.`number` >= `every_fiscal_quarter`.`number` + -2 AND `every_fiscal_quarter_2`.`number` <= `every_fiscal_quarter`.`number` + -1
)
SELECT `orders`.`status` AS `status`, SUM(`orders`.`amount`) AS `revenue`
FROM `orders` CROSS JOIN `range_of_fiscal_quarter`
WHERE `orders`.`day` >= `range_of_fiscal_quarter`.`first` AND `orders`.`day` <= `range_of_fiscal_quarter`.`last`
GROUP BY `orders`.`status`
ORDER BY `orders`.`status` ASC NULLS LAST
LIMIT 1000

-- clickhouse
WITH `fiscal_days_2` AS (
  SELECT `fiscal`.`day` AS `day`, CASE WHEN minOrNull(toNullable(`fiscal`.`quarter`)) = maxOrNull(toNullable(`fiscal`.`quarter`)) THEN maxOrNull(toNullable(`fiscal`.`quarter`)) END AS `fiscal_quarter`
  FROM `fiscal_days` AS `fiscal`
  WHERE `fiscal`.`day` IS NOT NULL
  GROUP BY `fiscal`.`day`
),
`every_fiscal_quarter` AS (
  SELECT toNullable(`fiscal_days_2_3`.`fiscal_quarter`) AS `fiscal_quarter`, toNullable(CAST(`fiscal_days_2_3`.`number` AS Nullable(Int64))) AS `number`, toNullable(`fiscal_days_2_3`.`first`) AS `first`, toNullable(`fiscal_days_2_3`.`last`) AS `last`
  FROM (SELECT `fiscal_days_2_2`.`fiscal_quarter` AS `fiscal_quarter`, `fiscal_days_2_2`.`first` AS `first`, `fiscal_days_2_2`.`last` AS `last`, ROW_NUMBER() OVER (ORDER BY `fiscal_days_2_2`.`first` ASC NULLS LAST) AS `number` FROM (SELECT `fiscal_days_2`.`fiscal_quarter` AS `fiscal_quarter`, minOrNull(`fiscal_days_2`.`day`) AS `first`, maxOrNull(`fiscal_days_2`.`day`) AS `last` FROM `fiscal_days_2` WHERE `fiscal_days_2`.`fiscal_quarter` IS NOT NULL GROUP BY `fiscal_days_2`.`fiscal_quarter`) AS `fiscal_days_2_2`) AS `fiscal_days_2_3`
),
`range_of_fiscal_quarter` AS (
  SELECT minOrNull(`every_fiscal_quarter_2`.`first`) AS `first`, maxOrNull(`every_fiscal_quarter_2`.`last`) AS `last`
  FROM `fiscal_days_2` JOIN `every_fiscal_quarter` ON `fiscal_days_2`.`fiscal_quarter` = `every_fiscal_quarter`.`fiscal_quarter` CROSS JOIN `every_fiscal_quarter` AS `every_fiscal_quarter_2`
  WHERE `fiscal_days_2`.`day` = toDate32('2024-03-15') AND `every_fiscal_quarter_2`.`number` >= `every_fiscal_quarter`.`number` + -2 AND `every_fiscal_quarter_2`.`number` <= `every_fiscal_quarter`.`number` + -1
)
SELECT `orders`.`status` AS `status`, sumOrNull(toNullable(`orders`.`amount`)) AS `revenue`
FROM `orders` CROSS JOIN `range_of_fiscal_quarter`
WHERE `orders`.`day` >= `range_of_fiscal_quarter`.`first` AND `orders`.`day` <= `range_of_fiscal_quarter`.`last`
GROUP BY `orders`.`status`
ORDER BY `orders`.`status` ASC NULLS LAST
LIMIT 1000

-- duckdb
WITH "fiscal_days_2" AS (
  SELECT "fiscal"."day" AS "day", CASE WHEN MIN("fiscal"."quarter") = MAX("fiscal"."quarter") THEN MAX("fiscal"."quarter") END AS "fiscal_quarter"
  FROM "fiscal_days" AS "fiscal"
  WHERE "fiscal"."day" IS NOT NULL
  GROUP BY "fiscal"."day"
),
"every_fiscal_quarter" AS (
  SELECT "fiscal_days_2_3"."fiscal_quarter" AS "fiscal_quarter", CAST("fiscal_days_2_3"."number" AS BIGINT) AS "number", "fiscal_days_2_3"."first" AS "first", "fiscal_days_2_3"."last" AS "last"
  FROM (SELECT "fiscal_days_2_2"."fiscal_quarter" AS "fiscal_quarter", "fiscal_days_2_2"."first" AS "first", "fiscal_days_2_2"."last" AS "last", ROW_NUMBER() OVER (ORDER BY "fiscal_days_2_2"."first" ASC NULLS LAST) AS "number" FROM (SELECT "fiscal_days_2"."fiscal_quarter" AS "fiscal_quarter", MIN("fiscal_days_2"."day") AS "first", MAX("fiscal_days_2"."day") AS "last" FROM "fiscal_days_2" WHERE "fiscal_days_2"."fiscal_quarter" IS NOT NULL GROUP BY "fiscal_days_2"."fiscal_quarter") AS "fiscal_days_2_2") AS "fiscal_days_2_3"
),
"range_of_fiscal_quarter" AS (
  SELECT MIN("every_fiscal_quarter_2"."first") AS "first", MAX("every_fiscal_quarter_2"."last") AS "last"
  FROM "fiscal_days_2" JOIN "every_fiscal_quarter" ON "fiscal_days_2"."fiscal_quarter" = "every_fiscal_quarter"."fiscal_quarter" CROSS JOIN "every_fiscal_quarter" AS "every_fiscal_quarter_2"
  WHERE "fiscal_days_2"."day" = CAST('2024-03-15' AS DATE) AND "every_fiscal_quarter_2"."number" >= "every_fiscal_quarter"."number" + -2 AND "every_fiscal_quarter_2"."number" <= "every_fiscal_quarter"."number" + -1
)
SELECT "orders"."status" AS "status", SUM("orders"."amount") AS "revenue"
FROM "orders" CROSS JOIN "range_of_fiscal_quarter"
WHERE "orders"."day" >= "range_of_fiscal_quarter"."first" AND "orders"."day" <= "range_of_fiscal_quarter"."last"
GROUP BY "orders"."status"
ORDER BY "orders"."status" ASC NULLS LAST
LIMIT 1000

-- mysql
WITH `fiscal_days_2` AS (
  SELECT `fiscal`.`day` AS `day`, CASE WHEN MIN(`fiscal`.`quarter`) = MAX(`fiscal`.`quarter`) THEN MAX(`fiscal`.`quarter`) END AS `fiscal_quarter`
  FROM `fiscal_days` AS `fiscal`
  WHERE `fiscal`.`day` IS NOT NULL
  GROUP BY `fiscal`.`day`
),
`every_fiscal_quarter` AS (
  SELECT `fiscal_days_2_3`.`fiscal_quarter` AS `fiscal_quarter`, CAST(`fiscal_days_2_3`.`number` AS SIGNED) AS `number`, `fiscal_days_2_3`.`first` AS `first`, `fiscal_days_2_3`.`last` AS `last`
  FROM (SELECT `fiscal_days_2_2`.`fiscal_quarter` AS `fiscal_quarter`, `fiscal_days_2_2`.`first` AS `first`, `fiscal_days_2_2`.`last` AS `last`, ROW_NUMBER() OVER (ORDER BY `fiscal_days_2_2`.`first` IS NULL, `fiscal_days_2_2`.`first` ASC) AS `number` FROM (SELECT `fiscal_days_2`.`fiscal_quarter` AS `fiscal_quarter`, MIN(`fiscal_days_2`.`day`) AS `first`, MAX(`fiscal_days_2`.`day`) AS `last` FROM `fiscal_days_2` WHERE `fiscal_days_2`.`fiscal_quarter` IS NOT NULL GROUP BY `fiscal_days_2`.`fiscal_quarter`) AS `fiscal_days_2_2`) AS `fiscal_days_2_3`
),
`range_of_fiscal_quarter` AS (
  SELECT MIN(`every_fiscal_quarter_2`.`first`) AS `first`, MAX(`every_fiscal_quarter_2`.`last`) AS `last`
  FROM `fiscal_days_2` JOIN `every_fiscal_quarter` ON `fiscal_days_2`.`fiscal_quarter` = `every_fiscal_quarter`.`fiscal_quarter` CROSS JOIN `every_fiscal_quarter` AS `every_fiscal_quarter_2`
  WHERE `fiscal_days_2`.`day` = DATE '2024-03-15' AND `every_fiscal_quarter_2`.`number` >= `every_fiscal_quarter`.`number` + -2 AND `every_fiscal_quarter_2`.`number` <= `every_fiscal_quarter`.`number` + -1
)
SELECT `orders`.`status` AS `status`, SUM(`orders`.`amount`) AS `revenue`
FROM `orders` CROSS JOIN `range_of_fiscal_quarter`
WHERE `orders`.`day` >= `range_of_fiscal_quarter`.`first` AND `orders`.`day` <= `range_of_fiscal_quarter`.`last`
GROUP BY `orders`.`status`
ORDER BY `orders`.`status` IS NULL, `orders`.`status` ASC
LIMIT 1000

-- postgres
WITH "fiscal_days_2" AS (
  SELECT "fiscal"."day" AS "day", CASE WHEN MIN("fiscal"."quarter") = MAX("fiscal"."quarter") THEN MAX("fiscal"."quarter") END AS "fiscal_quarter"
  FROM "fiscal_days" AS "fiscal"
  WHERE "fiscal"."day" IS NOT NULL
  GROUP BY "fiscal"."day"
),
"every_fiscal_quarter" AS (
  SELECT "fiscal_days_2_3"."fiscal_quarter" AS "fiscal_quarter", CAST("fiscal_days_2_3"."number" AS bigint) AS "number", "fiscal_days_2_3"."first" AS "first", "fiscal_days_2_3"."last" AS "last"
  FROM (SELECT "fiscal_days_2_2"."fiscal_quarter" AS "fiscal_quarter", "fiscal_days_2_2"."first" AS "first", "fiscal_days_2_2"."last" AS "last", ROW_NUMBER() OVER (ORDER BY "fiscal_days_2_2"."first" ASC NULLS LAST) AS "number" FROM (SELECT "fiscal_days_2"."fiscal_quarter" AS "fiscal_quarter", MIN("fiscal_days_2"."day") AS "first", MAX("fiscal_days_2"."day") AS "last" FROM "fiscal_days_2" WHERE "fiscal_days_2"."fiscal_quarter" IS NOT NULL GROUP BY "fiscal_days_2"."fiscal_quarter") AS "fiscal_days_2_2") AS "fiscal_days_2_3"
),
"range_of_fiscal_quarter" AS (
  SELECT MIN("every_fiscal_quarter_2"."first") AS "first", MAX("every_fiscal_quarter_2"."last") AS "last"
  FROM "fiscal_days_2" JOIN "every_fiscal_quarter" ON "fiscal_days_2"."fiscal_quarter" = "every_fiscal_quarter"."fiscal_quarter" CROSS JOIN "every_fiscal_quarter" AS "every_fiscal_quarter_2"
  WHERE "fiscal_days_2"."day" = DATE '2024-03-15' AND "every_fiscal_quarter_2"."number" >= "every_fiscal_quarter"."number" + -2 AND "every_fiscal_quarter_2"."number" <= "every_fiscal_quarter"."number" + -1
)
SELECT "orders"."status" AS "status", SUM("orders"."amount") AS "revenue"
FROM "orders" CROSS JOIN "range_of_fiscal_quarter"
WHERE "orders"."day" >= "range_of_fiscal_quarter"."first" AND "orders"."day" <= "range_of_fiscal_quarter"."last"
GROUP BY "orders"."status"
ORDER BY "orders"."status" ASC NULLS LAST
LIMIT 1000

-- snowflake
WITH "fiscal_days_2" AS (
  SELECT "fiscal"."DAY" AS "day_2", CASE WHEN MIN("fiscal"."QUARTER") = MAX("fiscal"."QUARTER") THEN MAX("fiscal"."QUARTER") END AS "fiscal_quarter"
  FROM "FISCAL_DAYS" AS "fiscal"
  WHERE "fiscal"."DAY" IS NOT NULL
  GROUP BY "fiscal"."DAY"
),
"every_fiscal_quarter" AS (
  SELECT "fiscal_days_2_3"."fiscal_quarter" AS "fiscal_quarter", CAST("fiscal_days_2_3"."number" AS NUMBER(38,0)) AS "number", "fiscal_days_2_3"."first" AS "first", "fiscal_days_2_3"."last" AS "last"
  FROM (SELECT "fiscal_days_2_2"."fiscal_quarter" AS "fiscal_quarter", "fiscal_days_2_2"."first" AS "first", "fiscal_days_2_2"."last" AS "last", ROW_NUMBER() OVER (ORDER BY "fiscal_days_2_2"."first" ASC NULLS LAST) AS "number" FROM (SELECT "fiscal_days_2"."fiscal_quarter" AS "fiscal_quarter", MIN("fiscal_days_2"."day_2") AS "first", MAX("fiscal_days_2"."day_2") AS "last" FROM "fiscal_days_2" WHERE "fiscal_days_2"."fiscal_quarter" IS NOT NULL GROUP BY "fiscal_days_2"."fiscal_quarter") AS "fiscal_days_2_2") AS "fiscal_days_2_3"
),
"range_of_fiscal_quarter" AS (
  SELECT MIN("every_fiscal_quarter_2"."first") AS "first", MAX("every_fiscal_quarter_2"."last") AS "last"
  FROM "fiscal_days_2" JOIN "every_fiscal_quarter" ON "fiscal_days_2"."fiscal_quarter" = "every_fiscal_quarter"."fiscal_quarter" CROSS JOIN "every_fiscal_quarter" AS "every_fiscal_quarter_2"
  WHERE "fiscal_days_2"."day_2" = CAST('2024-03-15' AS DATE) AND "every_fiscal_quarter_2"."number" >= "every_fiscal_quarter"."number" + -2 AND "every_fiscal_quarter_2"."number" <= "every_fiscal_quarter"."number" + -1
)
SELECT "orders_2"."status_2" AS "status", "orders_2"."revenue" AS "revenue"
FROM (SELECT "orders"."STATUS" AS "status_2", SUM("orders"."AMOUNT") AS "revenue" FROM "ORDERS" AS "orders" CROSS JOIN "range_of_fiscal_quarter" WHERE "orders"."DAY" >= "range_of_fiscal_quarter"."first" AND "orders"."DAY" <= "range_of_fiscal_quarter"."last" GROUP BY "orders"."STATUS") AS "orders_2"
ORDER BY "orders_2"."status_2" ASC NULLS LAST
LIMIT 1000

-- sqlite
WITH "fiscal_days_2" AS (
  SELECT "fiscal"."day" AS "day", CASE WHEN MIN("fiscal"."quarter") = MAX("fiscal"."quarter") THEN MAX("fiscal"."quarter") END AS "fiscal_quarter"
  FROM "fiscal_days" AS "fiscal"
  WHERE "fiscal"."day" IS NOT NULL
  GROUP BY "fiscal"."day"
),
"every_fiscal_quarter" AS (
  SELECT "fiscal_days_2_3"."fiscal_quarter" AS "fiscal_quarter", CAST("fiscal_days_2_3"."number" AS INTEGER) AS "number", "fiscal_days_2_3"."first" AS "first", "fiscal_days_2_3"."last" AS "last"
  FROM (SELECT "fiscal_days_2_2"."fiscal_quarter" AS "fiscal_quarter", "fiscal_days_2_2"."first" AS "first", "fiscal_days_2_2"."last" AS "last", ROW_NUMBER() OVER (ORDER BY "fiscal_days_2_2"."first" ASC NULLS LAST) AS "number" FROM (SELECT "fiscal_days_2"."fiscal_quarter" AS "fiscal_quarter", MIN("fiscal_days_2"."day") AS "first", MAX("fiscal_days_2"."day") AS "last" FROM "fiscal_days_2" WHERE "fiscal_days_2"."fiscal_quarter" IS NOT NULL GROUP BY "fiscal_days_2"."fiscal_quarter") AS "fiscal_days_2_2") AS "fiscal_days_2_3"
),
"range_of_fiscal_quarter" AS (
  SELECT MIN("every_fiscal_quarter_2"."first") AS "first", MAX("every_fiscal_quarter_2"."last") AS "last"
  FROM "fiscal_days_2" JOIN "every_fiscal_quarter" ON "fiscal_days_2"."fiscal_quarter" = "every_fiscal_quarter"."fiscal_quarter" CROSS JOIN "every_fiscal_quarter" AS "every_fiscal_quarter_2"
  WHERE "fiscal_days_2"."day" = date('2024-03-15') AND "every_fiscal_quarter_2"."number" >= "every_fiscal_quarter"."number" + -2 AND "every_fiscal_quarter_2"."number" <= "every_fiscal_quarter"."number" + -1
)
SELECT "orders"."status" AS "status", SUM("orders"."amount") AS "revenue"
FROM "orders" CROSS JOIN "range_of_fiscal_quarter"
WHERE "orders"."day" >= "range_of_fiscal_quarter"."first" AND "orders"."day" <= "range_of_fiscal_quarter"."last"
GROUP BY "orders"."status"
ORDER BY "orders"."status" ASC NULLS LAST
LIMIT 1000

-- sqlserver
WITH [fiscal_days_2] AS (
  SELECT [fiscal].[day] AS [day], CASE WHEN MIN([fiscal].[quarter]) = MAX([fiscal].[quarter]) THEN MAX([fiscal].[quarter]) END AS [fiscal_quarter]
  FROM [fiscal_days] AS [fiscal]
  WHERE [fiscal].[day] IS NOT NULL
  GROUP BY [fiscal].[day]
),
[every_fiscal_quarter] AS (
  SELECT [fiscal_days_2_3].[fiscal_quarter] AS [fiscal_quarter], CAST([fiscal_days_2_3].[number] AS bigint) AS [number], [fiscal_days_2_3].[first] AS [first], [fiscal_days_2_3].[last] AS [last]
  FROM (SELECT [fiscal_days_2_2].[fiscal_quarter] AS [fiscal_quarter], [fiscal_days_2_2].[first] AS [first], [fiscal_days_2_2].[last] AS [last], ROW_NUMBER() OVER (ORDER BY CASE WHEN [fiscal_days_2_2].[first] IS NULL THEN 1 ELSE 0 END, [fiscal_days_2_2].[first] ASC) AS [number] FROM (SELECT [fiscal_days_2].[fiscal_quarter] AS [fiscal_quarter], MIN([fiscal_days_2].[day]) AS [first], MAX([fiscal_days_2].[day]) AS [last] FROM [fiscal_days_2] WHERE [fiscal_days_2].[fiscal_quarter] IS NOT NULL GROUP BY [fiscal_days_2].[fiscal_quarter]) AS [fiscal_days_2_2]) AS [fiscal_days_2_3]
),
[range_of_fiscal_quarter] AS (
  SELECT MIN([every_fiscal_quarter_2].[first]) AS [first], MAX([every_fiscal_quarter_2].[last]) AS [last]
  FROM [fiscal_days_2] JOIN [every_fiscal_quarter] ON [fiscal_days_2].[fiscal_quarter] = [every_fiscal_quarter].[fiscal_quarter] CROSS JOIN [every_fiscal_quarter] AS [every_fiscal_quarter_2]
  WHERE [fiscal_days_2].[day] = CAST(N'2024-03-15' AS date) AND [every_fiscal_quarter_2].[number] >= [every_fiscal_quarter].[number] + -2 AND [every_fiscal_quarter_2].[number] <= [every_fiscal_quarter].[number] + -1
)
SELECT TOP (1000) [orders].[status] AS [status], SUM([orders].[amount]) AS [revenue]
FROM [orders] CROSS JOIN [range_of_fiscal_quarter]
WHERE [orders].[day] >= [range_of_fiscal_quarter].[first] AND [orders].[day] <= [range_of_fiscal_quarter].[last]
GROUP BY [orders].[status]
ORDER BY CASE WHEN [orders].[status] IS NULL THEN 1 ELSE 0 END, [orders].[status] ASC

