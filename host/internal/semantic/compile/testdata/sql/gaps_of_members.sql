-- bigquery
WITH `orders_by_month` AS (
  SELECT DATE_TRUNC(CAST(CAST(`orders`.`day` AS DATE) AS DATE), MONTH) AS `month`, `customers`.`segment` AS `segment`, COUNT(1) AS `order_count`, SUM(`orders`.`amount`) AS `revenue`
  FROM `orders` LEFT JOIN `customers` ON `orders`.`customer_id` = `customers`.`id`
  GROUP BY DATE_TRUNC(CAST(CAST(`orders`.`day` AS DATE) AS DATE), MONTH), `customers`.`segment`
),
`orders_by_segment_and_day_month` AS (
  SELECT `orders_by_month`.`segment` AS `segment`, `orders_by_month`.`month` AS `day_month`, `orders_by_month`.`order_count` AS `order_count`
  FROM `orders_by_month`
),
`orders_by_segment_and_day_month_2` AS (
  SELECT `orders_by_month`.`segment` AS `segment`, DATE_ADD(`orders_by_month`.`month`, INTERVAL 1 MONTH) AS `day_month`, `orders_by_month`.`revenue` AS `revenue`
  FROM `orders_by_month`
  WHERE `orders_by_month`.`month` IS NOT NULL
),
`members` AS (
  SELECT `parts`.`segment` AS `segment`, `parts`.`day_month` AS `day_month`
  FROM (SELECT `orders_by_segment_and_day_month`.`segment` AS `segment`, `orders_by_segment_and_day_month`.`day_month` AS `day_month` FROM `orders_by_segment_and_day_month`
UNION ALL SELECT `orders_by_segment_and_day_month_2`.`segment` AS `segment`, `orders_by_segment_and_day_month_2`.`day_month` AS `day_month` FROM `orders_by_segment_and_day_month_2`) AS `parts`
)
SELECT `parts`.`segment` AS `segment`, `parts`.`day_month` AS `day_month`, COALESCE(MAX(`parts`.`order_count`), 0) AS `order_count`, MAX(`parts`.`revenue`) AS `revenue_prev_month`
FROM (SELECT `orders_by_segment_and_day_month`.`segment` AS `segment`, `orders_by_segment_and_day_month`.`day_month` AS `day_month`, `orders_by_segment_and_day_month`.`order_count` AS `order_count`, (SELECT MAX(`orders_by_segment_and_day_month_2`.`revenue`) FROM `orders_by_segment_and_day_month_2` WHERE 1 = 0) AS `revenue` FROM `orders_by_segment_and_day_month`
UNION ALL SELECT `orders_by_segment_and_day_month_2`.`segment` AS `segment`, `orders_by_segment_and_day_month_2`.`day_month` AS `day_month`, CAST(NULL AS INT64) AS `order_count`, `orders_by_segment_and_day_month_2`.`revenue` AS `revenue` FROM `orders_by_segment_and_day_month_2`
UNION ALL SELECT `members_2`.`segment` AS `segment`, `periods`.period AS `day_month`, CAST(NULL AS INT64) AS `order_count`, (SELECT MAX(`orders_by_segment_and_day_month_2`.`revenue`) FROM `orders_by_segment_and_day_month_2` WHERE 1 = 0) AS `revenue` FROM (SELECT period FROM UNNEST(GENERATE_DATE_ARRAY(DATE_TRUNC(CAST((SELECT MIN(`members`.`day_month`) AS `first_day_month` FROM `members`) AS DATE), MONTH), DATE_TRUNC(CAST((SELECT MAX(`members`.`day_month`) AS `last_day_month` FROM `members`) AS DATE), MONTH), INTERVAL 1 MONTH)) AS period) AS `periods` CROSS JOIN (SELECT DISTINCT `members`.`segment` AS `segment` FROM `members`) AS `members_2`) AS `parts`
GROUP BY `parts`.`segment`, `parts`.`day_month`
ORDER BY `parts`.`segment` ASC NULLS LAST, `parts`.`day_month` ASC NULLS LAST
LIMIT 1000

-- clickhouse
WITH `orders_by_month` AS (
  SELECT makeDate32(toYear(toDate32(`orders`.`day`)), toMonth(toDate32(`orders`.`day`)), 1) AS `month`, `customers`.`segment` AS `segment`, toInt64(count(toNullable(1))) AS `order_count`, sumOrNull(toNullable(`orders`.`amount`)) AS `revenue`
  FROM `orders` LEFT JOIN (SELECT toNullable(`customers`.`id`) AS `id`, toNullable(`customers`.`segment`) AS `segment` FROM `customers`) AS `customers` ON `orders`.`customer_id` = `customers`.`id`
  GROUP BY makeDate32(toYear(toDate32(`orders`.`day`)), toMonth(toDate32(`orders`.`day`)), 1), `customers`.`segment`
),
`orders_by_segment_and_day_month` AS (
  SELECT `orders_by_month`.`segment` AS `segment`, `orders_by_month`.`month` AS `day_month`, `orders_by_month`.`order_count` AS `order_count`
  FROM `orders_by_month`
),
`orders_by_segment_and_day_month_2` AS (
  SELECT `orders_by_month`.`segment` AS `segment`, addMonths(`orders_by_month`.`month`, 1) AS `day_month`, `orders_by_month`.`revenue` AS `revenue`
  FROM `orders_by_month`
  WHERE `orders_by_month`.`month` IS NOT NULL
),
`members` AS (
  SELECT `parts`.`segment` AS `segment`
  FROM (SELECT `orders_by_segment_and_day_month`.`segment` AS `segment` FROM `orders_by_segment_and_day_month`
UNION ALL SELECT `orders_by_segment_and_day_month_2`.`segment` AS `segment` FROM `orders_by_segment_and_day_month_2`) AS `parts`
)
SELECT `parts`.`segment` AS `segment`, `parts`.`day_month` AS `day_month`, coalesce(maxOrNull(`parts`.`order_count`), 0) AS `order_count`, maxOrNull(`parts`.`revenue`) AS `revenue_prev_month`
FROM (SELECT `orders_by_segment_and_day_month`.`segment` AS `segment`, `orders_by_segment_and_day_month`.`day_month` AS `day_month`, `orders_by_segment_and_day_month`.`order_count` AS `order_count`, (SELECT MAX(`orders_by_segment_and_day_month_2`.`revenue`) FROM `orders_by_segment_and_day_month_2` WHERE 1 = 0) AS `revenue` FROM `orders_by_segment_and_day_month`
UNION ALL SELECT `orders_by_segment_and_day_month_2`.`segment` AS `segment`, `orders_by_segment_and_day_month_2`.`day_month` AS `day_month`, CAST(NULL AS Nullable(Int64)) AS `order_count`, `orders_by_segment_and_day_month_2`.`revenue` AS `revenue` FROM `orders_by_segment_and_day_month_2`
UNION ALL SELECT `members_2`.`segment` AS `segment`, `periods`.period AS `day_month`, CAST(NULL AS Nullable(Int64)) AS `order_count`, (SELECT MAX(`orders_by_segment_and_day_month_2`.`revenue`) FROM `orders_by_segment_and_day_month_2` WHERE 1 = 0) AS `revenue` FROM (WITH (SELECT (makeDate32(toYear(`ends`.`first_day_month`), toMonth(`ends`.`first_day_month`), 1), makeDate32(toYear(`ends`.`last_day_month`), toMonth(`ends`.`last_day_month`), 1)) FROM (SELECT minOrNull(`parts`.`day_month`) AS `first_day_month`, maxOrNull(`parts`.`day_month`) AS `last_day_month` FROM (SELECT makeDate32(toYear(toDate32(`orders`.`day`)), toMonth(toDate32(`orders`.`day`)), 1) AS `day_month` FROM `orders` LEFT JOIN (SELECT toNullable(`customers`.`id`) AS `id`, toNullable(`customers`.`segment`) AS `segment` FROM `customers`) AS `customers` ON `orders`.`customer_id` = `customers`.`id`
UNION ALL SELECT addMonths(makeDate32(toYear(toDate32(`orders`.`day`)), toMonth(toDate32(`orders`.`day`)), 1), 1) AS `day_month` FROM `orders` LEFT JOIN (SELECT toNullable(`customers`.`id`) AS `id`, toNullable(`customers`.`segment`) AS `segment` FROM `customers`) AS `customers` ON `orders`.`customer_id` = `customers`.`id` WHERE makeDate32(toYear(toDate32(`orders`.`day`)), toMonth(toDate32(`orders`.`day`)), 1) IS NOT NULL) AS `parts`) AS `ends`) AS loam_ends SELECT addMonths(loam_ends.1, arrayJoin(range(toUInt64(ifNull(greatest(dateDiff('month', loam_ends.1, loam_ends.2) + 1, 0), 0))))) AS period) AS `periods` CROSS JOIN (SELECT DISTINCT `members`.`segment` AS `segment` FROM `members`) AS `members_2`) AS `parts`
GROUP BY `parts`.`segment`, `parts`.`day_month`
ORDER BY `parts`.`segment` ASC NULLS LAST, `parts`.`day_month` ASC NULLS LAST
LIMIT 1000

-- duckdb
WITH "orders_by_month" AS (
  SELECT CAST(date_trunc('month', CAST(date_trunc('day', "orders"."day") AS DATE)) AS DATE) AS "month", "customers"."segment" AS "segment", COUNT(1) AS "order_count", SUM("orders"."amount") AS "revenue"
  FROM "orders" LEFT JOIN "customers" ON "orders"."customer_id" = "customers"."id"
  GROUP BY CAST(date_trunc('month', CAST(date_trunc('day', "orders"."day") AS DATE)) AS DATE), "customers"."segment"
),
"orders_by_segment_and_day_month" AS (
  SELECT "orders_by_month"."segment" AS "segment", "orders_by_month"."month" AS "day_month", "orders_by_month"."order_count" AS "order_count"
  FROM "orders_by_month"
),
"orders_by_segment_and_day_month_2" AS (
  SELECT "orders_by_month"."segment" AS "segment", CAST("orders_by_month"."month" + INTERVAL (1) month AS DATE) AS "day_month", "orders_by_month"."revenue" AS "revenue"
  FROM "orders_by_month"
  WHERE "orders_by_month"."month" IS NOT NULL
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
WITH `orders_by_month` AS (
  SELECT `orders_2`.`month` AS `month`, `orders_2`.`segment` AS `segment`, COUNT(`orders_2`.`order_count`) AS `order_count`, SUM(`orders_2`.`revenue`) AS `revenue`
  FROM (SELECT CAST(DATE_FORMAT(DATE(`orders`.`day`), '%Y-%m-01') AS DATE) AS `month`, `customers`.`segment` AS `segment`, 1 AS `order_count`, `orders`.`amount` AS `revenue` FROM `orders` LEFT JOIN `customers` ON `orders`.`customer_id` = `customers`.`id`) AS `orders_2`
  GROUP BY `orders_2`.`month`, `orders_2`.`segment`
),
`orders_by_segment_and_day_month` AS (
  SELECT `orders_by_month`.`segment` AS `segment`, `orders_by_month`.`month` AS `day_month`, `orders_by_month`.`order_count` AS `order_count`
  FROM `orders_by_month`
),
`orders_by_segment_and_day_month_2` AS (
  SELECT `orders_by_month`.`segment` AS `segment`, DATE_ADD(`orders_by_month`.`month`, INTERVAL 1 MONTH) AS `day_month`, `orders_by_month`.`revenue` AS `revenue`
  FROM `orders_by_month`
  WHERE `orders_by_month`.`month` IS NOT NULL
),
`members` AS (
  SELECT `parts`.`segment` AS `segment`
  FROM (SELECT `orders_by_segment_and_day_month`.`segment` AS `segment` FROM `orders_by_segment_and_day_month`
UNION ALL SELECT `orders_by_segment_and_day_month_2`.`segment` AS `segment` FROM `orders_by_segment_and_day_month_2`) AS `parts`
)
SELECT `parts`.`segment` AS `segment`, `parts`.`day_month` AS `day_month`, COALESCE(MAX(`parts`.`order_count`), 0) AS `order_count`, MAX(`parts`.`revenue`) AS `revenue_prev_month`
FROM (SELECT `orders_by_segment_and_day_month`.`segment` AS `segment`, `orders_by_segment_and_day_month`.`day_month` AS `day_month`, `orders_by_segment_and_day_month`.`order_count` AS `order_count`, (SELECT MAX(`orders_by_segment_and_day_month_2`.`revenue`) FROM `orders_by_segment_and_day_month_2` WHERE 1 = 0) AS `revenue` FROM `orders_by_segment_and_day_month`
UNION ALL SELECT `orders_by_segment_and_day_month_2`.`segment` AS `segment`, `orders_by_segment_and_day_month_2`.`day_month` AS `day_month`, CAST(NULL AS SIGNED) AS `order_count`, `orders_by_segment_and_day_month_2`.`revenue` AS `revenue` FROM `orders_by_segment_and_day_month_2`
UNION ALL SELECT `members_2`.`segment` AS `segment`, `periods`.period AS `day_month`, CAST(NULL AS SIGNED) AS `order_count`, (SELECT MAX(`orders_by_segment_and_day_month_2`.`revenue`) FROM `orders_by_segment_and_day_month_2` WHERE 1 = 0) AS `revenue` FROM (SELECT DATE_ADD(b.lo, INTERVAL n.i - 1 MONTH) AS period FROM (SELECT CAST(DATE_FORMAT(`ends`.`first_day_month`, '%Y-%m-01') AS DATE) AS lo, CAST(DATE_FORMAT(`ends`.`last_day_month`, '%Y-%m-01') AS DATE) AS hi FROM (SELECT MIN(`parts`.`day_month`) AS `first_day_month`, MAX(`parts`.`day_month`) AS `last_day_month` FROM (SELECT CAST(DATE_FORMAT(DATE(`orders`.`day`), '%Y-%m-01') AS DATE) AS `day_month` FROM `orders` LEFT JOIN `customers` ON `orders`.`customer_id` = `customers`.`id`
UNION ALL SELECT DATE_ADD(CAST(DATE_FORMAT(DATE(`orders`.`day`), '%Y-%m-01') AS DATE), INTERVAL 1 MONTH) AS `day_month` FROM `orders` LEFT JOIN `customers` ON `orders`.`customer_id` = `customers`.`id` WHERE CAST(DATE_FORMAT(DATE(`orders`.`day`), '%Y-%m-01') AS DATE) IS NOT NULL) AS `parts`) AS `ends`) AS b JOIN JSON_TABLE(CONCAT('[0', REPEAT(',0', TIMESTAMPDIFF(MONTH, b.lo, b.hi)), ']'), '$[*]' COLUMNS (i FOR ORDINALITY)) AS n WHERE b.lo <= b.hi) AS `periods` CROSS JOIN (SELECT DISTINCT `members`.`segment` AS `segment` FROM `members`) AS `members_2`) AS `parts`
GROUP BY `parts`.`segment`, `parts`.`day_month`
ORDER BY `parts`.`segment` IS NULL, `parts`.`segment` ASC, `parts`.`day_month` IS NULL, `parts`.`day_month` ASC
LIMIT 1000

-- postgres
WITH "orders_by_month" AS (
  SELECT CAST(date_trunc('month', CAST("orders"."day" AS date)) AS date) AS "month", "customers"."segment" AS "segment", COUNT(1) AS "order_count", SUM("orders"."amount") AS "revenue"
  FROM "orders" LEFT JOIN "customers" ON "orders"."customer_id" = "customers"."id"
  GROUP BY CAST(date_trunc('month', CAST("orders"."day" AS date)) AS date), "customers"."segment"
),
"orders_by_segment_and_day_month" AS (
  SELECT "orders_by_month"."segment" AS "segment", "orders_by_month"."month" AS "day_month", "orders_by_month"."order_count" AS "order_count"
  FROM "orders_by_month"
),
"orders_by_segment_and_day_month_2" AS (
  SELECT "orders_by_month"."segment" AS "segment", CAST("orders_by_month"."month" + make_interval(months => 1) AS date) AS "day_month", "orders_by_month"."revenue" AS "revenue"
  FROM "orders_by_month"
  WHERE "orders_by_month"."month" IS NOT NULL
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
WITH "orders_by_month" AS (
  SELECT DATE_TRUNC('MONTH', DATE_TRUNC('DAY', "orders"."DAY")::DATE)::DATE AS "month", "customers"."SEGMENT" AS "segment_2", COUNT(1) AS "order_count", SUM("orders"."AMOUNT") AS "revenue"
  FROM "ORDERS" AS "orders" LEFT JOIN "CUSTOMERS" AS "customers" ON "orders"."CUSTOMER_ID" = "customers"."ID"
  GROUP BY DATE_TRUNC('MONTH', DATE_TRUNC('DAY', "orders"."DAY")::DATE)::DATE, "customers"."SEGMENT"
),
"orders_by_segment_and_day_month" AS (
  SELECT "orders_by_month"."segment_2" AS "segment", "orders_by_month"."month" AS "day_month", "orders_by_month"."order_count" AS "order_count"
  FROM "orders_by_month"
),
"orders_by_segment_and_day_month_2" AS (
  SELECT "orders_by_month"."segment_2" AS "segment", DATEADD(MONTH, 1, "orders_by_month"."month") AS "day_month", "orders_by_month"."revenue" AS "revenue"
  FROM "orders_by_month"
  WHERE "orders_by_month"."month" IS NOT NULL
),
"members" AS (
  SELECT "parts"."segment" AS "segment", "parts"."day_month" AS "day_month"
  FROM (SELECT "orders_by_segment_and_day_month"."segment" AS "segment", "orders_by_segment_and_day_month"."day_month" AS "day_month" FROM "orders_by_segment_and_day_month"
UNION ALL SELECT "orders_by_segment_and_day_month_2"."segment" AS "segment", "orders_by_segment_and_day_month_2"."day_month" AS "day_month" FROM "orders_by_segment_and_day_month_2") AS "parts"
)
SELECT "parts"."segment" AS "segment", "parts"."day_month" AS "day_month", COALESCE(MAX("parts"."order_count"), 0) AS "order_count", MAX("parts"."revenue") AS "revenue_prev_month"
FROM (SELECT "orders_by_segment_and_day_month"."segment" AS "segment", "orders_by_segment_and_day_month"."day_month" AS "day_month", "orders_by_segment_and_day_month"."order_count" AS "order_count", (SELECT MAX("orders_by_segment_and_day_month_2"."revenue") FROM "orders_by_segment_and_day_month_2" WHERE 1 = 0) AS "revenue" FROM "orders_by_segment_and_day_month"
UNION ALL SELECT "orders_by_segment_and_day_month_2"."segment" AS "segment", "orders_by_segment_and_day_month_2"."day_month" AS "day_month", CAST(NULL AS NUMBER(38,0)) AS "order_count", "orders_by_segment_and_day_month_2"."revenue" AS "revenue" FROM "orders_by_segment_and_day_month_2"
UNION ALL SELECT "members_2"."segment" AS "segment", "periods".period AS "day_month", CAST(NULL AS NUMBER(38,0)) AS "order_count", (SELECT MAX("orders_by_segment_and_day_month_2"."revenue") FROM "orders_by_segment_and_day_month_2" WHERE 1 = 0) AS "revenue" FROM (SELECT DATEADD(MONTH, ROW_NUMBER() OVER (ORDER BY NULL) - 1, DATE_TRUNC('MONTH', (SELECT MIN("members"."day_month") AS "first_day_month" FROM "members"))::DATE) AS period FROM TABLE(GENERATOR(ROWCOUNT => 100000)) QUALIFY period <= DATE_TRUNC('MONTH', (SELECT MAX("members"."day_month") AS "last_day_month" FROM "members"))::DATE) AS "periods" CROSS JOIN (SELECT DISTINCT "members"."segment" AS "segment" FROM "members") AS "members_2") AS "parts"
GROUP BY "parts"."segment", "parts"."day_month"
ORDER BY "parts"."segment" ASC NULLS LAST, "parts"."day_month" ASC NULLS LAST
LIMIT 1000

-- sqlite
WITH "orders_by_month" AS (
  SELECT date(date("orders"."day"), 'start of month') AS "month", "customers"."segment" AS "segment", COUNT(1) AS "order_count", SUM("orders"."amount") AS "revenue"
  FROM "orders" LEFT JOIN "customers" ON "orders"."customer_id" = "customers"."id"
  GROUP BY date(date("orders"."day"), 'start of month'), "customers"."segment"
),
"orders_by_segment_and_day_month" AS (
  SELECT "orders_by_month"."segment" AS "segment", "orders_by_month"."month" AS "day_month", "orders_by_month"."order_count" AS "order_count"
  FROM "orders_by_month"
),
"orders_by_segment_and_day_month_2" AS (
  SELECT "orders_by_month"."segment" AS "segment", date("orders_by_month"."month", (1) || ' months', 'floor') AS "day_month", "orders_by_month"."revenue" AS "revenue"
  FROM "orders_by_month"
  WHERE "orders_by_month"."month" IS NOT NULL
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
WITH [orders_by_month] AS (
  SELECT [orders_2].[month] AS [month], [orders_2].[segment] AS [segment], COUNT_BIG([orders_2].[order_count]) AS [order_count], SUM([orders_2].[revenue]) AS [revenue]
  FROM (SELECT DATETRUNC(month, CAST(CAST([orders].[day] AS date) AS date)) AS [month], [customers].[segment] AS [segment], 1 AS [order_count], [orders].[amount] AS [revenue] FROM [orders] LEFT JOIN [customers] ON [orders].[customer_id] = [customers].[id]) AS [orders_2]
  GROUP BY [orders_2].[month], [orders_2].[segment]
),
[orders_by_segment_and_day_month] AS (
  SELECT [orders_by_month].[segment] AS [segment], [orders_by_month].[month] AS [day_month], [orders_by_month].[order_count] AS [order_count]
  FROM [orders_by_month]
),
[orders_by_segment_and_day_month_2] AS (
  SELECT [orders_by_month].[segment] AS [segment], DATEADD(MONTH, 1, [orders_by_month].[month]) AS [day_month], [orders_by_month].[revenue] AS [revenue]
  FROM [orders_by_month]
  WHERE [orders_by_month].[month] IS NOT NULL
),
[members] AS (
  SELECT [parts].[segment] AS [segment], [parts].[day_month] AS [day_month]
  FROM (SELECT [orders_by_segment_and_day_month].[segment] AS [segment], [orders_by_segment_and_day_month].[day_month] AS [day_month] FROM [orders_by_segment_and_day_month]
UNION ALL SELECT [orders_by_segment_and_day_month_2].[segment] AS [segment], [orders_by_segment_and_day_month_2].[day_month] AS [day_month] FROM [orders_by_segment_and_day_month_2]) AS [parts]
)
SELECT TOP (1000) [parts].[segment] AS [segment], [parts].[day_month] AS [day_month], COALESCE(MAX([parts].[order_count]), 0) AS [order_count], MAX([parts].[revenue]) AS [revenue_prev_month]
FROM (SELECT [orders_by_segment_and_day_month].[segment] AS [segment], [orders_by_segment_and_day_month].[day_month] AS [day_month], [orders_by_segment_and_day_month].[order_count] AS [order_count], (SELECT MAX([orders_by_segment_and_day_month_2].[revenue]) FROM [orders_by_segment_and_day_month_2] WHERE 1 = 0) AS [revenue] FROM [orders_by_segment_and_day_month]
UNION ALL SELECT [orders_by_segment_and_day_month_2].[segment] AS [segment], [orders_by_segment_and_day_month_2].[day_month] AS [day_month], CAST(NULL AS bigint) AS [order_count], [orders_by_segment_and_day_month_2].[revenue] AS [revenue] FROM [orders_by_segment_and_day_month_2]
UNION ALL SELECT [members_2].[segment] AS [segment], [periods].period AS [day_month], CAST(NULL AS bigint) AS [order_count], (SELECT MAX([orders_by_segment_and_day_month_2].[revenue]) FROM [orders_by_segment_and_day_month_2] WHERE 1 = 0) AS [revenue] FROM (SELECT TOP (DATEDIFF(MONTH, DATETRUNC(month, CAST((SELECT MIN([members].[day_month]) AS [first_day_month] FROM [members]) AS date)), DATETRUNC(month, CAST((SELECT MAX([members].[day_month]) AS [last_day_month] FROM [members]) AS date))) + 1) DATEADD(MONTH, ROW_NUMBER() OVER (ORDER BY (SELECT NULL)) - 1, DATETRUNC(month, CAST((SELECT MIN([members].[day_month]) AS [first_day_month] FROM [members]) AS date))) AS period FROM sys.all_columns a CROSS JOIN sys.all_columns b) AS [periods] CROSS JOIN (SELECT DISTINCT [members].[segment] AS [segment] FROM [members]) AS [members_2]) AS [parts]
GROUP BY [parts].[segment], [parts].[day_month]
ORDER BY CASE WHEN [parts].[segment] IS NULL THEN 1 ELSE 0 END, [parts].[segment] ASC, CASE WHEN [parts].[day_month] IS NULL THEN 1 ELSE 0 END, [parts].[day_month] ASC

