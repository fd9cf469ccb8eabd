-- bigquery
WITH `orders_first_days` AS (
  SELECT `orders`.`customer_id` AS `buyers`, MIN(CAST(`orders`.`day` AS DATE)) AS `first_day`
  FROM `orders`
  WHERE `orders`.`day` < CAST('2025-01-01' AS DATE)
  GROUP BY `orders`.`customer_id`
),
`periods` AS (
  SELECT `periods`.period AS `period`, DATE_ADD(DATE_ADD(`periods`.period, INTERVAL 1 MONTH), INTERVAL -1 DAY) AS `enters_after`
  FROM (SELECT period FROM UNNEST(GENERATE_DATE_ARRAY(CAST('2024-01-01' AS DATE), CAST('2024-12-01' AS DATE), INTERVAL 1 MONTH)) AS period) AS `periods`
),
`orders_spells` AS (
  SELECT `parts_2`.`enters_2` AS `enters`, COUNT(`orders_first_days`.`buyers`) AS `values`
  FROM `orders_first_days` JOIN (SELECT `parts`.`turn` AS `turn`, `parts`.`day` AS `day`, `parts`.`enters` AS `enters`, MIN(`parts`.`enters`) OVER (ORDER BY `parts`.`turn` DESC NULLS LAST, `parts`.`day` ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS `enters_2` FROM (SELECT `orders_first_days`.`day` AS `turn`, `orders_first_days`.`day` AS `day`, CAST(NULL AS DATE) AS `enters` FROM (SELECT DISTINCT `orders_first_days`.`first_day` AS `day` FROM `orders_first_days`) AS `orders_first_days`
UNION ALL SELECT `periods`.`enters_after` AS `turn`, CAST(NULL AS DATE) AS `day`, `periods`.`period` AS `enters` FROM `periods`) AS `parts`) AS `parts_2` ON `orders_first_days`.`first_day` = `parts_2`.`day`
  WHERE `parts_2`.`day` IS NOT NULL AND `parts_2`.`enters_2` IS NOT NULL
  GROUP BY `parts_2`.`enters_2`
)
SELECT `parts_3`.`day_month` AS `day_month`, CAST(`parts_3`.`sum` AS INT64) AS `buyers_so_far`
FROM (SELECT `parts_2`.`day_month` AS `day_month`, `parts_2`.`change` AS `change`, SUM(`parts_2`.`change`) OVER (ORDER BY `parts_2`.`day_month` ASC NULLS LAST ROWS UNBOUNDED PRECEDING) AS `sum` FROM (SELECT `parts`.`day_month` AS `day_month`, SUM(`parts`.`change`) AS `change` FROM (SELECT `orders_spells`.`enters` AS `day_month`, `orders_spells`.`values` AS `change` FROM `orders_spells`
UNION ALL SELECT `periods`.`period` AS `day_month`, 0 AS `change` FROM `periods`) AS `parts` GROUP BY `parts`.`day_month`) AS `parts_2`) AS `parts_3`
ORDER BY `parts_3`.`day_month` ASC NULLS LAST
LIMIT 1000

-- clickhouse
WITH `orders_first_days` AS (
  SELECT toNullable(`orders`.`customer_id`) AS `buyers`, minOrNull(toDate32(`orders`.`day`)) AS `first_day`
  FROM `orders`
  WHERE `orders`.`day` < toDate32('2025-01-01')
  GROUP BY toNullable(`orders`.`customer_id`)
),
`periods` AS (
  SELECT `periods`.period AS `period`, addDays(addMonths(`periods`.period, 1), -1) AS `enters_after`
  FROM (SELECT addMonths(toDate32('2024-01-01'), number) AS period FROM numbers(toUInt64(ifNull(greatest(dateDiff('month', toDate32('2024-01-01'), toDate32('2024-12-01')) + 1, 0), 0)))) AS `periods`
),
`orders_spells` AS (
  SELECT `parts_2`.`enters_2` AS `enters`, toInt64(count(`orders_first_days`.`buyers`)) AS `values`
  FROM `orders_first_days` JOIN (SELECT `parts`.`turn` AS `turn`, `parts`.`day` AS `day`, `parts`.`enters` AS `enters`, MIN(`parts`.`enters`) OVER (ORDER BY `parts`.`turn` DESC NULLS LAST, `parts`.`day` ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS `enters_2` FROM (SELECT `orders_first_days`.`day` AS `turn`, `orders_first_days`.`day` AS `day`, CAST(NULL AS Nullable(Date32)) AS `enters` FROM (SELECT DISTINCT `orders_first_days`.`first_day` AS `day` FROM `orders_first_days`) AS `orders_first_days`
UNION ALL SELECT `periods`.`enters_after` AS `turn`, CAST(NULL AS Nullable(Date32)) AS `day`, `periods`.`period` AS `enters` FROM `periods`) AS `parts`) AS `parts_2` ON `orders_first_days`.`first_day` = `parts_2`.`day`
  WHERE `parts_2`.`day` IS NOT NULL AND `parts_2`.`enters_2` IS NOT NULL
  GROUP BY `parts_2`.`enters_2`
)
SELECT `parts_3`.`day_month` AS `day_month`, CAST(`parts_3`.`sum` AS Nullable(Int64)) AS `buyers_so_far`
FROM (SELECT `parts_2`.`day_month` AS `day_month`, `parts_2`.`change` AS `change`, SUM(`parts_2`.`change`) OVER (ORDER BY `parts_2`.`day_month` ASC NULLS LAST ROWS UNBOUNDED PRECEDING) AS `sum` FROM (SELECT `parts`.`day_month` AS `day_month`, sumOrNull(toDecimal128(`parts`.`change`, 0)) AS `change` FROM (SELECT `orders_spells`.`enters` AS `day_month`, `orders_spells`.`values` AS `change` FROM `orders_spells`
UNION ALL SELECT `periods`.`period` AS `day_month`, 0 AS `change` FROM `periods`) AS `parts` GROUP BY `parts`.`day_month`) AS `parts_2`) AS `parts_3`
ORDER BY `parts_3`.`day_month` ASC NULLS LAST
LIMIT 1000

-- duckdb
WITH "orders_first_days" AS (
  SELECT "orders"."customer_id" AS "buyers", MIN(CAST(date_trunc('day', "orders"."day") AS DATE)) AS "first_day"
  FROM "orders"
  WHERE "orders"."day" < CAST('2025-01-01' AS DATE)
  GROUP BY "orders"."customer_id"
),
"periods" AS (
  SELECT "periods".period AS "period", CAST(CAST("periods".period + INTERVAL (1) month AS DATE) + INTERVAL (-1) day AS DATE) AS "enters_after"
  FROM (SELECT CAST(unnest(generate_series(CAST('2024-01-01' AS DATE), CAST('2024-12-01' AS DATE), INTERVAL 1 month)) AS DATE) AS period) AS "periods"
),
"orders_spells" AS (
  SELECT "parts_2"."enters_2" AS "enters", COUNT("orders_first_days"."buyers") AS "values"
  FROM "orders_first_days" JOIN (SELECT "parts"."turn" AS "turn", "parts"."day" AS "day", "parts"."enters" AS "enters", MIN("parts"."enters") OVER (ORDER BY "parts"."turn" DESC NULLS LAST, "parts"."day" ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS "enters_2" FROM (SELECT "orders_first_days"."day" AS "turn", "orders_first_days"."day" AS "day", CAST(NULL AS DATE) AS "enters" FROM (SELECT DISTINCT "orders_first_days"."first_day" AS "day" FROM "orders_first_days") AS "orders_first_days"
UNION ALL SELECT "periods"."enters_after" AS "turn", CAST(NULL AS DATE) AS "day", "periods"."period" AS "enters" FROM "periods") AS "parts") AS "parts_2" ON "orders_first_days"."first_day" = "parts_2"."day"
  WHERE "parts_2"."day" IS NOT NULL AND "parts_2"."enters_2" IS NOT NULL
  GROUP BY "parts_2"."enters_2"
)
SELECT "parts_3"."day_month" AS "day_month", CAST("parts_3"."sum" AS BIGINT) AS "buyers_so_far"
FROM (SELECT "parts_2"."day_month" AS "day_month", "parts_2"."change" AS "change", SUM("parts_2"."change") OVER (ORDER BY "parts_2"."day_month" ASC NULLS LAST ROWS UNBOUNDED PRECEDING) AS "sum" FROM (SELECT "parts"."day_month" AS "day_month", SUM("parts"."change") AS "change" FROM (SELECT "orders_spells"."enters" AS "day_month", "orders_spells"."values" AS "change" FROM "orders_spells"
UNION ALL SELECT "periods"."period" AS "day_month", 0 AS "change" FROM "periods") AS "parts" GROUP BY "parts"."day_month") AS "parts_2") AS "parts_3"
ORDER BY "parts_3"."day_month" ASC NULLS LAST
LIMIT 1000

-- mysql
WITH `orders_first_days` AS (
  SELECT `orders`.`customer_id` AS `buyers`, MIN(DATE(`orders`.`day`)) AS `first_day`
  FROM `orders`
  WHERE `orders`.`day` < DATE '2025-01-01'
  GROUP BY `orders`.`customer_id`
),
`periods` AS (
  SELECT `periods`.period AS `period`, DATE_ADD(DATE_ADD(`periods`.period, INTERVAL 1 MONTH), INTERVAL -1 DAY) AS `enters_after`
  FROM (SELECT DATE_ADD(b.lo, INTERVAL n.i - 1 MONTH) AS period FROM (SELECT DATE '2024-01-01' AS lo, DATE '2024-12-01' AS hi) AS b JOIN JSON_TABLE(CONCAT('[0', REPEAT(',0', TIMESTAMPDIFF(MONTH, b.lo, b.hi)), ']'), '$[*]' COLUMNS (i FOR ORDINALITY)) AS n WHERE b.lo <= b.hi) AS `periods`
),
`orders_spells` AS (
  SELECT `parts_2`.`enters_2` AS `enters`, COUNT(`orders_first_days`.`buyers`) AS `values`
  FROM `orders_first_days` JOIN (SELECT `parts`.`turn` AS `turn`, `parts`.`day` AS `day`, `parts`.`enters` AS `enters`, MIN(`parts`.`enters`) OVER (ORDER BY `parts`.`turn` IS NULL, `parts`.`turn` DESC, `parts`.`day` IS NOT NULL, `parts`.`day` ASC ROWS UNBOUNDED PRECEDING) AS `enters_2` FROM (SELECT `orders_first_days`.`day` AS `turn`, `orders_first_days`.`day` AS `day`, CAST(NULL AS DATE) AS `enters` FROM (SELECT DISTINCT `orders_first_days`.`first_day` AS `day` FROM `orders_first_days`) AS `orders_first_days`
UNION ALL SELECT `periods`.`enters_after` AS `turn`, CAST(NULL AS DATE) AS `day`, `periods`.`period` AS `enters` FROM `periods`) AS `parts`) AS `parts_2` ON `orders_first_days`.`first_day` = `parts_2`.`day`
  WHERE `parts_2`.`day` IS NOT NULL AND `parts_2`.`enters_2` IS NOT NULL
  GROUP BY `parts_2`.`enters_2`
)
SELECT `parts_3`.`day_month` AS `day_month`, CAST(`parts_3`.`sum` AS SIGNED) AS `buyers_so_far`
FROM (SELECT `parts_2`.`day_month` AS `day_month`, `parts_2`.`change` AS `change`, SUM(`parts_2`.`change`) OVER (ORDER BY `parts_2`.`day_month` IS NULL, `parts_2`.`day_month` ASC ROWS UNBOUNDED PRECEDING) AS `sum` FROM (SELECT `parts`.`day_month` AS `day_month`, SUM(`parts`.`change`) AS `change` FROM (SELECT `orders_spells`.`enters` AS `day_month`, `orders_spells`.`values` AS `change` FROM `orders_spells`
UNION ALL SELECT `periods`.`period` AS `day_month`, 0 AS `change` FROM `periods`) AS `parts` GROUP BY `parts`.`day_month`) AS `parts_2`) AS `parts_3`
ORDER BY `parts_3`.`day_month` IS NULL, `parts_3`.`day_month` ASC
LIMIT 1000

-- postgres
WITH "orders_first_days" AS (
  SELECT "orders"."customer_id" AS "buyers", MIN(CAST("orders"."day" AS date)) AS "first_day"
  FROM "orders"
  WHERE "orders"."day" < DATE '2025-01-01'
  GROUP BY "orders"."customer_id"
),
"periods" AS (
  SELECT "periods".period AS "period", CAST(CAST("periods".period + make_interval(months => 1) AS date) + make_interval(days => -1) AS date) AS "enters_after"
  FROM (SELECT CAST(p AS date) AS period FROM generate_series(CAST(DATE '2024-01-01' AS timestamp), CAST(DATE '2024-12-01' AS timestamp), INTERVAL '1 month') AS s (p)) AS "periods"
),
"orders_spells" AS (
  SELECT "parts_2"."enters_2" AS "enters", COUNT("orders_first_days"."buyers") AS "values"
  FROM "orders_first_days" JOIN (SELECT "parts"."turn" AS "turn", "parts"."day" AS "day", "parts"."enters" AS "enters", MIN("parts"."enters") OVER (ORDER BY "parts"."turn" DESC NULLS LAST, "parts"."day" ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS "enters_2" FROM (SELECT "orders_first_days"."day" AS "turn", "orders_first_days"."day" AS "day", CAST(NULL AS date) AS "enters" FROM (SELECT DISTINCT "orders_first_days"."first_day" AS "day" FROM "orders_first_days") AS "orders_first_days"
UNION ALL SELECT "periods"."enters_after" AS "turn", CAST(NULL AS date) AS "day", "periods"."period" AS "enters" FROM "periods") AS "parts") AS "parts_2" ON "orders_first_days"."first_day" = "parts_2"."day"
  WHERE "parts_2"."day" IS NOT NULL AND "parts_2"."enters_2" IS NOT NULL
  GROUP BY "parts_2"."enters_2"
)
SELECT "parts_3"."day_month" AS "day_month", CAST("parts_3"."sum" AS bigint) AS "buyers_so_far"
FROM (SELECT "parts_2"."day_month" AS "day_month", "parts_2"."change" AS "change", SUM("parts_2"."change") OVER (ORDER BY "parts_2"."day_month" ASC NULLS LAST ROWS UNBOUNDED PRECEDING) AS "sum" FROM (SELECT "parts"."day_month" AS "day_month", SUM("parts"."change") AS "change" FROM (SELECT "orders_spells"."enters" AS "day_month", "orders_spells"."values" AS "change" FROM "orders_spells"
UNION ALL SELECT "periods"."period" AS "day_month", 0 AS "change" FROM "periods") AS "parts" GROUP BY "parts"."day_month") AS "parts_2") AS "parts_3"
ORDER BY "parts_3"."day_month" ASC NULLS LAST
LIMIT 1000

-- snowflake
WITH "orders_first_days" AS (
  SELECT "orders"."CUSTOMER_ID" AS "buyers", MIN(DATE_TRUNC('DAY', "orders"."DAY")::DATE) AS "first_day"
  FROM "ORDERS" AS "orders"
  WHERE "orders"."DAY" < CAST('2025-01-01' AS DATE)
  GROUP BY "orders"."CUSTOMER_ID"
),
"periods" AS (
  SELECT "periods".period AS "period", DATEADD(DAY, -1, DATEADD(MONTH, 1, "periods".period)) AS "enters_after"
  FROM (SELECT DATEADD(MONTH, ROW_NUMBER() OVER (ORDER BY NULL) - 1, CAST('2024-01-01' AS DATE)) AS period FROM TABLE(GENERATOR(ROWCOUNT => 100000)) QUALIFY period <= CAST('2024-12-01' AS DATE)) AS "periods"
),
"orders_spells" AS (
  SELECT "parts_2"."enters_2" AS "enters", COUNT("orders_first_days"."buyers") AS "values"
  FROM "orders_first_days" JOIN (SELECT "parts"."turn" AS "turn", "parts"."day" AS "day", "parts"."enters" AS "enters", MIN("parts"."enters") OVER (ORDER BY "parts"."turn" DESC NULLS LAST, "parts"."day" ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS "enters_2" FROM (SELECT "orders_first_days"."day" AS "turn", "orders_first_days"."day" AS "day", CAST(NULL AS DATE) AS "enters" FROM (SELECT DISTINCT "orders_first_days"."first_day" AS "day" FROM "orders_first_days") AS "orders_first_days"
UNION ALL SELECT "periods"."enters_after" AS "turn", CAST(NULL AS DATE) AS "day", "periods"."period" AS "enters" FROM "periods") AS "parts") AS "parts_2" ON "orders_first_days"."first_day" = "parts_2"."day"
  WHERE "parts_2"."day" IS NOT NULL AND "parts_2"."enters_2" IS NOT NULL
  GROUP BY "parts_2"."enters_2"
)
SELECT "parts_3"."day_month" AS "day_month", CAST("parts_3"."sum" AS NUMBER(38,0)) AS "buyers_so_far"
FROM (SELECT "parts_2"."day_month" AS "day_month", "parts_2"."change" AS "change", SUM("parts_2"."change") OVER (ORDER BY "parts_2"."day_month" ASC NULLS LAST ROWS UNBOUNDED PRECEDING) AS "sum" FROM (SELECT "parts"."day_month" AS "day_month", SUM("parts"."change") AS "change" FROM (SELECT "orders_spells"."enters" AS "day_month", "orders_spells"."values" AS "change" FROM "orders_spells"
UNION ALL SELECT "periods"."period" AS "day_month", 0 AS "change" FROM "periods") AS "parts" GROUP BY "parts"."day_month") AS "parts_2") AS "parts_3"
ORDER BY "parts_3"."day_month" ASC NULLS LAST
LIMIT 1000

-- sqlite
WITH "orders_first_days" AS (
  SELECT "orders"."customer_id" AS "buyers", MIN(date("orders"."day")) AS "first_day"
  FROM "orders"
  WHERE "orders"."day" < date('2025-01-01')
  GROUP BY "orders"."customer_id"
),
"periods" AS (
  SELECT "periods".period AS "period", date(date("periods".period, (1) || ' months', 'floor'), (-1) || ' days') AS "enters_after"
  FROM (WITH RECURSIVE spine (period) AS (SELECT date(date('2024-01-01')) WHERE date(date('2024-01-01')) <= date(date('2024-12-01')) UNION ALL SELECT date(period, (1) || ' months') FROM spine WHERE date(period, (1) || ' months') <= date(date('2024-12-01'))) SELECT period FROM spine) AS "periods"
),
"orders_spells" AS (
  SELECT "parts_2"."enters_2" AS "enters", COUNT("orders_first_days"."buyers") AS "values"
  FROM "orders_first_days" JOIN (SELECT "parts"."turn" AS "turn", "parts"."day" AS "day", "parts"."enters" AS "enters", MIN("parts"."enters") OVER (ORDER BY "parts"."turn" DESC NULLS LAST, "parts"."day" ASC NULLS FIRST ROWS UNBOUNDED PRECEDING) AS "enters_2" FROM (SELECT "orders_first_days"."day" AS "turn", "orders_first_days"."day" AS "day", date(NULL) AS "enters" FROM (SELECT DISTINCT "orders_first_days"."first_day" AS "day" FROM "orders_first_days") AS "orders_first_days"
UNION ALL SELECT "periods"."enters_after" AS "turn", date(NULL) AS "day", "periods"."period" AS "enters" FROM "periods") AS "parts") AS "parts_2" ON "orders_first_days"."first_day" = "parts_2"."day"
  WHERE "parts_2"."day" IS NOT NULL AND "parts_2"."enters_2" IS NOT NULL
  GROUP BY "parts_2"."enters_2"
)
SELECT "parts_3"."day_month" AS "day_month", CAST("parts_3"."sum" AS INTEGER) AS "buyers_so_far"
FROM (SELECT "parts_2"."day_month" AS "day_month", "parts_2"."change" AS "change", SUM("parts_2"."change") OVER (ORDER BY "parts_2"."day_month" ASC NULLS LAST ROWS UNBOUNDED PRECEDING) AS "sum" FROM (SELECT "parts"."day_month" AS "day_month", SUM("parts"."change") AS "change" FROM (SELECT "orders_spells"."enters" AS "day_month", "orders_spells"."values" AS "change" FROM "orders_spells"
UNION ALL SELECT "periods"."period" AS "day_month", 0 AS "change" FROM "periods") AS "parts" GROUP BY "parts"."day_month") AS "parts_2") AS "parts_3"
ORDER BY "parts_3"."day_month" ASC NULLS LAST
LIMIT 1000

-- sqlserver
WITH [orders_first_days] AS (
  SELECT [orders].[customer_id] AS [buyers], MIN(CAST([orders].[day] AS date)) AS [first_day]
  FROM [orders]
  WHERE [orders].[day] < CAST(N'2025-01-01' AS date)
  GROUP BY [orders].[customer_id]
),
[periods] AS (
  SELECT [periods].period AS [period], DATEADD(DAY, -1, DATEADD(MONTH, 1, [periods].period)) AS [enters_after]
  FROM (SELECT TOP (DATEDIFF(MONTH, CAST(N'2024-01-01' AS date), CAST(N'2024-12-01' AS date)) + 1) DATEADD(MONTH, ROW_NUMBER() OVER (ORDER BY (SELECT NULL)) - 1, CAST(N'2024-01-01' AS date)) AS period FROM sys.all_columns a CROSS JOIN sys.all_columns b) AS [periods]
),
[orders_spells] AS (
  SELECT [parts_2].[enters_2] AS [enters], COUNT([orders_first_days].[buyers]) AS [values]
  FROM [orders_first_days] JOIN (SELECT [parts].[turn] AS [turn], [parts].[day] AS [day], [parts].[enters] AS [enters], MIN([parts].[enters]) OVER (ORDER BY CASE WHEN [parts].[turn] IS NULL THEN 1 ELSE 0 END, [parts].[turn] DESC, CASE WHEN [parts].[day] IS NULL THEN 0 ELSE 1 END, [parts].[day] ASC ROWS UNBOUNDED PRECEDING) AS [enters_2] FROM (SELECT [orders_first_days].[day] AS [turn], [orders_first_days].[day] AS [day], CAST(NULL AS date) AS [enters] FROM (SELECT DISTINCT [orders_first_days].[first_day] AS [day] FROM [orders_first_days]) AS [orders_first_days]
UNION ALL SELECT [periods].[enters_after] AS [turn], CAST(NULL AS date) AS [day], [periods].[period] AS [enters] FROM [periods]) AS [parts]) AS [parts_2] ON [orders_first_days].[first_day] = [parts_2].[day]
  WHERE [parts_2].[day] IS NOT NULL AND [parts_2].[enters_2] IS NOT NULL
  GROUP BY [parts_2].[enters_2]
)
SELECT TOP (1000) [parts_3].[day_month] AS [day_month], CAST([parts_3].[sum] AS bigint) AS [buyers_so_far]
FROM (SELECT [parts_2].[day_month] AS [day_month], [parts_2].[change] AS [change], SUM([parts_2].[change]) OVER (ORDER BY CASE WHEN [parts_2].[day_month] IS NULL THEN 1 ELSE 0 END, [parts_2].[day_month] ASC ROWS UNBOUNDED PRECEDING) AS [sum] FROM (SELECT [parts].[day_month] AS [day_month], SUM(CAST([parts].[change] AS bigint)) AS [change] FROM (SELECT [orders_spells].[enters] AS [day_month], [orders_spells].[values] AS [change] FROM [orders_spells]
UNION ALL SELECT [periods].[period] AS [day_month], 0 AS [change] FROM [periods]) AS [parts] GROUP BY [parts].[day_month]) AS [parts_2]) AS [parts_3]
ORDER BY CASE WHEN [parts_3].[day_month] IS NULL THEN 1 ELSE 0 END, [parts_3].[day_month] ASC

