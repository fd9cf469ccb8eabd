-- bigquery
-- unsupported_on_dialect: coalesce(…, 0) cannot be written in the bigquery dialect
-- write it in another way, or as a definition in the engine's own SQL

-- clickhouse
WITH `orders_by_segment_and_day_month` AS (
  SELECT `customers`.`segment` AS `segment`, makeDate32(toYear(`orders`.`day`), toMonth(`orders`.`day`), 1) AS `day_month`, toInt64(count(toNullable(1))) AS `order_count`
  FROM `orders` LEFT JOIN (SELECT toNullable(`customers`.`id`) AS `id`, toNullable(`customers`.`segment`) AS `segment` FROM `customers`) AS `customers` ON `orders`.`customer_id` = `customers`.`id`
  GROUP BY `customers`.`segment`, makeDate32(toYear(`orders`.`day`), toMonth(`orders`.`day`), 1)
),
`orders_by_segment_and_day_month_2` AS (
  SELECT `customers`.`segment` AS `segment`, addMonths(makeDate32(toYear(`orders`.`day`), toMonth(`orders`.`day`), 1), 1) AS `day_month`, sumOrNull(toNullable(`orders`.`amount`)) AS `revenue`
  FROM `orders` LEFT JOIN (SELECT toNullable(`customers`.`id`) AS `id`, toNullable(`customers`.`segment`) AS `segment` FROM `customers`) AS `customers` ON `orders`.`customer_id` = `customers`.`id`
  WHERE `orders`.`day` IS NOT NULL
  GROUP BY `customers`.`segment`, addMonths(makeDate32(toYear(`orders`.`day`), toMonth(`orders`.`day`), 1), 1)
),
`members` AS (
  SELECT `parts`.`segment` AS `segment`, `parts`.`day_month` AS `day_month`
  FROM (SELECT `orders_by_segment_and_day_month`.`segment` AS `segment`, `orders_by_segment_and_day_month`.`day_month` AS `day_month` FROM `orders_by_segment_and_day_month`
UNION ALL SELECT `orders_by_segment_and_day_month_2`.`segment` AS `segment`, `orders_by_segment_and_day_month_2`.`day_month` AS `day_month` FROM `orders_by_segment_and_day_month_2`) AS `parts`
)
SELECT `parts`.`segment` AS `segment`, `parts`.`day_month` AS `day_month`, coalesce(maxOrNull(`parts`.`order_count`), 0) AS `order_count`, maxOrNull(`parts`.`revenue`) AS `revenue_prev_month`
FROM (SELECT `orders_by_segment_and_day_month`.`segment` AS `segment`, `orders_by_segment_and_day_month`.`day_month` AS `day_month`, `orders_by_segment_and_day_month`.`order_count` AS `order_count`, (SELECT MAX(`orders_by_segment_and_day_month_2`.`revenue`) FROM `orders_by_segment_and_day_month_2` WHERE 1 = 0) AS `revenue` FROM `orders_by_segment_and_day_month`
UNION ALL SELECT `orders_by_segment_and_day_month_2`.`segment` AS `segment`, `orders_by_segment_and_day_month_2`.`day_month` AS `day_month`, CAST(NULL AS Nullable(Int64)) AS `order_count`, `orders_by_segment_and_day_month_2`.`revenue` AS `revenue` FROM `orders_by_segment_and_day_month_2`
UNION ALL SELECT `members_2`.`segment` AS `segment`, `periods`.period AS `day_month`, CAST(NULL AS Nullable(Int64)) AS `order_count`, (SELECT MAX(`orders_by_segment_and_day_month_2`.`revenue`) FROM `orders_by_segment_and_day_month_2` WHERE 1 = 0) AS `revenue` FROM (SELECT addMonths(makeDate32(toYear((SELECT minOrNull(`members`.`day_month`) AS `first_day_month` FROM `members`)), toMonth((SELECT minOrNull(`members`.`day_month`) AS `first_day_month` FROM `members`)), 1), number) AS period FROM numbers(toUInt64(ifNull(greatest(dateDiff('month', makeDate32(toYear((SELECT minOrNull(`members`.`day_month`) AS `first_day_month` FROM `members`)), toMonth((SELECT minOrNull(`members`.`day_month`) AS `first_day_month` FROM `members`)), 1), makeDate32(toYear((SELECT maxOrNull(`members`.`day_month`) AS `last_day_month` FROM `members`)), toMonth((SELECT maxOrNull(`members`.`day_month`) AS `last_day_month` FROM `members`)), 1)) + 1, 0), 0)))) AS `periods` CROSS JOIN (SELECT DISTINCT `members`.`segment` AS `segment` FROM `members`) AS `members_2`) AS `parts`
GROUP BY `parts`.`segment`, `parts`.`day_month`
ORDER BY `parts`.`segment` ASC NULLS LAST, `parts`.`day_month` ASC NULLS LAST
LIMIT 1000

-- duckdb
WITH "orders_by_segment_and_day_month" AS (
  SELECT "customers"."segment" AS "segment", CAST(date_trunc('month', "orders"."day") AS DATE) AS "day_month", COUNT(1) AS "order_count"
  FROM "orders" LEFT JOIN "customers" ON "orders"."customer_id" = "customers"."id"
  GROUP BY "customers"."segment", CAST(date_trunc('month', "orders"."day") AS DATE)
),
"orders_by_segment_and_day_month_2" AS (
  SELECT "customers"."segment" AS "segment", CAST(CAST(date_trunc('month', "orders"."day") AS DATE) + INTERVAL (1) month AS DATE) AS "day_month", SUM("orders"."amount") AS "revenue"
  FROM "orders" LEFT JOIN "customers" ON "orders"."customer_id" = "customers"."id"
  WHERE "orders"."day" IS NOT NULL
  GROUP BY "customers"."segment", CAST(CAST(date_trunc('month', "orders"."day") AS DATE) + INTERVAL (1) month AS DATE)
),
"members" AS (
  SELECT "parts"."segment" AS "segment", "parts"."day_month" AS "day_month"
  FROM (SELECT "orders_by_segment_and_day_month"."segment" AS "segment", "orders_by_segment_and_day_month"."day_month" AS "day_month" FROM "orders_by_segment_and_day_month"
UNION ALL SELECT "orders_by_segment_and_day_month_2"."segment" AS "segment", "orders_by_segment_and_day_month_2"."day_month" AS "day_month" FROM "orders_by_segment_and_day_month_2") AS "parts"
)
SELECT "parts"."segment" AS "segment", "parts"."day_month" AS "day_month", coalesce(MAX("parts"."order_count"), 0) AS "order_count", MAX("parts"."revenue") AS "revenue_prev_month"
FROM (SELECT "orders_by_segment_and_day_month"."segment" AS "segment", "orders_by_segment_and_day_month"."day_month" AS "day_month", "orders_by_segment_and_day_month"."order_count" AS "order_count", (SELECT MAX("orders_by_segment_and_day_month_2"."revenue") FROM "orders_by_segment_and_day_month_2" WHERE 1 = 0) AS "revenue" FROM "orders_by_segment_and_day_month"
UNION ALL SELECT "orders_by_segment_and_day_month_2"."segment" AS "segment", "orders_by_segment_and_day_month_2"."day_month" AS "day_month", CAST(NULL AS BIGINT) AS "order_count", "orders_by_segment_and_day_month_2"."revenue" AS "revenue" FROM "orders_by_segment_and_day_month_2"
UNION ALL SELECT "members_2"."segment" AS "segment", "periods".period AS "day_month", CAST(NULL AS BIGINT) AS "order_count", (SELECT MAX("orders_by_segment_and_day_month_2"."revenue") FROM "orders_by_segment_and_day_month_2" WHERE 1 = 0) AS "revenue" FROM (SELECT CAST(unnest(generate_series(CAST(date_trunc('month', (SELECT MIN("members"."day_month") AS "first_day_month" FROM "members")) AS DATE), CAST(date_trunc('month', (SELECT MAX("members"."day_month") AS "last_day_month" FROM "members")) AS DATE), INTERVAL 1 month)) AS DATE) AS period) AS "periods" CROSS JOIN (SELECT DISTINCT "members"."segment" AS "segment" FROM "members") AS "members_2") AS "parts"
GROUP BY "parts"."segment", "parts"."day_month"
ORDER BY "parts"."segment" ASC NULLS LAST, "parts"."day_month" ASC NULLS LAST
LIMIT 1000

-- mysql
WITH `orders_by_segment_and_day_month` AS (
  SELECT `orders_2`.`segment` AS `segment`, `orders_2`.`day_month` AS `day_month`, COUNT(`orders_2`.`order_count`) AS `order_count`
  FROM (SELECT `customers`.`segment` AS `segment`, CAST(DATE_FORMAT(`orders`.`day`, '%Y-%m-01') AS DATE) AS `day_month`, 1 AS `order_count` FROM `orders` LEFT JOIN `customers` ON `orders`.`customer_id` = `customers`.`id`) AS `orders_2`
  GROUP BY `orders_2`.`segment`, `orders_2`.`day_month`
),
`orders_by_segment_and_day_month_2` AS (
  SELECT `orders_2`.`segment` AS `segment`, `orders_2`.`day_month` AS `day_month`, SUM(`orders_2`.`revenue`) AS `revenue`
  FROM (SELECT `customers`.`segment` AS `segment`, DATE_ADD(CAST(DATE_FORMAT(`orders`.`day`, '%Y-%m-01') AS DATE), INTERVAL 1 MONTH) AS `day_month`, `orders`.`amount` AS `revenue` FROM `orders` LEFT JOIN `customers` ON `orders`.`customer_id` = `customers`.`id` WHERE `orders`.`day` IS NOT NULL) AS `orders_2`
  GROUP BY `orders_2`.`segment`, `orders_2`.`day_month`
),
`members` AS (
  SELECT `parts`.`segment` AS `segment`, `parts`.`day_month` AS `day_month`
  FROM (SELECT `orders_by_segment_and_day_month`.`segment` AS `segment`, `orders_by_segment_and_day_month`.`day_month` AS `day_month` FROM `orders_by_segment_and_day_month`
UNION ALL SELECT `orders_by_segment_and_day_month_2`.`segment` AS `segment`, `orders_by_segment_and_day_month_2`.`day_month` AS `day_month` FROM `orders_by_segment_and_day_month_2`) AS `parts`
)
SELECT `parts`.`segment` AS `segment`, `parts`.`day_month` AS `day_month`, COALESCE(MAX(`parts`.`order_count`), 0) AS `order_count`, MAX(`parts`.`revenue`) AS `revenue_prev_month`
FROM (SELECT `orders_by_segment_and_day_month`.`segment` AS `segment`, `orders_by_segment_and_day_month`.`day_month` AS `day_month`, `orders_by_segment_and_day_month`.`order_count` AS `order_count`, (SELECT MAX(`orders_by_segment_and_day_month_2`.`revenue`) FROM `orders_by_segment_and_day_month_2` WHERE 1 = 0) AS `revenue` FROM `orders_by_segment_and_day_month`
UNION ALL SELECT `orders_by_segment_and_day_month_2`.`segment` AS `segment`, `orders_by_segment_and_day_month_2`.`day_month` AS `day_month`, CAST(NULL AS SIGNED) AS `order_count`, `orders_by_segment_and_day_month_2`.`revenue` AS `revenue` FROM `orders_by_segment_and_day_month_2`
UNION ALL SELECT `members_2`.`segment` AS `segment`, `periods`.period AS `day_month`, CAST(NULL AS SIGNED) AS `order_count`, (SELECT MAX(`orders_by_segment_and_day_month_2`.`revenue`) FROM `orders_by_segment_and_day_month_2` WHERE 1 = 0) AS `revenue` FROM (SELECT DATE_ADD(b.lo, INTERVAL n.i - 1 MONTH) AS period FROM (SELECT CAST(DATE_FORMAT((SELECT MIN(`members`.`day_month`) AS `first_day_month` FROM `members`), '%Y-%m-01') AS DATE) AS lo, CAST(DATE_FORMAT((SELECT MAX(`members`.`day_month`) AS `last_day_month` FROM `members`), '%Y-%m-01') AS DATE) AS hi) AS b JOIN JSON_TABLE(CONCAT('[0', REPEAT(',0', TIMESTAMPDIFF(MONTH, b.lo, b.hi)), ']'), '$[*]' COLUMNS (i FOR ORDINALITY)) AS n WHERE b.lo <= b.hi) AS `periods` CROSS JOIN (SELECT DISTINCT `members`.`segment` AS `segment` FROM `members`) AS `members_2`) AS `parts`
GROUP BY `parts`.`segment`, `parts`.`day_month`
ORDER BY `parts`.`segment` IS NULL, `parts`.`segment` ASC, `parts`.`day_month` IS NULL, `parts`.`day_month` ASC
LIMIT 1000

-- postgres
WITH "orders_by_segment_and_day_month" AS (
  SELECT "customers"."segment" AS "segment", CAST(date_trunc('month', "orders"."day") AS date) AS "day_month", COUNT(1) AS "order_count"
  FROM "orders" LEFT JOIN "customers" ON "orders"."customer_id" = "customers"."id"
  GROUP BY "customers"."segment", CAST(date_trunc('month', "orders"."day") AS date)
),
"orders_by_segment_and_day_month_2" AS (
  SELECT "customers"."segment" AS "segment", CAST(CAST(date_trunc('month', "orders"."day") AS date) + make_interval(months => 1) AS date) AS "day_month", SUM("orders"."amount") AS "revenue"
  FROM "orders" LEFT JOIN "customers" ON "orders"."customer_id" = "customers"."id"
  WHERE "orders"."day" IS NOT NULL
  GROUP BY "customers"."segment", CAST(CAST(date_trunc('month', "orders"."day") AS date) + make_interval(months => 1) AS date)
),
"members" AS (
  SELECT "parts"."segment" AS "segment", "parts"."day_month" AS "day_month"
  FROM (SELECT "orders_by_segment_and_day_month"."segment" AS "segment", "orders_by_segment_and_day_month"."day_month" AS "day_month" FROM "orders_by_segment_and_day_month"
UNION ALL SELECT "orders_by_segment_and_day_month_2"."segment" AS "segment", "orders_by_segment_and_day_month_2"."day_month" AS "day_month" FROM "orders_by_segment_and_day_month_2") AS "parts"
)
SELECT "parts"."segment" AS "segment", "parts"."day_month" AS "day_month", coalesce(MAX("parts"."order_count"), 0) AS "order_count", MAX("parts"."revenue") AS "revenue_prev_month"
FROM (SELECT "orders_by_segment_and_day_month"."segment" AS "segment", "orders_by_segment_and_day_month"."day_month" AS "day_month", "orders_by_segment_and_day_month"."order_count" AS "order_count", (SELECT MAX("orders_by_segment_and_day_month_2"."revenue") FROM "orders_by_segment_and_day_month_2" WHERE 1 = 0) AS "revenue" FROM "orders_by_segment_and_day_month"
UNION ALL SELECT "orders_by_segment_and_day_month_2"."segment" AS "segment", "orders_by_segment_and_day_month_2"."day_month" AS "day_month", CAST(NULL AS bigint) AS "order_count", "orders_by_segment_and_day_month_2"."revenue" AS "revenue" FROM "orders_by_segment_and_day_month_2"
UNION ALL SELECT "members_2"."segment" AS "segment", "periods".period AS "day_month", CAST(NULL AS bigint) AS "order_count", (SELECT MAX("orders_by_segment_and_day_month_2"."revenue") FROM "orders_by_segment_and_day_month_2" WHERE 1 = 0) AS "revenue" FROM (SELECT CAST(p AS date) AS period FROM generate_series(CAST(CAST(date_trunc('month', (SELECT MIN("members"."day_month") AS "first_day_month" FROM "members")) AS date) AS timestamp), CAST(CAST(date_trunc('month', (SELECT MAX("members"."day_month") AS "last_day_month" FROM "members")) AS date) AS timestamp), INTERVAL '1 month') AS s (p)) AS "periods" CROSS JOIN (SELECT DISTINCT "members"."segment" AS "segment" FROM "members") AS "members_2") AS "parts"
GROUP BY "parts"."segment", "parts"."day_month"
ORDER BY "parts"."segment" ASC NULLS LAST, "parts"."day_month" ASC NULLS LAST
LIMIT 1000

-- snowflake
-- unsupported_on_dialect: coalesce(…, 0) cannot be written in the snowflake dialect
-- write it in another way, or as a definition in the engine's own SQL

-- sqlite
WITH "orders_by_segment_and_day_month" AS (
  SELECT "customers"."segment" AS "segment", date("orders"."day", 'start of month') AS "day_month", COUNT(1) AS "order_count"
  FROM "orders" LEFT JOIN "customers" ON "orders"."customer_id" = "customers"."id"
  GROUP BY "customers"."segment", date("orders"."day", 'start of month')
),
"orders_by_segment_and_day_month_2" AS (
  SELECT "customers"."segment" AS "segment", date(date("orders"."day", 'start of month'), (1) || ' months', 'floor') AS "day_month", SUM("orders"."amount") AS "revenue"
  FROM "orders" LEFT JOIN "customers" ON "orders"."customer_id" = "customers"."id"
  WHERE "orders"."day" IS NOT NULL
  GROUP BY "customers"."segment", date(date("orders"."day", 'start of month'), (1) || ' months', 'floor')
),
"members" AS (
  SELECT "parts"."segment" AS "segment", "parts"."day_month" AS "day_month"
  FROM (SELECT "orders_by_segment_and_day_month"."segment" AS "segment", "orders_by_segment_and_day_month"."day_month" AS "day_month" FROM "orders_by_segment_and_day_month"
UNION ALL SELECT "orders_by_segment_and_day_month_2"."segment" AS "segment", "orders_by_segment_and_day_month_2"."day_month" AS "day_month" FROM "orders_by_segment_and_day_month_2") AS "parts"
)
SELECT "parts"."segment" AS "segment", "parts"."day_month" AS "day_month", coalesce(MAX("parts"."order_count"), 0) AS "order_count", MAX("parts"."revenue") AS "revenue_prev_month"
FROM (SELECT "orders_by_segment_and_day_month"."segment" AS "segment", "orders_by_segment_and_day_month"."day_month" AS "day_month", "orders_by_segment_and_day_month"."order_count" AS "order_count", (SELECT MAX("orders_by_segment_and_day_month_2"."revenue") FROM "orders_by_segment_and_day_month_2" WHERE 1 = 0) AS "revenue" FROM "orders_by_segment_and_day_month"
UNION ALL SELECT "orders_by_segment_and_day_month_2"."segment" AS "segment", "orders_by_segment_and_day_month_2"."day_month" AS "day_month", CAST(NULL AS INTEGER) AS "order_count", "orders_by_segment_and_day_month_2"."revenue" AS "revenue" FROM "orders_by_segment_and_day_month_2"
UNION ALL SELECT "members_2"."segment" AS "segment", "periods".period AS "day_month", CAST(NULL AS INTEGER) AS "order_count", (SELECT MAX("orders_by_segment_and_day_month_2"."revenue") FROM "orders_by_segment_and_day_month_2" WHERE 1 = 0) AS "revenue" FROM (WITH RECURSIVE spine (period) AS (SELECT date(date((SELECT MIN("members"."day_month") AS "first_day_month" FROM "members"), 'start of month')) WHERE date(date((SELECT MIN("members"."day_month") AS "first_day_month" FROM "members"), 'start of month')) <= date(date((SELECT MAX("members"."day_month") AS "last_day_month" FROM "members"), 'start of month')) UNION ALL SELECT date(period, (1) || ' months') FROM spine WHERE date(period, (1) || ' months') <= date(date((SELECT MAX("members"."day_month") AS "last_day_month" FROM "members"), 'start of month'))) SELECT period FROM spine) AS "periods" CROSS JOIN (SELECT DISTINCT "members"."segment" AS "segment" FROM "members") AS "members_2") AS "parts"
GROUP BY "parts"."segment", "parts"."day_month"
ORDER BY "parts"."segment" ASC NULLS LAST, "parts"."day_month" ASC NULLS LAST
LIMIT 1000

-- sqlserver
-- unsupported_on_dialect: coalesce(…, 0) cannot be written in the sqlserver dialect
-- write it in another way, or as a definition in the engine's own SQL

