-- bigquery
WITH `orders_by_place` AS (
  SELECT `orders`.`status` AS `place`, SUM(`orders`.`amount`) AS `revenue`
  FROM `orders`
  WHERE `orders`.`status` IS NOT NULL
  GROUP BY `orders`.`status`
),
`tickets_by_place` AS (
  SELECT `tickets`.`kind` AS `place`, SUM(`tickets`.`hours`) AS `hours_2`
  FROM `tickets`
  WHERE `tickets`.`kind` IS NOT NULL
  GROUP BY `tickets`.`kind`
)
SELECT `parts`.`place` AS `place`, MAX(`parts`.`revenue`) AS `revenue`, MAX(`parts`.`hours`) AS `hours`
FROM (SELECT `orders_by_place`.`place` AS `place`, `orders_by_place`.`revenue` AS `revenue`, (SELECT MAX(`tickets_by_place`.`hours_2`) FROM `tickets_by_place` WHERE 1 = 0) AS `hours` FROM `orders_by_place`
UNION ALL SELECT `tickets_by_place`.`place` AS `place`, (SELECT MAX(`orders_by_place`.`revenue`) FROM `orders_by_place` WHERE 1 = 0) AS `revenue`, `tickets_by_place`.`hours_2` AS `hours` FROM `tickets_by_place`) AS `parts`
GROUP BY `parts`.`place`
ORDER BY `parts`.`place` ASC NULLS LAST
LIMIT 1000

-- clickhouse
WITH `orders_by_place` AS (
  SELECT `orders`.`status` AS `place`, sumOrNull(toNullable(`orders`.`amount`)) AS `revenue`
  FROM `orders`
  WHERE `orders`.`status` IS NOT NULL
  GROUP BY `orders`.`status`
),
`tickets_by_place` AS (
  SELECT `tickets`.`kind` AS `place`, sumOrNull(toNullable(`tickets`.`hours`)) AS `hours_2`
  FROM `tickets`
  WHERE `tickets`.`kind` IS NOT NULL
  GROUP BY `tickets`.`kind`
)
SELECT `parts`.`place` AS `place`, maxOrNull(`parts`.`revenue`) AS `revenue`, maxOrNull(`parts`.`hours`) AS `hours`
FROM (SELECT `orders_by_place`.`place` AS `place`, `orders_by_place`.`revenue` AS `revenue`, (SELECT MAX(`tickets_by_place`.`hours_2`) FROM `tickets_by_place` WHERE 1 = 0) AS `hours` FROM `orders_by_place`
UNION ALL SELECT `tickets_by_place`.`place` AS `place`, (SELECT MAX(`orders_by_place`.`revenue`) FROM `orders_by_place` WHERE 1 = 0) AS `revenue`, `tickets_by_place`.`hours_2` AS `hours` FROM `tickets_by_place`) AS `parts`
GROUP BY `parts`.`place`
ORDER BY `parts`.`place` ASC NULLS LAST
LIMIT 1000

-- duckdb
WITH "orders_by_place" AS (
  SELECT "orders"."status" AS "place", SUM("orders"."amount") AS "revenue"
  FROM "orders"
  WHERE "orders"."status" IS NOT NULL
  GROUP BY "orders"."status"
),
"tickets_by_place" AS (
  SELECT "tickets"."kind" AS "place", SUM("tickets"."hours") AS "hours_2"
  FROM "tickets"
  WHERE "tickets"."kind" IS NOT NULL
  GROUP BY "tickets"."kind"
)
SELECT "parts"."place" AS "place", MAX("parts"."revenue") AS "revenue", MAX("parts"."hours") AS "hours"
FROM (SELECT "orders_by_place"."place" AS "place", "orders_by_place"."revenue" AS "revenue", (SELECT MAX("tickets_by_place"."hours_2") FROM "tickets_by_place" WHERE 1 = 0) AS "hours" FROM "orders_by_place"
UNION ALL SELECT "tickets_by_place"."place" AS "place", (SELECT MAX("orders_by_place"."revenue") FROM "orders_by_place" WHERE 1 = 0) AS "revenue", "tickets_by_place"."hours_2" AS "hours" FROM "tickets_by_place") AS "parts"
GROUP BY "parts"."place"
ORDER BY "parts"."place" ASC NULLS LAST
LIMIT 1000

-- mysql
WITH `orders_by_place` AS (
  SELECT `orders`.`status` AS `place`, SUM(`orders`.`amount`) AS `revenue`
  FROM `orders`
  WHERE `orders`.`status` IS NOT NULL
  GROUP BY `orders`.`status`
),
`tickets_by_place` AS (
  SELECT `tickets`.`kind` AS `place`, SUM(`tickets`.`hours`) AS `hours_2`
  FROM `tickets`
  WHERE `tickets`.`kind` IS NOT NULL
  GROUP BY `tickets`.`kind`
)
SELECT `parts`.`place` AS `place`, MAX(`parts`.`revenue`) AS `revenue`, MAX(`parts`.`hours`) AS `hours`
FROM (SELECT `orders_by_place`.`place` AS `place`, `orders_by_place`.`revenue` AS `revenue`, (SELECT MAX(`tickets_by_place`.`hours_2`) FROM `tickets_by_place` WHERE 1 = 0) AS `hours` FROM `orders_by_place`
UNION ALL SELECT `tickets_by_place`.`place` AS `place`, (SELECT MAX(`orders_by_place`.`revenue`) FROM `orders_by_place` WHERE 1 = 0) AS `revenue`, `tickets_by_place`.`hours_2` AS `hours` FROM `tickets_by_place`) AS `parts`
GROUP BY `parts`.`place`
ORDER BY `parts`.`place` IS NULL, `parts`.`place` ASC
LIMIT 1000

-- postgres
WITH "orders_by_place" AS (
  SELECT "orders"."status" AS "place", SUM("orders"."amount") AS "revenue"
  FROM "orders"
  WHERE "orders"."status" IS NOT NULL
  GROUP BY "orders"."status"
),
"tickets_by_place" AS (
  SELECT "tickets"."kind" AS "place", SUM("tickets"."hours") AS "hours_2"
  FROM "tickets"
  WHERE "tickets"."kind" IS NOT NULL
  GROUP BY "tickets"."kind"
)
SELECT "parts"."place" AS "place", MAX("parts"."revenue") AS "revenue", MAX("parts"."hours") AS "hours"
FROM (SELECT "orders_by_place"."place" AS "place", "orders_by_place"."revenue" AS "revenue", (SELECT MAX("tickets_by_place"."hours_2") FROM "tickets_by_place" WHERE 1 = 0) AS "hours" FROM "orders_by_place"
UNION ALL SELECT "tickets_by_place"."place" AS "place", (SELECT MAX("orders_by_place"."revenue") FROM "orders_by_place" WHERE 1 = 0) AS "revenue", "tickets_by_place"."hours_2" AS "hours" FROM "tickets_by_place") AS "parts"
GROUP BY "parts"."place"
ORDER BY "parts"."place" ASC NULLS LAST
LIMIT 1000

-- snowflake
WITH "orders_by_place" AS (
  SELECT "orders"."STATUS" AS "place", SUM("orders"."AMOUNT") AS "revenue"
  FROM "ORDERS" AS "orders"
  WHERE "orders"."STATUS" IS NOT NULL
  GROUP BY "orders"."STATUS"
),
"tickets_by_place" AS (
  SELECT "tickets"."KIND" AS "place", SUM("tickets"."HOURS") AS "hours_2"
  FROM "TICKETS" AS "tickets"
  WHERE "tickets"."KIND" IS NOT NULL
  GROUP BY "tickets"."KIND"
)
SELECT "parts"."place" AS "place", MAX("parts"."revenue") AS "revenue", MAX("parts"."hours") AS "hours"
FROM (SELECT "orders_by_place"."place" AS "place", "orders_by_place"."revenue" AS "revenue", (SELECT MAX("tickets_by_place"."hours_2") FROM "tickets_by_place" WHERE 1 = 0) AS "hours" FROM "orders_by_place"
UNION ALL SELECT "tickets_by_place"."place" AS "place", (SELECT MAX("orders_by_place"."revenue") FROM "orders_by_place" WHERE 1 = 0) AS "revenue", "tickets_by_place"."hours_2" AS "hours" FROM "tickets_by_place") AS "parts"
GROUP BY "parts"."place"
ORDER BY "parts"."place" ASC NULLS LAST
LIMIT 1000

-- sqlite
WITH "orders_by_place" AS (
  SELECT "orders"."status" AS "place", SUM("orders"."amount") AS "revenue"
  FROM "orders"
  WHERE "orders"."status" IS NOT NULL
  GROUP BY "orders"."status"
),
"tickets_by_place" AS (
  SELECT "tickets"."kind" AS "place", SUM("tickets"."hours") AS "hours_2"
  FROM "tickets"
  WHERE "tickets"."kind" IS NOT NULL
  GROUP BY "tickets"."kind"
)
SELECT "parts"."place" AS "place", MAX("parts"."revenue") AS "revenue", MAX("parts"."hours") AS "hours"
FROM (SELECT "orders_by_place"."place" AS "place", "orders_by_place"."revenue" AS "revenue", (SELECT MAX("tickets_by_place"."hours_2") FROM "tickets_by_place" WHERE 1 = 0) AS "hours" FROM "orders_by_place"
UNION ALL SELECT "tickets_by_place"."place" AS "place", (SELECT MAX("orders_by_place"."revenue") FROM "orders_by_place" WHERE 1 = 0) AS "revenue", "tickets_by_place"."hours_2" AS "hours" FROM "tickets_by_place") AS "parts"
GROUP BY "parts"."place"
ORDER BY "parts"."place" ASC NULLS LAST
LIMIT 1000

-- sqlserver
WITH [orders_by_place] AS (
  SELECT [orders].[status] AS [place], SUM([orders].[amount]) AS [revenue]
  FROM [orders]
  WHERE [orders].[status] IS NOT NULL
  GROUP BY [orders].[status]
),
[tickets_by_place] AS (
  SELECT [tickets].[kind] AS [place], SUM([tickets].[hours]) AS [hours_2]
  FROM [tickets]
  WHERE [tickets].[kind] IS NOT NULL
  GROUP BY [tickets].[kind]
)
SELECT TOP (1000) [parts].[place] AS [place], MAX([parts].[revenue]) AS [revenue], MAX([parts].[hours]) AS [hours]
FROM (SELECT [orders_by_place].[place] AS [place], [orders_by_place].[revenue] AS [revenue], (SELECT MAX([tickets_by_place].[hours_2]) FROM [tickets_by_place] WHERE 1 = 0) AS [hours] FROM [orders_by_place]
UNION ALL SELECT [tickets_by_place].[place] AS [place], (SELECT MAX([orders_by_place].[revenue]) FROM [orders_by_place] WHERE 1 = 0) AS [revenue], [tickets_by_place].[hours_2] AS [hours] FROM [tickets_by_place]) AS [parts]
GROUP BY [parts].[place]
ORDER BY CASE WHEN [parts].[place] IS NULL THEN 1 ELSE 0 END, [parts].[place] ASC

