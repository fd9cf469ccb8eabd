-- bigquery
WITH `fiscal_days_2` AS (
  SELECT `fiscal`.`day` AS `day`, CASE WHEN MIN(`fiscal`.`quarter`) = MAX(`fiscal`.`quarter`) THEN MAX(`fiscal`.`quarter`) END AS `fiscal_quarter`
  FROM `fiscal_days` AS `fiscal`
  WHERE `fiscal`.`day` IS NOT NULL
  GROUP BY `fiscal`.`day`
),
`orders_by_metric_time_fiscal_quarter` AS (
  SELECT `fiscal_days_2_2`.`fiscal_quarter` AS `metric_time_fiscal_quarter`, SUM(`orders`.`amount`) AS `revenue`
  FROM `orders` LEFT JOIN (SELECT `fiscal_days_2`.`day` AS `day`, `fiscal_days_2`.`fiscal_quarter` AS `fiscal_quarter` FROM `fiscal_days_2`) AS `fiscal_days_2_2` ON CAST(`orders`.`day` AS DATE) = `fiscal_days_2_2`.`day`
  GROUP BY `fiscal_days_2_2`.`fiscal_quarter`
),
`tickets_by_metric_time_fiscal_quarter` AS (
  SELECT `fiscal_days_2_2`.`fiscal_quarter` AS `metric_time_fiscal_quarter`, SUM(`tickets`.`hours`) AS `hours_2`
  FROM `tickets` LEFT JOIN (SELECT `fiscal_days_2`.`day` AS `day`, `fiscal_days_2`.`fiscal_quarter` AS `fiscal_quarter` FROM `fiscal_days_2`) AS `fiscal_days_2_2` ON CAST(`tickets`.`day` AS DATE) = `fiscal_days_2_2`.`day`
  GROUP BY `fiscal_days_2_2`.`fiscal_quarter`
),
`every_fiscal_quarter` AS (
  SELECT `fiscal_days_2_3`.`fiscal_quarter` AS `fiscal_quarter`, CAST(`fiscal_days_2_3`.`number` AS INT64) AS `number`
  FROM (SELECT `fiscal_days_2_2`.`fiscal_quarter` AS `fiscal_quarter`, `fiscal_days_2_2`.`first` AS `first`, ROW_NUMBER() OVER (ORDER BY `fiscal_days_2_2`.`first` ASC NULLS LAST) AS `number` FROM (SELECT `fiscal_days_2`.`fiscal_quarter` AS `fiscal_quarter`, MIN(`fiscal_days_2`.`day`) AS `first` FROM `fiscal_days_2` WHERE `fiscal_days_2`.`fiscal_quarter` IS NOT NULL GROUP BY `fiscal_days_2`.`fiscal_quarter`) AS `fiscal_days_2_2`) AS `fiscal_days_2_3`
),
`members` AS (
  SELECT `parts`.`metric_time_fiscal_quarter` AS `metric_time_fiscal_quarter`
  FROM (SELECT `orders_by_metric_time_fiscal_quarter`.`metric_time_fiscal_quarter` AS `metric_time_fiscal_quarter` FROM `orders_by_metric_time_fiscal_quarter`
UNION ALL SELECT `tickets_by_metric_time_fiscal_quarter`.`metric_time_fiscal_quarter` AS `metric_time_fiscal_quarter` FROM `tickets_by_metric_time_fiscal_quarter`) AS `parts`
)
SELECT `parts`.`metric_time_fiscal_quarter` AS `metric_time_fiscal_quarter`, MAX(`parts`.`revenue`) AS `revenue`, MAX(`parts`.`hours`) AS `hours`
FROM (SELECT `orders_by_metric_time_fiscal_quarter`.`metric_time_fiscal_quarter` AS `metric_time_fiscal_quarter`, `orders_by_metric_time_fiscal_quarter`.`revenue` AS `revenue`, (SELECT MAX(`tickets_by_metric_time_fiscal_quarter`.`hours_2`) FROM `tickets_by_metric_time_fiscal_quarter` WHERE 1 = 0) AS `hours` FROM `orders_by_metric_time_fiscal_quarter`
UNION ALL SELECT `tickets_by_metric_time_fiscal_quarter`.`metric_time_fiscal_quarter` AS `metric_time_fiscal_quarter`, (SELECT MAX(`orders_by_metric_time_fiscal_quarter`.`revenue`) FROM `orders_by_metric_time_fiscal_quarter` WHERE 1 = 0) AS `revenue`, `tickets_by_metric_time_fiscal_quarter`.`hours_2` AS `hours` FROM `tickets_by_metric_time_fiscal_quarter`
UNION ALL SELECT `every_fiscal_quarter`.`fiscal_quarter` AS `metric_time_fiscal_quarter`, (SELECT MAX(`orders_by_metric_time_fiscal_quarter`.`revenue`) FROM `orders_by_metric_time_fiscal_quarter` WHERE 1 = 0) AS `revenue`, (SELECT MAX(`tickets_by_metric_time_fiscal_quarter`.`hours_2`) FROM `tickets_by_metric_time_fiscal_quarter` WHERE 1 = 0) AS `hours` FROM `every_fiscal_quarter` CROSS JOIN (SELECT MIN(`every_fiscal_quarter_2`.`number`) AS `least`, MAX(`every_fiscal_quarter_2`.`number`) AS `most` FROM `members` JOIN `every_fiscal_quarter` AS `every_fiscal_quarter_2` ON `members`.`metric_time_fiscal_quarter` = `every_fiscal_quarter_2`.`fiscal_quarter`) AS `members_2` WHERE `every_fiscal_quarter`.`number` >= `members_2`.`least` AND `every_fiscal_quarter`.`number` <= `members_2`.`most`) AS `parts`
GROUP BY `parts`.`metric_time_fiscal_quarter`
ORDER BY `parts`.`metric_time_fiscal_quarter` ASC NULLS LAST
LIMIT 1000

-- clickhouse
WITH `fiscal_days_2` AS (
  SELECT `fiscal`.`day` AS `day`, CASE WHEN minOrNull(toNullable(`fiscal`.`quarter`)) = maxOrNull(toNullable(`fiscal`.`quarter`)) THEN maxOrNull(toNullable(`fiscal`.`quarter`)) END AS `fiscal_quarter`
  FROM `fiscal_days` AS `fiscal`
  WHERE `fiscal`.`day` IS NOT NULL
  GROUP BY `fiscal`.`day`
),
`orders_by_metric_time_fiscal_quarter` AS (
  SELECT `fiscal_days_2_2`.`fiscal_quarter` AS `metric_time_fiscal_quarter`, sumOrNull(toNullable(`orders`.`amount`)) AS `revenue`
  FROM `orders` LEFT JOIN (SELECT `fiscal_days_2`.`day` AS `day`, `fiscal_days_2`.`fiscal_quarter` AS `fiscal_quarter` FROM `fiscal_days_2`) AS `fiscal_days_2_2` ON toDate32(`orders`.`day`) = `fiscal_days_2_2`.`day`
  GROUP BY `fiscal_days_2_2`.`fiscal_quarter`
),
`tickets_by_metric_time_fiscal_quarter` AS (
  SELECT `fiscal_days_2_2`.`fiscal_quarter` AS `metric_time_fiscal_quarter`, sumOrNull(toNullable(`tickets`.`hours`)) AS `hours_2`
  FROM `tickets` LEFT JOIN (SELECT `fiscal_days_2`.`day` AS `day`, `fiscal_days_2`.`fiscal_quarter` AS `fiscal_quarter` FROM `fiscal_days_2`) AS `fiscal_days_2_2` ON toDate32(`tickets`.`day`) = `fiscal_days_2_2`.`day`
  GROUP BY `fiscal_days_2_2`.`fiscal_quarter`
),
`every_fiscal_quarter` AS (
  SELECT toNullable(`fiscal_days_2_3`.`fiscal_quarter`) AS `fiscal_quarter`, toNullable(CAST(`fiscal_days_2_3`.`number` AS Nullable(Int64))) AS `number`
  FROM (SELECT `fiscal_days_2_2`.`fiscal_quarter` AS `fiscal_quarter`, `fiscal_days_2_2`.`first` AS `first`, ROW_NUMBER() OVER (ORDER BY `fiscal_days_2_2`.`first` ASC NULLS LAST) AS `number` FROM (SELECT `fiscal_days_2`.`fiscal_quarter` AS `fiscal_quarter`, minOrNull(`fiscal_days_2`.`day`) AS `first` FROM `fiscal_days_2` WHERE `fiscal_days_2`.`fiscal_quarter` IS NOT NULL GROUP BY `fiscal_days_2`.`fiscal_quarter`) AS `fiscal_days_2_2`) AS `fiscal_days_2_3`
),
`members` AS (
  SELECT `parts`.`metric_time_fiscal_quarter` AS `metric_time_fiscal_quarter`
  FROM (SELECT `orders_by_metric_time_fiscal_quarter`.`metric_time_fiscal_quarter` AS `metric_time_fiscal_quarter` FROM `orders_by_metric_time_fiscal_quarter`
UNION ALL SELECT `tickets_by_metric_time_fiscal_quarter`.`metric_time_fiscal_quarter` AS `metric_time_fiscal_quarter` FROM `tickets_by_metric_time_fiscal_quarter`) AS `parts`
)
SELECT `parts`.`metric_time_fiscal_quarter` AS `metric_time_fiscal_quarter`, maxOrNull(`parts`.`revenue`) AS `revenue`, maxOrNull(`parts`.`hours`) AS `hours`
FROM (SELECT `orders_by_metric_time_fiscal_quarter`.`metric_time_fiscal_quarter` AS `metric_time_fiscal_quarter`, `orders_by_metric_time_fiscal_quarter`.`revenue` AS `revenue`, (SELECT MAX(`tickets_by_metric_time_fiscal_quarter`.`hours_2`) FROM `tickets_by_metric_time_fiscal_quarter` WHERE 1 = 0) AS `hours` FROM `orders_by_metric_time_fiscal_quarter`
UNION ALL SELECT `tickets_by_metric_time_fiscal_quarter`.`metric_time_fiscal_quarter` AS `metric_time_fiscal_quarter`, (SELECT MAX(`orders_by_metric_time_fiscal_quarter`.`revenue`) FROM `orders_by_metric_time_fiscal_quarter` WHERE 1 = 0) AS `revenue`, `tickets_by_metric_time_fiscal_quarter`.`hours_2` AS `hours` FROM `tickets_by_metric_time_fiscal_quarter`
UNION ALL SELECT `every_fiscal_quarter`.`fiscal_quarter` AS `metric_time_fiscal_quarter`, (SELECT MAX(`orders_by_metric_time_fiscal_quarter`.`revenue`) FROM `orders_by_metric_time_fiscal_quarter` WHERE 1 = 0) AS `revenue`, (SELECT MAX(`tickets_by_metric_time_fiscal_quarter`.`hours_2`) FROM `tickets_by_metric_time_fiscal_quarter` WHERE 1 = 0) AS `hours` FROM `every_fiscal_quarter` CROSS JOIN (SELECT minOrNull(`every_fiscal_quarter_2`.`number`) AS `least`, maxOrNull(`every_fiscal_quarter_2`.`number`) AS `most` FROM `members` JOIN `every_fiscal_quarter` AS `every_fiscal_quarter_2` ON `members`.`metric_time_fiscal_quarter` = `every_fiscal_quarter_2`.`fiscal_quarter`) AS `members_2` WHERE `every_fiscal_quarter`.`number` >= `members_2`.`least` AND `every_fiscal_quarter`.`number` <= `members_2`.`most`) AS `parts`
GROUP BY `parts`.`metric_time_fiscal_quarter`
ORDER BY `parts`.`metric_time_fiscal_quarter` ASC NULLS LAST
LIMIT 1000

-- duckdb
WITH "fiscal_days_2" AS (
  SELECT "fiscal"."day" AS "day", CASE WHEN MIN("fiscal"."quarter") = MAX("fiscal"."quarter") THEN MAX("fiscal"."quarter") END AS "fiscal_quarter"
  FROM "fiscal_days" AS "fiscal"
  WHERE "fiscal"."day" IS NOT NULL
  GROUP BY "fiscal"."day"
),
"orders_by_metric_time_fiscal_quarter" AS (
  SELECT "fiscal_days_2_2"."fiscal_quarter" AS "metric_time_fiscal_quarter", SUM("orders"."amount") AS "revenue"
  FROM "orders" LEFT JOIN (SELECT "fiscal_days_2"."day" AS "day", "fiscal_days_2"."fiscal_quarter" AS "fiscal_quarter" FROM "fiscal_days_2") AS "fiscal_days_2_2" ON CAST(date_trunc('day', "orders"."day") AS DATE) = "fiscal_days_2_2"."day"
  GROUP BY "fiscal_days_2_2"."fiscal_quarter"
),
"tickets_by_metric_time_fiscal_quarter" AS (
  SELECT "fiscal_days_2_2"."fiscal_quarter" AS "metric_time_fiscal_quarter", SUM("tickets"."hours") AS "hours_2"
  FROM "tickets" LEFT JOIN (SELECT "fiscal_days_2"."day" AS "day", "fiscal_days_2"."fiscal_quarter" AS "fiscal_quarter" FROM "fiscal_days_2") AS "fiscal_days_2_2" ON CAST(date_trunc('day', "tickets"."day") AS DATE) = "fiscal_days_2_2"."day"
  GROUP BY "fiscal_days_2_2"."fiscal_quarter"
),
"every_fiscal_quarter" AS (
  SELECT "fiscal_days_2_3"."fiscal_quarter" AS "fiscal_quarter", CAST("fiscal_days_2_3"."number" AS BIGINT) AS "number"
  FROM (SELECT "fiscal_days_2_2"."fiscal_quarter" AS "fiscal_quarter", "fiscal_days_2_2"."first" AS "first", ROW_NUMBER() OVER (ORDER BY "fiscal_days_2_2"."first" ASC NULLS LAST) AS "number" FROM (SELECT "fiscal_days_2"."fiscal_quarter" AS "fiscal_quarter", MIN("fiscal_days_2"."day") AS "first" FROM "fiscal_days_2" WHERE "fiscal_days_2"."fiscal_quarter" IS NOT NULL GROUP BY "fiscal_days_2"."fiscal_quarter") AS "fiscal_days_2_2") AS "fiscal_days_2_3"
),
"members" AS (
  SELECT "parts"."metric_time_fiscal_quarter" AS "metric_time_fiscal_quarter"
  FROM (SELECT "orders_by_metric_time_fiscal_quarter"."metric_time_fiscal_quarter" AS "metric_time_fiscal_quarter" FROM "orders_by_metric_time_fiscal_quarter"
UNION ALL SELECT "tickets_by_metric_time_fiscal_quarter"."metric_time_fiscal_quarter" AS "metric_time_fiscal_quarter" FROM "tickets_by_metric_time_fiscal_quarter") AS "parts"
)
SELECT "parts"."metric_time_fiscal_quarter" AS "metric_time_fiscal_quarter", MAX("parts"."revenue") AS "revenue", MAX("parts"."hours") AS "hours"
FROM (SELECT "orders_by_metric_time_fiscal_quarter"."metric_time_fiscal_quarter" AS "metric_time_fiscal_quarter", "orders_by_metric_time_fiscal_quarter"."revenue" AS "revenue", (SELECT MAX("tickets_by_metric_time_fiscal_quarter"."hours_2") FROM "tickets_by_metric_time_fiscal_quarter" WHERE 1 = 0) AS "hours" FROM "orders_by_metric_time_fiscal_quarter"
UNION ALL SELECT "tickets_by_metric_time_fiscal_quarter"."metric_time_fiscal_quarter" AS "metric_time_fiscal_quarter", (SELECT MAX("orders_by_metric_time_fiscal_quarter"."revenue") FROM "orders_by_metric_time_fiscal_quarter" WHERE 1 = 0) AS "revenue", "tickets_by_metric_time_fiscal_quarter"."hours_2" AS "hours" FROM "tickets_by_metric_time_fiscal_quarter"
UNION ALL SELECT "every_fiscal_quarter"."fiscal_quarter" AS "metric_time_fiscal_quarter", (SELECT MAX("orders_by_metric_time_fiscal_quarter"."revenue") FROM "orders_by_metric_time_fiscal_quarter" WHERE 1 = 0) AS "revenue", (SELECT MAX("tickets_by_metric_time_fiscal_quarter"."hours_2") FROM "tickets_by_metric_time_fiscal_quarter" WHERE 1 = 0) AS "hours" FROM "every_fiscal_quarter" CROSS JOIN (SELECT MIN("every_fiscal_quarter_2"."number") AS "least", MAX("every_fiscal_quarter_2"."number") AS "most" FROM "members" JOIN "every_fiscal_quarter" AS "every_fiscal_quarter_2" ON "members"."metric_time_fiscal_quarter" = "every_fiscal_quarter_2"."fiscal_quarter") AS "members_2" WHERE "every_fiscal_quarter"."number" >= "members_2"."least" AND "every_fiscal_quarter"."number" <= "members_2"."most") AS "parts"
GROUP BY "parts"."metric_time_fiscal_quarter"
ORDER BY "parts"."metric_time_fiscal_quarter" ASC NULLS LAST
LIMIT 1000

-- mysql
WITH `fiscal_days_2` AS (
  SELECT `fiscal`.`day` AS `day`, CASE WHEN MIN(`fiscal`.`quarter`) = MAX(`fiscal`.`quarter`) THEN MAX(`fiscal`.`quarter`) END AS `fiscal_quarter`
  FROM `fiscal_days` AS `fiscal`
  WHERE `fiscal`.`day` IS NOT NULL
  GROUP BY `fiscal`.`day`
),
`orders_by_metric_time_fiscal_quarter` AS (
  SELECT `fiscal_days_2_2`.`fiscal_quarter` AS `metric_time_fiscal_quarter`, SUM(`orders`.`amount`) AS `revenue`
  FROM `orders` LEFT JOIN (SELECT `fiscal_days_2`.`day` AS `day`, `fiscal_days_2`.`fiscal_quarter` AS `fiscal_quarter` FROM `fiscal_days_2`) AS `fiscal_days_2_2` ON DATE(`orders`.`day`) = `fiscal_days_2_2`.`day`
  GROUP BY `fiscal_days_2_2`.`fiscal_quarter`
),
`tickets_by_metric_time_fiscal_quarter` AS (
  SELECT `fiscal_days_2_2`.`fiscal_quarter` AS `metric_time_fiscal_quarter`, SUM(`tickets`.`hours`) AS `hours_2`
  FROM `tickets` LEFT JOIN (SELECT `fiscal_days_2`.`day` AS `day`, `fiscal_days_2`.`fiscal_quarter` AS `fiscal_quarter` FROM `fiscal_days_2`) AS `fiscal_days_2_2` ON DATE(`tickets`.`day`) = `fiscal_days_2_2`.`day`
  GROUP BY `fiscal_days_2_2`.`fiscal_quarter`
),
`every_fiscal_quarter` AS (
  SELECT `fiscal_days_2_3`.`fiscal_quarter` AS `fiscal_quarter`, CAST(`fiscal_days_2_3`.`number` AS SIGNED) AS `number`
  FROM (SELECT `fiscal_days_2_2`.`fiscal_quarter` AS `fiscal_quarter`, `fiscal_days_2_2`.`first` AS `first`, ROW_NUMBER() OVER (ORDER BY `fiscal_days_2_2`.`first` IS NULL, `fiscal_days_2_2`.`first` ASC) AS `number` FROM (SELECT `fiscal_days_2`.`fiscal_quarter` AS `fiscal_quarter`, MIN(`fiscal_days_2`.`day`) AS `first` FROM `fiscal_days_2` WHERE `fiscal_days_2`.`fiscal_quarter` IS NOT NULL GROUP BY `fiscal_days_2`.`fiscal_quarter`) AS `fiscal_days_2_2`) AS `fiscal_days_2_3`
),
`members` AS (
  SELECT `parts`.`metric_time_fiscal_quarter` AS `metric_time_fiscal_quarter`
  FROM (SELECT `orders_by_metric_time_fiscal_quarter`.`metric_time_fiscal_quarter` AS `metric_time_fiscal_quarter` FROM `orders_by_metric_time_fiscal_quarter`
UNION ALL SELECT `tickets_by_metric_time_fiscal_quarter`.`metric_time_fiscal_quarter` AS `metric_time_fiscal_quarter` FROM `tickets_by_metric_time_fiscal_quarter`) AS `parts`
)
SELECT `parts`.`metric_time_fiscal_quarter` AS `metric_time_fiscal_quarter`, MAX(`parts`.`revenue`) AS `revenue`, MAX(`parts`.`hours`) AS `hours`
FROM (SELECT `orders_by_metric_time_fiscal_quarter`.`metric_time_fiscal_quarter` AS `metric_time_fiscal_quarter`, `orders_by_metric_time_fiscal_quarter`.`revenue` AS `revenue`, (SELECT MAX(`tickets_by_metric_time_fiscal_quarter`.`hours_2`) FROM `tickets_by_metric_time_fiscal_quarter` WHERE 1 = 0) AS `hours` FROM `orders_by_metric_time_fiscal_quarter`
UNION ALL SELECT `tickets_by_metric_time_fiscal_quarter`.`metric_time_fiscal_quarter` AS `metric_time_fiscal_quarter`, (SELECT MAX(`orders_by_metric_time_fiscal_quarter`.`revenue`) FROM `orders_by_metric_time_fiscal_quarter` WHERE 1 = 0) AS `revenue`, `tickets_by_metric_time_fiscal_quarter`.`hours_2` AS `hours` FROM `tickets_by_metric_time_fiscal_quarter`
UNION ALL SELECT `every_fiscal_quarter`.`fiscal_quarter` AS `metric_time_fiscal_quarter`, (SELECT MAX(`orders_by_metric_time_fiscal_quarter`.`revenue`) FROM `orders_by_metric_time_fiscal_quarter` WHERE 1 = 0) AS `revenue`, (SELECT MAX(`tickets_by_metric_time_fiscal_quarter`.`hours_2`) FROM `tickets_by_metric_time_fiscal_quarter` WHERE 1 = 0) AS `hours` FROM `every_fiscal_quarter` CROSS JOIN (SELECT MIN(`every_fiscal_quarter_2`.`number`) AS `least`, MAX(`every_fiscal_quarter_2`.`number`) AS `most` FROM `members` JOIN `every_fiscal_quarter` AS `every_fiscal_quarter_2` ON `members`.`metric_time_fiscal_quarter` = `every_fiscal_quarter_2`.`fiscal_quarter`) AS `members_2` WHERE `every_fiscal_quarter`.`number` >= `members_2`.`least` AND `every_fiscal_quarter`.`number` <= `members_2`.`most`) AS `parts`
GROUP BY `parts`.`metric_time_fiscal_quarter`
ORDER BY `parts`.`metric_time_fiscal_quarter` IS NULL, `parts`.`metric_time_fiscal_quarter` ASC
LIMIT 1000

-- postgres
WITH "fiscal_days_2" AS (
  SELECT "fiscal"."day" AS "day", CASE WHEN MIN("fiscal"."quarter") = MAX("fiscal"."quarter") THEN MAX("fiscal"."quarter") END AS "fiscal_quarter"
  FROM "fiscal_days" AS "fiscal"
  WHERE "fiscal"."day" IS NOT NULL
  GROUP BY "fiscal"."day"
),
"orders_by_metric_time_fiscal_quarter" AS (
  SELECT "fiscal_days_2_2"."fiscal_quarter" AS "metric_time_fiscal_quarter", SUM("orders"."amount") AS "revenue"
  FROM "orders" LEFT JOIN (SELECT "fiscal_days_2"."day" AS "day", "fiscal_days_2"."fiscal_quarter" AS "fiscal_quarter" FROM "fiscal_days_2") AS "fiscal_days_2_2" ON CAST("orders"."day" AS date) = "fiscal_days_2_2"."day"
  GROUP BY "fiscal_days_2_2"."fiscal_quarter"
),
"tickets_by_metric_time_fiscal_quarter" AS (
  SELECT "fiscal_days_2_2"."fiscal_quarter" AS "metric_time_fiscal_quarter", SUM("tickets"."hours") AS "hours_2"
  FROM "tickets" LEFT JOIN (SELECT "fiscal_days_2"."day" AS "day", "fiscal_days_2"."fiscal_quarter" AS "fiscal_quarter" FROM "fiscal_days_2") AS "fiscal_days_2_2" ON CAST("tickets"."day" AS date) = "fiscal_days_2_2"."day"
  GROUP BY "fiscal_days_2_2"."fiscal_quarter"
),
"every_fiscal_quarter" AS (
  SELECT "fiscal_days_2_3"."fiscal_quarter" AS "fiscal_quarter", CAST("fiscal_days_2_3"."number" AS bigint) AS "number"
  FROM (SELECT "fiscal_days_2_2"."fiscal_quarter" AS "fiscal_quarter", "fiscal_days_2_2"."first" AS "first", ROW_NUMBER() OVER (ORDER BY "fiscal_days_2_2"."first" ASC NULLS LAST) AS "number" FROM (SELECT "fiscal_days_2"."fiscal_quarter" AS "fiscal_quarter", MIN("fiscal_days_2"."day") AS "first" FROM "fiscal_days_2" WHERE "fiscal_days_2"."fiscal_quarter" IS NOT NULL GROUP BY "fiscal_days_2"."fiscal_quarter") AS "fiscal_days_2_2") AS "fiscal_days_2_3"
),
"members" AS (
  SELECT "parts"."metric_time_fiscal_quarter" AS "metric_time_fiscal_quarter"
  FROM (SELECT "orders_by_metric_time_fiscal_quarter"."metric_time_fiscal_quarter" AS "metric_time_fiscal_quarter" FROM "orders_by_metric_time_fiscal_quarter"
UNION ALL SELECT "tickets_by_metric_time_fiscal_quarter"."metric_time_fiscal_quarter" AS "metric_time_fiscal_quarter" FROM "tickets_by_metric_time_fiscal_quarter") AS "parts"
)
SELECT "parts"."metric_time_fiscal_quarter" AS "metric_time_fiscal_quarter", MAX("parts"."revenue") AS "revenue", MAX("parts"."hours") AS "hours"
FROM (SELECT "orders_by_metric_time_fiscal_quarter"."metric_time_fiscal_quarter" AS "metric_time_fiscal_quarter", "orders_by_metric_time_fiscal_quarter"."revenue" AS "revenue", (SELECT MAX("tickets_by_metric_time_fiscal_quarter"."hours_2") FROM "tickets_by_metric_time_fiscal_quarter" WHERE 1 = 0) AS "hours" FROM "orders_by_metric_time_fiscal_quarter"
UNION ALL SELECT "tickets_by_metric_time_fiscal_quarter"."metric_time_fiscal_quarter" AS "metric_time_fiscal_quarter", (SELECT MAX("orders_by_metric_time_fiscal_quarter"."revenue") FROM "orders_by_metric_time_fiscal_quarter" WHERE 1 = 0) AS "revenue", "tickets_by_metric_time_fiscal_quarter"."hours_2" AS "hours" FROM "tickets_by_metric_time_fiscal_quarter"
UNION ALL SELECT "every_fiscal_quarter"."fiscal_quarter" AS "metric_time_fiscal_quarter", (SELECT MAX("orders_by_metric_time_fiscal_quarter"."revenue") FROM "orders_by_metric_time_fiscal_quarter" WHERE 1 = 0) AS "revenue", (SELECT MAX("tickets_by_metric_time_fiscal_quarter"."hours_2") FROM "tickets_by_metric_time_fiscal_quarter" WHERE 1 = 0) AS "hours" FROM "every_fiscal_quarter" CROSS JOIN (SELECT MIN("every_fiscal_quarter_2"."number") AS "least", MAX("every_fiscal_quarter_2"."number") AS "most" FROM "members" JOIN "every_fiscal_quarter" AS "every_fiscal_quarter_2" ON "members"."metric_time_fiscal_quarter" = "every_fiscal_quarter_2"."fiscal_quarter") AS "members_2" WHERE "every_fiscal_quarter"."number" >= "members_2"."least" AND "every_fiscal_quarter"."number" <= "members_2"."most") AS "parts"
GROUP BY "parts"."metric_time_fiscal_quarter"
ORDER BY "parts"."metric_time_fiscal_quarter" ASC NULLS LAST
LIMIT 1000

-- snowflake
WITH "fiscal_days_2" AS (
  SELECT "fiscal"."DAY" AS "day_2", CASE WHEN MIN("fiscal"."QUARTER") = MAX("fiscal"."QUARTER") THEN MAX("fiscal"."QUARTER") END AS "fiscal_quarter"
  FROM "FISCAL_DAYS" AS "fiscal"
  WHERE "fiscal"."DAY" IS NOT NULL
  GROUP BY "fiscal"."DAY"
),
"orders_by_metric_time_fiscal_quarter" AS (
  SELECT "fiscal_days_2_2"."fiscal_quarter" AS "metric_time_fiscal_quarter", SUM("orders"."AMOUNT") AS "revenue"
  FROM "ORDERS" AS "orders" LEFT JOIN (SELECT "fiscal_days_2"."day_2" AS "day", "fiscal_days_2"."fiscal_quarter" AS "fiscal_quarter" FROM "fiscal_days_2") AS "fiscal_days_2_2" ON DATE_TRUNC('DAY', "orders"."DAY")::DATE = "fiscal_days_2_2"."day"
  GROUP BY "fiscal_days_2_2"."fiscal_quarter"
),
"tickets_by_metric_time_fiscal_quarter" AS (
  SELECT "fiscal_days_2_2"."fiscal_quarter" AS "metric_time_fiscal_quarter", SUM("tickets"."HOURS") AS "hours_2"
  FROM "TICKETS" AS "tickets" LEFT JOIN (SELECT "fiscal_days_2"."day_2" AS "day", "fiscal_days_2"."fiscal_quarter" AS "fiscal_quarter" FROM "fiscal_days_2") AS "fiscal_days_2_2" ON DATE_TRUNC('DAY', "tickets"."DAY")::DATE = "fiscal_days_2_2"."day"
  GROUP BY "fiscal_days_2_2"."fiscal_quarter"
),
"every_fiscal_quarter" AS (
  SELECT "fiscal_days_2_3"."fiscal_quarter" AS "fiscal_quarter", CAST("fiscal_days_2_3"."number" AS NUMBER(38,0)) AS "number"
  FROM (SELECT "fiscal_days_2_2"."fiscal_quarter" AS "fiscal_quarter", "fiscal_days_2_2"."first" AS "first", ROW_NUMBER() OVER (ORDER BY "fiscal_days_2_2"."first" ASC NULLS LAST) AS "number" FROM (SELECT "fiscal_days_2"."fiscal_quarter" AS "fiscal_quarter", MIN("fiscal_days_2"."day_2") AS "first" FROM "fiscal_days_2" WHERE "fiscal_days_2"."fiscal_quarter" IS NOT NULL GROUP BY "fiscal_days_2"."fiscal_quarter") AS "fiscal_days_2_2") AS "fiscal_days_2_3"
),
"members" AS (
  SELECT "parts"."metric_time_fiscal_quarter" AS "metric_time_fiscal_quarter"
  FROM (SELECT "orders_by_metric_time_fiscal_quarter"."metric_time_fiscal_quarter" AS "metric_time_fiscal_quarter" FROM "orders_by_metric_time_fiscal_quarter"
UNION ALL SELECT "tickets_by_metric_time_fiscal_quarter"."metric_time_fiscal_quarter" AS "metric_time_fiscal_quarter" FROM "tickets_by_metric_time_fiscal_quarter") AS "parts"
)
SELECT "parts"."metric_time_fiscal_quarter" AS "metric_time_fiscal_quarter", MAX("parts"."revenue") AS "revenue", MAX("parts"."hours") AS "hours"
FROM (SELECT "orders_by_metric_time_fiscal_quarter"."metric_time_fiscal_quarter" AS "metric_time_fiscal_quarter", "orders_by_metric_time_fiscal_quarter"."revenue" AS "revenue", (SELECT MAX("tickets_by_metric_time_fiscal_quarter"."hours_2") FROM "tickets_by_metric_time_fiscal_quarter" WHERE 1 = 0) AS "hours" FROM "orders_by_metric_time_fiscal_quarter"
UNION ALL SELECT "tickets_by_metric_time_fiscal_quarter"."metric_time_fiscal_quarter" AS "metric_time_fiscal_quarter", (SELECT MAX("orders_by_metric_time_fiscal_quarter"."revenue") FROM "orders_by_metric_time_fiscal_quarter" WHERE 1 = 0) AS "revenue", "tickets_by_metric_time_fiscal_quarter"."hours_2" AS "hours" FROM "tickets_by_metric_time_fiscal_quarter"
UNION ALL SELECT "every_fiscal_quarter"."fiscal_quarter" AS "metric_time_fiscal_quarter", (SELECT MAX("orders_by_metric_time_fiscal_quarter"."revenue") FROM "orders_by_metric_time_fiscal_quarter" WHERE 1 = 0) AS "revenue", (SELECT MAX("tickets_by_metric_time_fiscal_quarter"."hours_2") FROM "tickets_by_metric_time_fiscal_quarter" WHERE 1 = 0) AS "hours" FROM "every_fiscal_quarter" CROSS JOIN (SELECT MIN("every_fiscal_quarter_2"."number") AS "least", MAX("every_fiscal_quarter_2"."number") AS "most" FROM "members" JOIN "every_fiscal_quarter" AS "every_fiscal_quarter_2" ON "members"."metric_time_fiscal_quarter" = "every_fiscal_quarter_2"."fiscal_quarter") AS "members_2" WHERE "every_fiscal_quarter"."number" >= "members_2"."least" AND "every_fiscal_quarter"."number" <= "members_2"."most") AS "parts"
GROUP BY "parts"."metric_time_fiscal_quarter"
ORDER BY "parts"."metric_time_fiscal_quarter" ASC NULLS LAST
LIMIT 1000

-- sqlite
WITH "fiscal_days_2" AS (
  SELECT "fiscal"."day" AS "day", CASE WHEN MIN("fiscal"."quarter") = MAX("fiscal"."quarter") THEN MAX("fiscal"."quarter") END AS "fiscal_quarter"
  FROM "fiscal_days" AS "fiscal"
  WHERE "fiscal"."day" IS NOT NULL
  GROUP BY "fiscal"."day"
),
"orders_by_metric_time_fiscal_quarter" AS (
  SELECT "fiscal_days_2_2"."fiscal_quarter" AS "metric_time_fiscal_quarter", SUM("orders"."amount") AS "revenue"
  FROM "orders" LEFT JOIN (SELECT "fiscal_days_2"."day" AS "day", "fiscal_days_2"."fiscal_quarter" AS "fiscal_quarter" FROM "fiscal_days_2") AS "fiscal_days_2_2" ON date("orders"."day") = "fiscal_days_2_2"."day"
  GROUP BY "fiscal_days_2_2"."fiscal_quarter"
),
"tickets_by_metric_time_fiscal_quarter" AS (
  SELECT "fiscal_days_2_2"."fiscal_quarter" AS "metric_time_fiscal_quarter", SUM("tickets"."hours") AS "hours_2"
  FROM "tickets" LEFT JOIN (SELECT "fiscal_days_2"."day" AS "day", "fiscal_days_2"."fiscal_quarter" AS "fiscal_quarter" FROM "fiscal_days_2") AS "fiscal_days_2_2" ON date("tickets"."day") = "fiscal_days_2_2"."day"
  GROUP BY "fiscal_days_2_2"."fiscal_quarter"
),
"every_fiscal_quarter" AS (
  SELECT "fiscal_days_2_3"."fiscal_quarter" AS "fiscal_quarter", CAST("fiscal_days_2_3"."number" AS INTEGER) AS "number"
  FROM (SELECT "fiscal_days_2_2"."fiscal_quarter" AS "fiscal_quarter", "fiscal_days_2_2"."first" AS "first", ROW_NUMBER() OVER (ORDER BY "fiscal_days_2_2"."first" ASC NULLS LAST) AS "number" FROM (SELECT "fiscal_days_2"."fiscal_quarter" AS "fiscal_quarter", MIN("fiscal_days_2"."day") AS "first" FROM "fiscal_days_2" WHERE "fiscal_days_2"."fiscal_quarter" IS NOT NULL GROUP BY "fiscal_days_2"."fiscal_quarter") AS "fiscal_days_2_2") AS "fiscal_days_2_3"
),
"members" AS (
  SELECT "parts"."metric_time_fiscal_quarter" AS "metric_time_fiscal_quarter"
  FROM (SELECT "orders_by_metric_time_fiscal_quarter"."metric_time_fiscal_quarter" AS "metric_time_fiscal_quarter" FROM "orders_by_metric_time_fiscal_quarter"
UNION ALL SELECT "tickets_by_metric_time_fiscal_quarter"."metric_time_fiscal_quarter" AS "metric_time_fiscal_quarter" FROM "tickets_by_metric_time_fiscal_quarter") AS "parts"
)
SELECT "parts"."metric_time_fiscal_quarter" AS "metric_time_fiscal_quarter", MAX("parts"."revenue") AS "revenue", MAX("parts"."hours") AS "hours"
FROM (SELECT "orders_by_metric_time_fiscal_quarter"."metric_time_fiscal_quarter" AS "metric_time_fiscal_quarter", "orders_by_metric_time_fiscal_quarter"."revenue" AS "revenue", (SELECT MAX("tickets_by_metric_time_fiscal_quarter"."hours_2") FROM "tickets_by_metric_time_fiscal_quarter" WHERE 1 = 0) AS "hours" FROM "orders_by_metric_time_fiscal_quarter"
UNION ALL SELECT "tickets_by_metric_time_fiscal_quarter"."metric_time_fiscal_quarter" AS "metric_time_fiscal_quarter", (SELECT MAX("orders_by_metric_time_fiscal_quarter"."revenue") FROM "orders_by_metric_time_fiscal_quarter" WHERE 1 = 0) AS "revenue", "tickets_by_metric_time_fiscal_quarter"."hours_2" AS "hours" FROM "tickets_by_metric_time_fiscal_quarter"
UNION ALL SELECT "every_fiscal_quarter"."fiscal_quarter" AS "metric_time_fiscal_quarter", (SELECT MAX("orders_by_metric_time_fiscal_quarter"."revenue") FROM "orders_by_metric_time_fiscal_quarter" WHERE 1 = 0) AS "revenue", (SELECT MAX("tickets_by_metric_time_fiscal_quarter"."hours_2") FROM "tickets_by_metric_time_fiscal_quarter" WHERE 1 = 0) AS "hours" FROM "every_fiscal_quarter" CROSS JOIN (SELECT MIN("every_fiscal_quarter_2"."number") AS "least", MAX("every_fiscal_quarter_2"."number") AS "most" FROM "members" JOIN "every_fiscal_quarter" AS "every_fiscal_quarter_2" ON "members"."metric_time_fiscal_quarter" = "every_fiscal_quarter_2"."fiscal_quarter") AS "members_2" WHERE "every_fiscal_quarter"."number" >= "members_2"."least" AND "every_fiscal_quarter"."number" <= "members_2"."most") AS "parts"
GROUP BY "parts"."metric_time_fiscal_quarter"
ORDER BY "parts"."metric_time_fiscal_quarter" ASC NULLS LAST
LIMIT 1000

-- sqlserver
WITH [fiscal_days_2] AS (
  SELECT [fiscal].[day] AS [day], CASE WHEN MIN([fiscal].[quarter]) = MAX([fiscal].[quarter]) THEN MAX([fiscal].[quarter]) END AS [fiscal_quarter]
  FROM [fiscal_days] AS [fiscal]
  WHERE [fiscal].[day] IS NOT NULL
  GROUP BY [fiscal].[day]
),
[orders_by_metric_time_fiscal_quarter] AS (
  SELECT [fiscal_days_2_2].[fiscal_quarter] AS [metric_time_fiscal_quarter], SUM([orders].[amount]) AS [revenue]
  FROM [orders] LEFT JOIN (SELECT [fiscal_days_2].[day] AS [day], [fiscal_days_2].[fiscal_quarter] AS [fiscal_quarter] FROM [fiscal_days_2]) AS [fiscal_days_2_2] ON CAST([orders].[day] AS date) = [fiscal_days_2_2].[day]
  GROUP BY [fiscal_days_2_2].[fiscal_quarter]
),
[tickets_by_metric_time_fiscal_quarter] AS (
  SELECT [fiscal_days_2_2].[fiscal_quarter] AS [metric_time_fiscal_quarter], SUM([tickets].[hours]) AS [hours_2]
  FROM [tickets] LEFT JOIN (SELECT [fiscal_days_2].[day] AS [day], [fiscal_days_2].[fiscal_quarter] AS [fiscal_quarter] FROM [fiscal_days_2]) AS [fiscal_days_2_2] ON CAST([tickets].[day] AS date) = [fiscal_days_2_2].[day]
  GROUP BY [fiscal_days_2_2].[fiscal_quarter]
),
[every_fiscal_quarter] AS (
  SELECT [fiscal_days_2_3].[fiscal_quarter] AS [fiscal_quarter], CAST([fiscal_days_2_3].[number] AS bigint) AS [number]
  FROM (SELECT [fiscal_days_2_2].[fiscal_quarter] AS [fiscal_quarter], [fiscal_days_2_2].[first] AS [first], ROW_NUMBER() OVER (ORDER BY CASE WHEN [fiscal_days_2_2].[first] IS NULL THEN 1 ELSE 0 END, [fiscal_days_2_2].[first] ASC) AS [number] FROM (SELECT [fiscal_days_2].[fiscal_quarter] AS [fiscal_quarter], MIN([fiscal_days_2].[day]) AS [first] FROM [fiscal_days_2] WHERE [fiscal_days_2].[fiscal_quarter] IS NOT NULL GROUP BY [fiscal_days_2].[fiscal_quarter]) AS [fiscal_days_2_2]) AS [fiscal_days_2_3]
),
[members] AS (
  SELECT [parts].[metric_time_fiscal_quarter] AS [metric_time_fiscal_quarter]
  FROM (SELECT [orders_by_metric_time_fiscal_quarter].[metric_time_fiscal_quarter] AS [metric_time_fiscal_quarter] FROM [orders_by_metric_time_fiscal_quarter]
UNION ALL SELECT [tickets_by_metric_time_fiscal_quarter].[metric_time_fiscal_quarter] AS [metric_time_fiscal_quarter] FROM [tickets_by_metric_time_fiscal_quarter]) AS [parts]
)
SELECT TOP (1000) [parts].[metric_time_fiscal_quarter] AS [metric_time_fiscal_quarter], MAX([parts].[revenue]) AS [revenue], MAX([parts].[hours]) AS [hours]
FROM (SELECT [orders_by_metric_time_fiscal_quarter].[metric_time_fiscal_quarter] AS [metric_time_fiscal_quarter], [orders_by_metric_time_fiscal_quarter].[revenue] AS [revenue], (SELECT MAX([tickets_by_metric_time_fiscal_quarter].[hours_2]) FROM [tickets_by_metric_time_fiscal_quarter] WHERE 1 = 0) AS [hours] FROM [orders_by_metric_time_fiscal_quarter]
UNION ALL SELECT [tickets_by_metric_time_fiscal_quarter].[metric_time_fiscal_quarter] AS [metric_time_fiscal_quarter], (SELECT MAX([orders_by_metric_time_fiscal_quarter].[revenue]) FROM [orders_by_metric_time_fiscal_quarter] WHERE 1 = 0) AS [revenue], [tickets_by_metric_time_fiscal_quarter].[hours_2] AS [hours] FROM [tickets_by_metric_time_fiscal_quarter]
UNION ALL SELECT [every_fiscal_quarter].[fiscal_quarter] AS [metric_time_fiscal_quarter], (SELECT MAX([orders_by_metric_time_fiscal_quarter].[revenue]) FROM [orders_by_metric_time_fiscal_quarter] WHERE 1 = 0) AS [revenue], (SELECT MAX([tickets_by_metric_time_fiscal_quarter].[hours_2]) FROM [tickets_by_metric_time_fiscal_quarter] WHERE 1 = 0) AS [hours] FROM [every_fiscal_quarter] CROSS JOIN (SELECT MIN([every_fiscal_quarter_2].[number]) AS [least], MAX([every_fiscal_quarter_2].[number]) AS [most] FROM [members] JOIN [every_fiscal_quarter] AS [every_fiscal_quarter_2] ON [members].[metric_time_fiscal_quarter] = [every_fiscal_quarter_2].[fiscal_quarter]) AS [members_2] WHERE [every_fiscal_quarter].[number] >= [members_2].[least] AND [every_fiscal_quarter].[number] <= [members_2].[most]) AS [parts]
GROUP BY [parts].[metric_time_fiscal_quarter]
ORDER BY CASE WHEN [parts].[metric_time_fiscal_quarter] IS NULL THEN 1 ELSE 0 END, [parts].[metric_time_fiscal_quarter] ASC

