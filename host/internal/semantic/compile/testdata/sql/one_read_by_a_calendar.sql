-- bigquery
WITH `orders_by_day` AS (
  SELECT CAST(`orders`.`day` AS DATE) AS `day_2`, SUM(`orders`.`amount`) AS `revenue`
  FROM `orders`
  GROUP BY CAST(`orders`.`day` AS DATE)
),
`fiscal_days_2` AS (
  SELECT `fiscal`.`day` AS `day`, CASE WHEN MIN(`fiscal`.`quarter`) = MAX(`fiscal`.`quarter`) THEN MAX(`fiscal`.`quarter`) END AS `fiscal_quarter`, CASE WHEN MIN(`fiscal`.`year`) = MAX(`fiscal`.`year`) THEN MAX(`fiscal`.`year`) END AS `fiscal_year`
  FROM `fiscal_days` AS `fiscal`
  WHERE `fiscal`.`day` IS NOT NULL
  GROUP BY `fiscal`.`day`
),
`orders_by_day_fiscal_quarter` AS (
  SELECT `fiscal_days_2_2`.`fiscal_quarter` AS `day_fiscal_quarter`, SUM(`orders_by_day`.`revenue`) AS `revenue`
  FROM `orders_by_day` LEFT JOIN (SELECT `fiscal_days_2`.`day` AS `day`, `fiscal_days_2`.`fiscal_quarter` AS `fiscal_quarter` FROM `fiscal_days_2`) AS `fiscal_days_2_2` ON `orders_by_day`.`day_2` = `fiscal_days_2_2`.`day`
  GROUP BY `fiscal_days_2_2`.`fiscal_quarter`
),
`every_fiscal_quarter` AS (
  SELECT `fiscal_days_2_3`.`fiscal_quarter` AS `fiscal_quarter`, CAST(`fiscal_days_2_3`.`number` AS INT64) AS `number`, `fiscal_days_2_3`.`first` AS `first`, `fiscal_days_2_3`.`last` AS `last`
  FROM (SELECT `fiscal_days_2_2`.`fiscal_quarter` AS `fiscal_quarter`, `fiscal_days_2_2`.`first` AS `first`, `fiscal_days_2_2`.`last` AS `last`, ROW_NUMBER() OVER (ORDER BY `fiscal_days_2_2`.`first` ASC NULLS LAST) AS `number` FROM (SELECT `fiscal_days_2`.`fiscal_quarter` AS `fiscal_quarter`, MIN(`fiscal_days_2`.`day`) AS `first`, MAX(`fiscal_days_2`.`day`) AS `last` FROM `fiscal_days_2` WHERE `fiscal_days_2`.`fiscal_quarter` IS NOT NULL GROUP BY `fiscal_days_2`.`fiscal_quarter`) AS `fiscal_days_2_2`) AS `fiscal_days_2_3`
),
`every_fiscal_year` AS (
  SELECT `fiscal_days_2_3`.`fiscal_year` AS `fiscal_year`, CAST(`fiscal_days_2_3`.`number` AS INT64) AS `number`
  FROM (SELECT `fiscal_days_2_2`.`fiscal_year` AS `fiscal_year`, `fiscal_days_2_2`.`first` AS `first`, ROW_NUMBER() OVER (ORDER BY `fiscal_days_2_2`.`first` ASC NULLS LAST) AS `number` FROM (SELECT `fiscal_days_2`.`fiscal_year` AS `fiscal_year`, MIN(`fiscal_days_2`.`day`) AS `first` FROM `fiscal_days_2` WHERE `fiscal_days_2`.`fiscal_year` IS NOT NULL GROUP BY `fiscal_days_2`.`fiscal_year`) AS `fiscal_days_2_2`) AS `fiscal_days_2_3`
),
`periods` AS (
  SELECT `every_fiscal_quarter`.`fiscal_quarter` AS `period`, `every_fiscal_quarter_8`.`fiscal_quarter` AS `earlier`
  FROM `every_fiscal_quarter` JOIN `every_fiscal_quarter` AS `every_fiscal_quarter_2` ON `every_fiscal_quarter`.`fiscal_quarter` = `every_fiscal_quarter_2`.`fiscal_quarter` LEFT JOIN (SELECT `every_fiscal_quarter_4`.`number` AS `number`, `every_fiscal_quarter_6`.`number` AS `earlier` FROM (SELECT `every_fiscal_quarter_3`.`number` AS `number`, `every_fiscal_quarter_3`.`first` AS `first`, `fiscal_days_2`.`day` AS `day`, `fiscal_days_2`.`fiscal_year` AS `fiscal_year`, `every_fiscal_year`.`fiscal_year` AS `fiscal_year_2`, `every_fiscal_year`.`number` AS `number_2`, ROW_NUMBER() OVER (PARTITION BY `every_fiscal_year`.`number` ORDER BY `every_fiscal_quarter_3`.`first` ASC NULLS LAST) AS `place` FROM `every_fiscal_quarter` AS `every_fiscal_quarter_3` JOIN `fiscal_days_2` ON `every_fiscal_quarter_3`.`first` = `fiscal_days_2`.`day` JOIN `every_fiscal_year` ON `fiscal_days_2`.`fiscal_year` = `every_fiscal_year`.`fiscal_year`) AS `every_fiscal_quarter_4` JOIN (SELECT `every_fiscal_quarter_5`.`number` AS `number`, `every_fiscal_quarter_5`.`first` AS `first`, `fiscal_days_2_2`.`day` AS `day`, `fiscal_days_2_2`.`fiscal_year` AS `fiscal_year`, `every_fiscal_year_2`.`fiscal_year` AS `fiscal_year_2`, `every_fiscal_year_2`.`number` AS `number_2`, ROW_NUMBER() OVER (PARTITION BY `every_fiscal_year_2`.`number` ORDER BY `every_fiscal_quarter_5`.`first` ASC NULLS LAST) AS `place` FROM `every_fiscal_quarter` AS `every_fiscal_quarter_5` JOIN `fiscal_days_2` AS `fiscal_days_2_2` ON `every_fiscal_quarter_5`.`first` = `fiscal_days_2_2`.`day` JOIN `every_fiscal_year` AS `every_fiscal_year_2` ON `fiscal_days_2_2`.`fiscal_year` = `every_fiscal_year_2`.`fiscal_year`) AS `every_fiscal_quarter_6` ON `every_fiscal_quarter_4`.`number_2` - 1 = `every_fiscal_quarter_6`.`number_2` AND CAST(`every_fiscal_quarter_4`.`place` AS INT64) = CAST(`every_fiscal_quarter_6`.`place` AS INT64)) AS `every_fiscal_quarter_7` ON `every_fiscal_quarter_2`.`number` = `every_fiscal_quarter_7`.`number` LEFT JOIN `every_fiscal_quarter` AS `every_fiscal_quarter_8` ON `every_fiscal_quarter_7`.`earlier` = `every_fiscal_quarter_8`.`number`
),
`orders_by_day_fiscal_quarter_2` AS (
  SELECT `periods`.`period` AS `day_fiscal_quarter`, SUM(`orders_by_day_2`.`revenue`) AS `revenue`
  FROM `periods` JOIN (SELECT `orders_by_day`.`day_2` AS `day`, `orders_by_day`.`revenue` AS `revenue`, `fiscal_days_2`.`day` AS `day_2`, `fiscal_days_2`.`fiscal_quarter` AS `fiscal_quarter` FROM `orders_by_day` JOIN `fiscal_days_2` ON `orders_by_day`.`day_2` = `fiscal_days_2`.`day` WHERE `fiscal_days_2`.`fiscal_quarter` IS NOT NULL) AS `orders_by_day_2` ON `orders_by_day_2`.`fiscal_quarter` = `periods`.`earlier`
  GROUP BY `periods`.`period`
),
`shown` AS (
  SELECT `parts`.`day_fiscal_quarter` AS `day_fiscal_quarter`
  FROM (SELECT `orders_by_day_fiscal_quarter`.`day_fiscal_quarter` AS `day_fiscal_quarter` FROM `orders_by_day_fiscal_quarter`
UNION ALL SELECT `fiscal_days_2`.`fiscal_quarter` AS `day_fiscal_quarter` FROM `orders_by_day` JOIN `fiscal_days_2` ON `orders_by_day`.`day_2` = `fiscal_days_2`.`day` WHERE `fiscal_days_2`.`fiscal_quarter` IS NOT NULL
UNION ALL SELECT `orders_by_day_fiscal_quarter_2`.`day_fiscal_quarter` AS `day_fiscal_quarter` FROM `orders_by_day_fiscal_quarter_2`) AS `parts`
),
`every_fiscal_quarter_2` AS (
  SELECT `every_fiscal_quarter`.`fiscal_quarter` AS `fiscal_quarter`
  FROM `every_fiscal_quarter` CROSS JOIN (SELECT MIN(`every_fiscal_quarter_2`.`number`) AS `least`, MAX(`every_fiscal_quarter_2`.`number`) AS `most` FROM `shown` JOIN `every_fiscal_quarter` AS `every_fiscal_quarter_2` ON `shown`.`day_fiscal_quarter` = `every_fiscal_quarter_2`.`fiscal_quarter`) AS `shown_2`
  WHERE `every_fiscal_quarter`.`number` >= `shown_2`.`least` AND `every_fiscal_quarter`.`number` <= `shown_2`.`most`
),
`periods_2` AS (
  SELECT `every_fiscal_quarter_2`.`fiscal_quarter` AS `period`, DATE_ADD(`every_fiscal_quarter`.`last`, INTERVAL 1 DAY) AS `until`, `fiscal_days_2_2`.`first` AS `since`
  FROM `every_fiscal_quarter_2` JOIN `every_fiscal_quarter` ON `every_fiscal_quarter_2`.`fiscal_quarter` = `every_fiscal_quarter`.`fiscal_quarter` LEFT JOIN (SELECT `fiscal_days_2`.`day` AS `day`, `every_fiscal_quarter_3`.`first` AS `first` FROM `fiscal_days_2` JOIN `every_fiscal_quarter` AS `every_fiscal_quarter_3` ON `fiscal_days_2`.`fiscal_quarter` = `every_fiscal_quarter_3`.`fiscal_quarter`) AS `fiscal_days_2_2` ON `every_fiscal_quarter`.`first` = `fiscal_days_2_2`.`day`
),
`orders_by_day_fiscal_quarter_3` AS (
  SELECT `periods_2`.`period` AS `day_fiscal_quarter`, SUM(`orders_by_day_2`.`revenue`) AS `revenue`
  FROM `periods_2` LEFT JOIN (SELECT `orders_by_day`.`day_2` AS `day`, `orders_by_day`.`revenue` AS `revenue`, `fiscal_days_2`.`day` AS `day_2`, `fiscal_days_2`.`fiscal_quarter` AS `fiscal_quarter` FROM `orders_by_day` JOIN `fiscal_days_2` ON `orders_by_day`.`day_2` = `fiscal_days_2`.`day` WHERE `fiscal_days_2`.`fiscal_quarter` IS NOT NULL) AS `orders_by_day_2` ON `orders_by_day_2`.`day` >= `periods_2`.`since` AND `orders_by_day_2`.`day` < `periods_2`.`until`
  GROUP BY `periods_2`.`period`
)
SELECT `parts`.`day_fiscal_quarter` AS `day_fiscal_quarter`, MAX(`parts`.`revenue`) AS `revenue`, MAX(`parts`.`revenue_2`) AS `revenue_fqtd`, MAX(`parts`.`revenue_3`) AS `revenue_last_fiscal_year`
FROM (SELECT `orders_by_day_fiscal_quarter`.`day_fiscal_quarter` AS `day_fiscal_quarter`, `orders_by_day_fiscal_quarter`.`revenue` AS `revenue`, (SELECT MAX(`orders_by_day_fiscal_quarter_3`.`revenue`) FROM `orders_by_day_fiscal_quarter_3` WHERE 1 = 0) AS `revenue_2`, (SELECT MAX(`orders_by_day_fiscal_quarter_2`.`revenue`) FROM `orders_by_day_fiscal_quarter_2` WHERE 1 = 0) AS `revenue_3` FROM `orders_by_day_fiscal_quarter`
UNION ALL SELECT `orders_by_day_fiscal_quarter_3`.`day_fiscal_quarter` AS `day_fiscal_quarter`, (SELECT MAX(`orders_by_day_fiscal_quarter`.`revenue`) FROM `orders_by_day_fiscal_quarter` WHERE 1 = 0) AS `revenue`, `orders_by_day_fiscal_quarter_3`.`revenue` AS `revenue_2`, (SELECT MAX(`orders_by_day_fiscal_quarter_2`.`revenue`) FROM `orders_by_day_fiscal_quarter_2` WHERE 1 = 0) AS `revenue_3` FROM `orders_by_day_fiscal_quarter_3`
UNION ALL SELECT `orders_by_day_fiscal_quarter_2`.`day_fiscal_quarter` AS `day_fiscal_quarter`, (SELECT MAX(`orders_by_day_fiscal_quarter`.`revenue`) FROM `orders_by_day_fiscal_quarter` WHERE 1 = 0) AS `revenue`, (SELECT MAX(`orders_by_day_fiscal_quarter_3`.`revenue`) FROM `orders_by_day_fiscal_quarter_3` WHERE 1 = 0) AS `revenue_2`, `orders_by_day_fiscal_quarter_2`.`revenue` AS `revenue_3` FROM `orders_by_day_fiscal_quarter_2`) AS `parts`
GROUP BY `parts`.`day_fiscal_quarter`
ORDER BY `parts`.`day_fiscal_quarter` ASC NULLS LAST
LIMIT 1000

-- clickhouse
WITH `orders_by_day` AS (
  SELECT toDate32(`orders`.`day`) AS `day_2`, sumOrNull(toNullable(`orders`.`amount`)) AS `revenue`
  FROM `orders`
  GROUP BY toDate32(`orders`.`day`)
),
`fiscal_days_2` AS (
  SELECT `fiscal`.`day` AS `day`, CASE WHEN minOrNull(toNullable(`fiscal`.`quarter`)) = maxOrNull(toNullable(`fiscal`.`quarter`)) THEN maxOrNull(toNullable(`fiscal`.`quarter`)) END AS `fiscal_quarter`, CASE WHEN minOrNull(toNullable(`fiscal`.`year`)) = maxOrNull(toNullable(`fiscal`.`year`)) THEN maxOrNull(toNullable(`fiscal`.`year`)) END AS `fiscal_year`
  FROM `fiscal_days` AS `fiscal`
  WHERE `fiscal`.`day` IS NOT NULL
  GROUP BY `fiscal`.`day`
),
`orders_by_day_fiscal_quarter` AS (
  SELECT `fiscal_days_2_2`.`fiscal_quarter` AS `day_fiscal_quarter`, sumOrNull(`orders_by_day`.`revenue`) AS `revenue`
  FROM `orders_by_day` LEFT JOIN (SELECT `fiscal_days_2`.`day` AS `day`, `fiscal_days_2`.`fiscal_quarter` AS `fiscal_quarter` FROM `fiscal_days_2`) AS `fiscal_days_2_2` ON `orders_by_day`.`day_2` = `fiscal_days_2_2`.`day`
  GROUP BY `fiscal_days_2_2`.`fiscal_quarter`
),
`every_fiscal_quarter` AS (
  SELECT toNullable(`fiscal_days_2_3`.`fiscal_quarter`) AS `fiscal_quarter`, toNullable(CAST(`fiscal_days_2_3`.`number` AS Nullable(Int64))) AS `number`, toNullable(`fiscal_days_2_3`.`first`) AS `first`, toNullable(`fiscal_days_2_3`.`last`) AS `last`
  FROM (SELECT `fiscal_days_2_2`.`fiscal_quarter` AS `fiscal_quarter`, `fiscal_days_2_2`.`first` AS `first`, `fiscal_days_2_2`.`last` AS `last`, ROW_NUMBER() OVER (ORDER BY `fiscal_days_2_2`.`first` ASC NULLS LAST) AS `number` FROM (SELECT `fiscal_days_2`.`fiscal_quarter` AS `fiscal_quarter`, minOrNull(`fiscal_days_2`.`day`) AS `first`, maxOrNull(`fiscal_days_2`.`day`) AS `last` FROM `fiscal_days_2` WHERE `fiscal_days_2`.`fiscal_quarter` IS NOT NULL GROUP BY `fiscal_days_2`.`fiscal_quarter`) AS `fiscal_days_2_2`) AS `fiscal_days_2_3`
),
`every_fiscal_year` AS (
  SELECT toNullable(`fiscal_days_2_3`.`fiscal_year`) AS `fiscal_year`, toNullable(CAST(`fiscal_days_2_3`.`number` AS Nullable(Int64))) AS `number`
  FROM (SELECT `fiscal_days_2_2`.`fiscal_year` AS `fiscal_year`, `fiscal_days_2_2`.`first` AS `first`, ROW_NUMBER() OVER (ORDER BY `fiscal_days_2_2`.`first` ASC NULLS LAST) AS `number` FROM (SELECT `fiscal_days_2`.`fiscal_year` AS `fiscal_year`, minOrNull(`fiscal_days_2`.`day`) AS `first` FROM `fiscal_days_2` WHERE `fiscal_days_2`.`fiscal_year` IS NOT NULL GROUP BY `fiscal_days_2`.`fiscal_year`) AS `fiscal_days_2_2`) AS `fiscal_days_2_3`
),
`periods` AS (
  SELECT `every_fiscal_quarter`.`fiscal_quarter` AS `period`, `every_fiscal_quarter_8`.`fiscal_quarter` AS `earlier`
  FROM `every_fiscal_quarter` JOIN `every_fiscal_quarter` AS `every_fiscal_quarter_2` ON `every_fiscal_quarter`.`fiscal_quarter` = `every_fiscal_quarter_2`.`fiscal_quarter` LEFT JOIN (SELECT `every_fiscal_quarter_4`.`number` AS `number`, `every_fiscal_quarter_6`.`number` AS `earlier` FROM (SELECT `every_fiscal_quarter_3`.`number` AS `number`, `every_fiscal_quarter_3`.`first` AS `first`, `fiscal_days_2`.`day` AS `day`, `fiscal_days_2`.`fiscal_year` AS `fiscal_year`, `every_fiscal_year`.`fiscal_year` AS `fiscal_year_2`, `every_fiscal_year`.`number` AS `number_2`, ROW_NUMBER() OVER (PARTITION BY `every_fiscal_year`.`number` ORDER BY `every_fiscal_quarter_3`.`first` ASC NULLS LAST) AS `place` FROM `every_fiscal_quarter` AS `every_fiscal_quarter_3` JOIN `fiscal_days_2` ON `every_fiscal_quarter_3`.`first` = `fiscal_days_2`.`day` JOIN `every_fiscal_year` ON `fiscal_days_2`.`fiscal_year` = `every_fiscal_year`.`fiscal_year`) AS `every_fiscal_quarter_4` JOIN (SELECT `every_fiscal_quarter_5`.`number` AS `number`, `every_fiscal_quarter_5`.`first` AS `first`, `fiscal_days_2_2`.`day` AS `day`, `fiscal_days_2_2`.`fiscal_year` AS `fiscal_year`, `every_fiscal_year_2`.`fiscal_year` AS `fiscal_year_2`, `every_fiscal_year_2`.`number` AS `number_2`, ROW_NUMBER() OVER (PARTITION BY `every_fiscal_year_2`.`number` ORDER BY `every_fiscal_quarter_5`.`first` ASC NULLS LAST) AS `place` FROM `every_fiscal_quarter` AS `every_fiscal_quarter_5` JOIN `fiscal_days_2` AS `fiscal_days_2_2` ON `every_fiscal_quarter_5`.`first` = `fiscal_days_2_2`.`day` JOIN `every_fiscal_year` AS `every_fiscal_year_2` ON `fiscal_days_2_2`.`fiscal_year` = `every_fiscal_year_2`.`fiscal_year`) AS `every_fiscal_quarter_6` ON `every_fiscal_quarter_4`.`number_2` - 1 = `every_fiscal_quarter_6`.`number_2` AND toNullable(CAST(`every_fiscal_quarter_4`.`place` AS Nullable(Int64))) = toNullable(CAST(`every_fiscal_quarter_6`.`place` AS Nullable(Int64)))) AS `every_fiscal_quarter_7` ON `every_fiscal_quarter_2`.`number` = `every_fiscal_quarter_7`.`number` LEFT JOIN `every_fiscal_quarter` AS `every_fiscal_quarter_8` ON `every_fiscal_quarter_7`.`earlier` = `every_fiscal_quarter_8`.`number`
),
`orders_by_day_fiscal_quarter_2` AS (
  SELECT `periods`.`period` AS `day_fiscal_quarter`, sumOrNull(`orders_by_day_2`.`revenue`) AS `revenue`
  FROM `periods` JOIN (SELECT `orders_by_day`.`day_2` AS `day`, `orders_by_day`.`revenue` AS `revenue`, `fiscal_days_2`.`day` AS `day_2`, `fiscal_days_2`.`fiscal_quarter` AS `fiscal_quarter` FROM `orders_by_day` JOIN `fiscal_days_2` ON `orders_by_day`.`day_2` = `fiscal_days_2`.`day` WHERE `fiscal_days_2`.`fiscal_quarter` IS NOT NULL) AS `orders_by_day_2` ON `orders_by_day_2`.`fiscal_quarter` = `periods`.`earlier`
  GROUP BY `periods`.`period`
),
`shown` AS (
  SELECT `parts`.`day_fiscal_quarter` AS `day_fiscal_quarter`
  FROM (SELECT `orders_by_day_fiscal_quarter`.`day_fiscal_quarter` AS `day_fiscal_quarter` FROM `orders_by_day_fiscal_quarter`
UNION ALL SELECT `fiscal_days_2`.`fiscal_quarter` AS `day_fiscal_quarter` FROM `orders_by_day` JOIN `fiscal_days_2` ON `orders_by_day`.`day_2` = `fiscal_days_2`.`day` WHERE `fiscal_days_2`.`fiscal_quarter` IS NOT NULL
UNION ALL SELECT `orders_by_day_fiscal_quarter_2`.`day_fiscal_quarter` AS `day_fiscal_quarter` FROM `orders_by_day_fiscal_quarter_2`) AS `parts`
),
`every_fiscal_quarter_2` AS (
  SELECT `every_fiscal_quarter`.`fiscal_quarter` AS `fiscal_quarter`
  FROM `every_fiscal_quarter` CROSS JOIN (SELECT minOrNull(`every_fiscal_quarter_2`.`number`) AS `least`, maxOrNull(`every_fiscal_quarter_2`.`number`) AS `most` FROM `shown` JOIN `every_fiscal_quarter` AS `every_fiscal_quarter_2` ON `shown`.`day_fiscal_quarter` = `every_fiscal_quarter_2`.`fiscal_quarter`) AS `shown_2`
  WHERE `every_fiscal_quarter`.`number` >= `shown_2`.`least` AND `every_fiscal_quarter`.`number` <= `shown_2`.`most`
),
`periods_2` AS (
  SELECT `every_fiscal_quarter_2`.`fiscal_quarter` AS `period`, addDays(`every_fiscal_quarter`.`last`, 1) AS `until`, `fiscal_days_2_2`.`first` AS `since`
  FROM `every_fiscal_quarter_2` JOIN `every_fiscal_quarter` ON `every_fiscal_quarter_2`.`fiscal_quarter` = `every_fiscal_quarter`.`fiscal_quarter` LEFT JOIN (SELECT `fiscal_days_2`.`day` AS `day`, `every_fiscal_quarter_3`.`first` AS `first` FROM `fiscal_days_2` JOIN `every_fiscal_quarter` AS `every_fiscal_quarter_3` ON `fiscal_days_2`.`fiscal_quarter` = `every_fiscal_quarter_3`.`fiscal_quarter`) AS `fiscal_days_2_2` ON `every_fiscal_quarter`.`first` = `fiscal_days_2_2`.`day`
),
`orders_in_windows` AS (
  SELECT `periods_2`.`period` AS `day_fiscal_quarter`, `orders_by_day_2`.`revenue` AS `revenue`
  FROM `periods_2` JOIN (SELECT `orders_by_day`.`day_2` AS `day`, `orders_by_day`.`revenue` AS `revenue`, `fiscal_days_2`.`day` AS `day_2`, `fiscal_days_2`.`fiscal_quarter` AS `fiscal_quarter` FROM `orders_by_day` JOIN `fiscal_days_2` ON `orders_by_day`.`day_2` = `fiscal_days_2`.`day` WHERE `fiscal_days_2`.`fiscal_quarter` IS NOT NULL) AS `orders_by_day_2` ON `orders_by_day_2`.`day` >= `periods_2`.`since` AND `orders_by_day_2`.`day` < `periods_2`.`until`
),
`orders_by_day_fiscal_quarter_3` AS (
  SELECT `parts`.`day_fiscal_quarter` AS `day_fiscal_quarter`, sumOrNull(`parts`.`revenue`) AS `revenue`
  FROM (SELECT `orders_in_windows`.`day_fiscal_quarter` AS `day_fiscal_quarter`, `orders_in_windows`.`revenue` AS `revenue` FROM `orders_in_windows`
UNION ALL SELECT `periods_2`.`period` AS `day_fiscal_quarter`, (SELECT MAX(`orders_in_windows`.`revenue`) FROM `orders_in_windows` WHERE 1 = 0) AS `revenue` FROM `periods_2`) AS `parts`
  GROUP BY `parts`.`day_fiscal_quarter`
)
SELECT `parts`.`day_fiscal_quarter` AS `day_fiscal_quarter`, maxOrNull(`parts`.`revenue`) AS `revenue`, maxOrNull(`parts`.`revenue_2`) AS `revenue_fqtd`, maxOrNull(`parts`.`revenue_3`) AS `revenue_last_fiscal_year`
FROM (SELECT `orders_by_day_fiscal_quarter`.`day_fiscal_quarter` AS `day_fiscal_quarter`, `orders_by_day_fiscal_quarter`.`revenue` AS `revenue`, (SELECT MAX(`orders_by_day_fiscal_quarter_3`.`revenue`) FROM `orders_by_day_fiscal_quarter_3` WHERE 1 = 0) AS `revenue_2`, (SELECT MAX(`orders_by_day_fiscal_quarter_2`.`revenue`) FROM `orders_by_day_fiscal_quarter_2` WHERE 1 = 0) AS `revenue_3` FROM `orders_by_day_fiscal_quarter`
UNION ALL SELECT `orders_by_day_fiscal_quarter_3`.`day_fiscal_quarter` AS `day_fiscal_quarter`, (SELECT MAX(`orders_by_day_fiscal_quarter`.`revenue`) FROM `orders_by_day_fiscal_quarter` WHERE 1 = 0) AS `revenue`, `orders_by_day_fiscal_quarter_3`.`revenue` AS `revenue_2`, (SELECT MAX(`orders_by_day_fiscal_quarter_2`.`revenue`) FROM `orders_by_day_fiscal_quarter_2` WHERE 1 = 0) AS `revenue_3` FROM `orders_by_day_fiscal_quarter_3`
UNION ALL SELECT `orders_by_day_fiscal_quarter_2`.`day_fiscal_quarter` AS `day_fiscal_quarter`, (SELECT MAX(`orders_by_day_fiscal_quarter`.`revenue`) FROM `orders_by_day_fiscal_quarter` WHERE 1 = 0) AS `revenue`, (SELECT MAX(`orders_by_day_fiscal_quarter_3`.`revenue`) FROM `orders_by_day_fiscal_quarter_3` WHERE 1 = 0) AS `revenue_2`, `orders_by_day_fiscal_quarter_2`.`revenue` AS `revenue_3` FROM `orders_by_day_fiscal_quarter_2`) AS `parts`
GROUP BY `parts`.`day_fiscal_quarter`
ORDER BY `parts`.`day_fiscal_quarter` ASC NULLS LAST
LIMIT 1000

-- duckdb
WITH "orders_by_day" AS (
  SELECT CAST(date_trunc('day', "orders"."day") AS DATE) AS "day_2", SUM("orders"."amount") AS "revenue"
  FROM "orders"
  GROUP BY CAST(date_trunc('day', "orders"."day") AS DATE)
),
"fiscal_days_2" AS (
  SELECT "fiscal"."day" AS "day", CASE WHEN MIN("fiscal"."quarter") = MAX("fiscal"."quarter") THEN MAX("fiscal"."quarter") END AS "fiscal_quarter", CASE WHEN MIN("fiscal"."year") = MAX("fiscal"."year") THEN MAX("fiscal"."year") END AS "fiscal_year"
  FROM "fiscal_days" AS "fiscal"
  WHERE "fiscal"."day" IS NOT NULL
  GROUP BY "fiscal"."day"
),
"orders_by_day_fiscal_quarter" AS (
  SELECT "fiscal_days_2_2"."fiscal_quarter" AS "day_fiscal_quarter", SUM("orders_by_day"."revenue") AS "revenue"
  FROM "orders_by_day" LEFT JOIN (SELECT "fiscal_days_2"."day" AS "day", "fiscal_days_2"."fiscal_quarter" AS "fiscal_quarter" FROM "fiscal_days_2") AS "fiscal_days_2_2" ON "orders_by_day"."day_2" = "fiscal_days_2_2"."day"
  GROUP BY "fiscal_days_2_2"."fiscal_quarter"
),
"every_fiscal_quarter" AS (
  SELECT "fiscal_days_2_3"."fiscal_quarter" AS "fiscal_quarter", CAST("fiscal_days_2_3"."number" AS BIGINT) AS "number", "fiscal_days_2_3"."first" AS "first", "fiscal_days_2_3"."last" AS "last"
  FROM (SELECT "fiscal_days_2_2"."fiscal_quarter" AS "fiscal_quarter", "fiscal_days_2_2"."first" AS "first", "fiscal_days_2_2"."last" AS "last", ROW_NUMBER() OVER (ORDER BY "fiscal_days_2_2"."first" ASC NULLS LAST) AS "number" FROM (SELECT "fiscal_days_2"."fiscal_quarter" AS "fiscal_quarter", MIN("fiscal_days_2"."day") AS "first", MAX("fiscal_days_2"."day") AS "last" FROM "fiscal_days_2" WHERE "fiscal_days_2"."fiscal_quarter" IS NOT NULL GROUP BY "fiscal_days_2"."fiscal_quarter") AS "fiscal_days_2_2") AS "fiscal_days_2_3"
),
"every_fiscal_year" AS (
  SELECT "fiscal_days_2_3"."fiscal_year" AS "fiscal_year", CAST("fiscal_days_2_3"."number" AS BIGINT) AS "number"
  FROM (SELECT "fiscal_days_2_2"."fiscal_year" AS "fiscal_year", "fiscal_days_2_2"."first" AS "first", ROW_NUMBER() OVER (ORDER BY "fiscal_days_2_2"."first" ASC NULLS LAST) AS "number" FROM (SELECT "fiscal_days_2"."fiscal_year" AS "fiscal_year", MIN("fiscal_days_2"."day") AS "first" FROM "fiscal_days_2" WHERE "fiscal_days_2"."fiscal_year" IS NOT NULL GROUP BY "fiscal_days_2"."fiscal_year") AS "fiscal_days_2_2") AS "fiscal_days_2_3"
),
"periods" AS (
  SELECT "every_fiscal_quarter"."fiscal_quarter" AS "period", "every_fiscal_quarter_8"."fiscal_quarter" AS "earlier"
  FROM "every_fiscal_quarter" JOIN "every_fiscal_quarter" AS "every_fiscal_quarter_2" ON "every_fiscal_quarter"."fiscal_quarter" = "every_fiscal_quarter_2"."fiscal_quarter" LEFT JOIN (SELECT "every_fiscal_quarter_4"."number" AS "number", "every_fiscal_quarter_6"."number" AS "earlier" FROM (SELECT "every_fiscal_quarter_3"."number" AS "number", "every_fiscal_quarter_3"."first" AS "first", "fiscal_days_2"."day" AS "day", "fiscal_days_2"."fiscal_year" AS "fiscal_year", "every_fiscal_year"."fiscal_year" AS "fiscal_year_2", "every_fiscal_year"."number" AS "number_2", ROW_NUMBER() OVER (PARTITION BY "every_fiscal_year"."number" ORDER BY "every_fiscal_quarter_3"."first" ASC NULLS LAST) AS "place" FROM "every_fiscal_quarter" AS "every_fiscal_quarter_3" JOIN "fiscal_days_2" ON "every_fiscal_quarter_3"."first" = "fiscal_days_2"."day" JOIN "every_fiscal_year" ON "fiscal_days_2"."fiscal_year" = "every_fiscal_year"."fiscal_year") AS "every_fiscal_quarter_4" JOIN (SELECT "every_fiscal_quarter_5"."number" AS "number", "every_fiscal_quarter_5"."first" AS "first", "fiscal_days_2_2"."day" AS "day", "fiscal_days_2_2"."fiscal_year" AS "fiscal_year", "every_fiscal_year_2"."fiscal_year" AS "fiscal_year_2", "every_fiscal_year_2"."number" AS "number_2", ROW_NUMBER() OVER (PARTITION BY "every_fiscal_year_2"."number" ORDER BY "every_fiscal_quarter_5"."first" ASC NULLS LAST) AS "place" FROM "every_fiscal_quarter" AS "every_fiscal_quarter_5" JOIN "fiscal_days_2" AS "fiscal_days_2_2" ON "every_fiscal_quarter_5"."first" = "fiscal_days_2_2"."day" JOIN "every_fiscal_year" AS "every_fiscal_year_2" ON "fiscal_days_2_2"."fiscal_year" = "every_fiscal_year_2"."fiscal_year") AS "every_fiscal_quarter_6" ON "every_fiscal_quarter_4"."number_2" - 1 = "every_fiscal_quarter_6"."number_2" AND CAST("every_fiscal_quarter_4"."place" AS BIGINT) = CAST("every_fiscal_quarter_6"."place" AS BIGINT)) AS "every_fiscal_quarter_7" ON "every_fiscal_quarter_2"."number" = "every_fiscal_quarter_7"."number" LEFT JOIN "every_fiscal_quarter" AS "every_fiscal_quarter_8" ON "every_fiscal_quarter_7"."earlier" = "every_fiscal_quarter_8"."number"
),
"orders_by_day_fiscal_quarter_2" AS (
  SELECT "periods"."period" AS "day_fiscal_quarter", SUM("orders_by_day_2"."revenue") AS "revenue"
  FROM "periods" JOIN (SELECT "orders_by_day"."day_2" AS "day", "orders_by_day"."revenue" AS "revenue", "fiscal_days_2"."day" AS "day_2", "fiscal_days_2"."fiscal_quarter" AS "fiscal_quarter" FROM "orders_by_day" JOIN "fiscal_days_2" ON "orders_by_day"."day_2" = "fiscal_days_2"."day" WHERE "fiscal_days_2"."fiscal_quarter" IS NOT NULL) AS "orders_by_day_2" ON "orders_by_day_2"."fiscal_quarter" = "periods"."earlier"
  GROUP BY "periods"."period"
),
"shown" AS (
  SELECT "parts"."day_fiscal_quarter" AS "day_fiscal_quarter"
  FROM (SELECT "orders_by_day_fiscal_quarter"."day_fiscal_quarter" AS "day_fiscal_quarter" FROM "orders_by_day_fiscal_quarter"
UNION ALL SELECT "fiscal_days_2"."fiscal_quarter" AS "day_fiscal_quarter" FROM "orders_by_day" JOIN "fiscal_days_2" ON "orders_by_day"."day_2" = "fiscal_days_2"."day" WHERE "fiscal_days_2"."fiscal_quarter" IS NOT NULL
UNION ALL SELECT "orders_by_day_fiscal_quarter_2"."day_fiscal_quarter" AS "day_fiscal_quarter" FROM "orders_by_day_fiscal_quarter_2") AS "parts"
),
"every_fiscal_quarter_2" AS (
  SELECT "every_fiscal_quarter"."fiscal_quarter" AS "fiscal_quarter"
  FROM "every_fiscal_quarter" CROSS JOIN (SELECT MIN("every_fiscal_quarter_2"."number") AS "least", MAX("every_fiscal_quarter_2"."number") AS "most" FROM "shown" JOIN "every_fiscal_quarter" AS "every_fiscal_quarter_2" ON "shown"."day_fiscal_quarter" = "every_fiscal_quarter_2"."fiscal_quarter") AS "shown_2"
  WHERE "every_fiscal_quarter"."number" >= "shown_2"."least" AND "every_fiscal_quarter"."number" <= "shown_2"."most"
),
"periods_2" AS (
  SELECT "every_fiscal_quarter_2"."fiscal_quarter" AS "period", CAST("every_fiscal_quarter"."last" + INTERVAL (1) day AS DATE) AS "until", "fiscal_days_2_2"."first" AS "since"
  FROM "every_fiscal_quarter_2" JOIN "every_fiscal_quarter" ON "every_fiscal_quarter_2"."fiscal_quarter" = "every_fiscal_quarter"."fiscal_quarter" LEFT JOIN (SELECT "fiscal_days_2"."day" AS "day", "every_fiscal_quarter_3"."first" AS "first" FROM "fiscal_days_2" JOIN "every_fiscal_quarter" AS "every_fiscal_quarter_3" ON "fiscal_days_2"."fiscal_quarter" = "every_fiscal_quarter_3"."fiscal_quarter") AS "fiscal_days_2_2" ON "every_fiscal_quarter"."first" = "fiscal_days_2_2"."day"
),
"orders_by_day_fiscal_quarter_3" AS (
  SELECT "periods_2"."period" AS "day_fiscal_quarter", SUM("orders_by_day_2"."revenue") AS "revenue"
  FROM "periods_2" LEFT JOIN (SELECT "orders_by_day"."day_2" AS "day", "orders_by_day"."revenue" AS "revenue", "fiscal_days_2"."day" AS "day_2", "fiscal_days_2"."fiscal_quarter" AS "fiscal_quarter" FROM "orders_by_day" JOIN "fiscal_days_2" ON "orders_by_day"."day_2" = "fiscal_days_2"."day" WHERE "fiscal_days_2"."fiscal_quarter" IS NOT NULL) AS "orders_by_day_2" ON "orders_by_day_2"."day" >= "periods_2"."since" AND "orders_by_day_2"."day" < "periods_2"."until"
  GROUP BY "periods_2"."period"
)
SELECT "parts"."day_fiscal_quarter" AS "day_fiscal_quarter", MAX("parts"."revenue") AS "revenue", MAX("parts"."revenue_2") AS "revenue_fqtd", MAX("parts"."revenue_3") AS "revenue_last_fiscal_year"
FROM (SELECT "orders_by_day_fiscal_quarter"."day_fiscal_quarter" AS "day_fiscal_quarter", "orders_by_day_fiscal_quarter"."revenue" AS "revenue", (SELECT MAX("orders_by_day_fiscal_quarter_3"."revenue") FROM "orders_by_day_fiscal_quarter_3" WHERE 1 = 0) AS "revenue_2", (SELECT MAX("orders_by_day_fiscal_quarter_2"."revenue") FROM "orders_by_day_fiscal_quarter_2" WHERE 1 = 0) AS "revenue_3" FROM "orders_by_day_fiscal_quarter"
UNION ALL SELECT "orders_by_day_fiscal_quarter_3"."day_fiscal_quarter" AS "day_fiscal_quarter", (SELECT MAX("orders_by_day_fiscal_quarter"."revenue") FROM "orders_by_day_fiscal_quarter" WHERE 1 = 0) AS "revenue", "orders_by_day_fiscal_quarter_3"."revenue" AS "revenue_2", (SELECT MAX("orders_by_day_fiscal_quarter_2"."revenue") FROM "orders_by_day_fiscal_quarter_2" WHERE 1 = 0) AS "revenue_3" FROM "orders_by_day_fiscal_quarter_3"
UNION ALL SELECT "orders_by_day_fiscal_quarter_2"."day_fiscal_quarter" AS "day_fiscal_quarter", (SELECT MAX("orders_by_day_fiscal_quarter"."revenue") FROM "orders_by_day_fiscal_quarter" WHERE 1 = 0) AS "revenue", (SELECT MAX("orders_by_day_fiscal_quarter_3"."revenue") FROM "orders_by_day_fiscal_quarter_3" WHERE 1 = 0) AS "revenue_2", "orders_by_day_fiscal_quarter_2"."revenue" AS "revenue_3" FROM "orders_by_day_fiscal_quarter_2") AS "parts"
GROUP BY "parts"."day_fiscal_quarter"
ORDER BY "parts"."day_fiscal_quarter" ASC NULLS LAST
LIMIT 1000

-- mysql
WITH `orders_by_day` AS (
  SELECT `orders_2`.`day_2` AS `day`, SUM(`orders_2`.`revenue`) AS `revenue`
  FROM (SELECT DATE(`orders`.`day`) AS `day_2`, `orders`.`amount` AS `revenue` FROM `orders`) AS `orders_2`
  GROUP BY `orders_2`.`day_2`
),
`fiscal_days_2` AS (
  SELECT `fiscal`.`day` AS `day`, CASE WHEN MIN(`fiscal`.`quarter`) = MAX(`fiscal`.`quarter`) THEN MAX(`fiscal`.`quarter`) END AS `fiscal_quarter`, CASE WHEN MIN(`fiscal`.`year`) = MAX(`fiscal`.`year`) THEN MAX(`fiscal`.`year`) END AS `fiscal_year`
  FROM `fiscal_days` AS `fiscal`
  WHERE `fiscal`.`day` IS NOT NULL
  GROUP BY `fiscal`.`day`
),
`orders_by_day_fiscal_quarter` AS (
  SELECT `fiscal_days_2_2`.`fiscal_quarter` AS `day_fiscal_quarter`, SUM(`orders_by_day`.`revenue`) AS `revenue`
  FROM `orders_by_day` LEFT JOIN (SELECT `fiscal_days_2`.`day` AS `day`, `fiscal_days_2`.`fiscal_quarter` AS `fiscal_quarter` FROM `fiscal_days_2`) AS `fiscal_days_2_2` ON `orders_by_day`.`day` = `fiscal_days_2_2`.`day`
  GROUP BY `fiscal_days_2_2`.`fiscal_quarter`
),
`every_fiscal_quarter` AS (
  SELECT `fiscal_days_2_3`.`fiscal_quarter` AS `fiscal_quarter`, CAST(`fiscal_days_2_3`.`number` AS SIGNED) AS `number`, `fiscal_days_2_3`.`first` AS `first`, `fiscal_days_2_3`.`last` AS `last`
  FROM (SELECT `fiscal_days_2_2`.`fiscal_quarter` AS `fiscal_quarter`, `fiscal_days_2_2`.`first` AS `first`, `fiscal_days_2_2`.`last` AS `last`, ROW_NUMBER() OVER (ORDER BY `fiscal_days_2_2`.`first` IS NULL, `fiscal_days_2_2`.`first` ASC) AS `number` FROM (SELECT `fiscal_days_2`.`fiscal_quarter` AS `fiscal_quarter`, MIN(`fiscal_days_2`.`day`) AS `first`, MAX(`fiscal_days_2`.`day`) AS `last` FROM `fiscal_days_2` WHERE `fiscal_days_2`.`fiscal_quarter` IS NOT NULL GROUP BY `fiscal_days_2`.`fiscal_quarter`) AS `fiscal_days_2_2`) AS `fiscal_days_2_3`
),
`every_fiscal_year` AS (
  SELECT `fiscal_days_2_3`.`fiscal_year` AS `fiscal_year`, CAST(`fiscal_days_2_3`.`number` AS SIGNED) AS `number`
  FROM (SELECT `fiscal_days_2_2`.`fiscal_year` AS `fiscal_year`, `fiscal_days_2_2`.`first` AS `first`, ROW_NUMBER() OVER (ORDER BY `fiscal_days_2_2`.`first` IS NULL, `fiscal_days_2_2`.`first` ASC) AS `number` FROM (SELECT `fiscal_days_2`.`fiscal_year` AS `fiscal_year`, MIN(`fiscal_days_2`.`day`) AS `first` FROM `fiscal_days_2` WHERE `fiscal_days_2`.`fiscal_year` IS NOT NULL GROUP BY `fiscal_days_2`.`fiscal_year`) AS `fiscal_days_2_2`) AS `fiscal_days_2_3`
),
`periods` AS (
  SELECT `every_fiscal_quarter`.`fiscal_quarter` AS `period`, `every_fiscal_quarter_8`.`fiscal_quarter` AS `earlier`
  FROM `every_fiscal_quarter` JOIN `every_fiscal_quarter` AS `every_fiscal_quarter_2` ON `every_fiscal_quarter`.`fiscal_quarter` = `every_fiscal_quarter_2`.`fiscal_quarter` LEFT JOIN (SELECT `every_fiscal_quarter_4`.`number` AS `number`, `every_fiscal_quarter_6`.`number` AS `earlier` FROM (SELECT `every_fiscal_quarter_3`.`number` AS `number`, `every_fiscal_quarter_3`.`first` AS `first`, `fiscal_days_2`.`day` AS `day`, `fiscal_days_2`.`fiscal_year` AS `fiscal_year`, `every_fiscal_year`.`fiscal_year` AS `fiscal_year_2`, `every_fiscal_year`.`number` AS `number_2`, ROW_NUMBER() OVER (PARTITION BY `every_fiscal_year`.`number` ORDER BY `every_fiscal_quarter_3`.`first` IS NULL, `every_fiscal_quarter_3`.`first` ASC) AS `place` FROM `every_fiscal_quarter` AS `every_fiscal_quarter_3` JOIN `fiscal_days_2` ON `every_fiscal_quarter_3`.`first` = `fiscal_days_2`.`day` JOIN `every_fiscal_year` ON `fiscal_days_2`.`fiscal_year` = `every_fiscal_year`.`fiscal_year`) AS `every_fiscal_quarter_4` JOIN (SELECT `every_fiscal_quarter_5`.`number` AS `number`, `every_fiscal_quarter_5`.`first` AS `first`, `fiscal_days_2_2`.`day` AS `day`, `fiscal_days_2_2`.`fiscal_year` AS `fiscal_year`, `every_fiscal_year_2`.`fiscal_year` AS `fiscal_year_2`, `every_fiscal_year_2`.`number` AS `number_2`, ROW_NUMBER() OVER (PARTITION BY `every_fiscal_year_2`.`number` ORDER BY `every_fiscal_quarter_5`.`first` IS NULL, `every_fiscal_quarter_5`.`first` ASC) AS `place` FROM `every_fiscal_quarter` AS `every_fiscal_quarter_5` JOIN `fiscal_days_2` AS `fiscal_days_2_2` ON `every_fiscal_quarter_5`.`first` = `fiscal_days_2_2`.`day` JOIN `every_fiscal_year` AS `every_fiscal_year_2` ON `fiscal_days_2_2`.`fiscal_year` = `every_fiscal_year_2`.`fiscal_year`) AS `every_fiscal_quarter_6` ON `every_fiscal_quarter_4`.`number_2` - 1 = `every_fiscal_quarter_6`.`number_2` AND CAST(`every_fiscal_quarter_4`.`place` AS SIGNED) = CAST(`every_fiscal_quarter_6`.`place` AS SIGNED)) AS `every_fiscal_quarter_7` ON `every_fiscal_quarter_2`.`number` = `every_fiscal_quarter_7`.`number` LEFT JOIN `every_fiscal_quarter` AS `every_fiscal_quarter_8` ON `every_fiscal_quarter_7`.`earlier` = `every_fiscal_quarter_8`.`number`
),
`orders_by_day_fiscal_quarter_2` AS (
  SELECT `periods`.`period` AS `day_fiscal_quarter`, SUM(`orders_by_day_2`.`revenue`) AS `revenue`
  FROM `periods` JOIN (SELECT `orders_by_day`.`day` AS `day`, `orders_by_day`.`revenue` AS `revenue`, `fiscal_days_2`.`day` AS `day_2`, `fiscal_days_2`.`fiscal_quarter` AS `fiscal_quarter` FROM `orders_by_day` JOIN `fiscal_days_2` ON `orders_by_day`.`day` = `fiscal_days_2`.`day` WHERE `fiscal_days_2`.`fiscal_quarter` IS NOT NULL) AS `orders_by_day_2` ON `orders_by_day_2`.`fiscal_quarter` = `periods`.`earlier`
  GROUP BY `periods`.`period`
),
`shown` AS (
  SELECT `parts`.`day_fiscal_quarter` AS `day_fiscal_quarter`
  FROM (SELECT `orders_by_day_fiscal_quarter`.`day_fiscal_quarter` AS `day_fiscal_quarter` FROM `orders_by_day_fiscal_quarter`
UNION ALL SELECT `fiscal_days_2`.`fiscal_quarter` AS `day_fiscal_quarter` FROM `orders_by_day` JOIN `fiscal_days_2` ON `orders_by_day`.`day` = `fiscal_days_2`.`day` WHERE `fiscal_days_2`.`fiscal_quarter` IS NOT NULL
UNION ALL SELECT `orders_by_day_fiscal_quarter_2`.`day_fiscal_quarter` AS `day_fiscal_quarter` FROM `orders_by_day_fiscal_quarter_2`) AS `parts`
),
`every_fiscal_quarter_2` AS (
  SELECT `every_fiscal_quarter`.`fiscal_quarter` AS `fiscal_quarter`
  FROM `every_fiscal_quarter` CROSS JOIN (SELECT MIN(`every_fiscal_quarter_2`.`number`) AS `least`, MAX(`every_fiscal_quarter_2`.`number`) AS `most` FROM `shown` JOIN `every_fiscal_quarter` AS `every_fiscal_quarter_2` ON `shown`.`day_fiscal_quarter` = `every_fiscal_quarter_2`.`fiscal_quarter`) AS `shown_2`
  WHERE `every_fiscal_quarter`.`number` >= `shown_2`.`least` AND `every_fiscal_quarter`.`number` <= `shown_2`.`most`
),
`periods_2` AS (
  SELECT `every_fiscal_quarter_2`.`fiscal_quarter` AS `period`, DATE_ADD(`every_fiscal_quarter`.`last`, INTERVAL 1 DAY) AS `until`, `fiscal_days_2_2`.`first` AS `since`
  FROM `every_fiscal_quarter_2` JOIN `every_fiscal_quarter` ON `every_fiscal_quarter_2`.`fiscal_quarter` = `every_fiscal_quarter`.`fiscal_quarter` LEFT JOIN (SELECT `fiscal_days_2`.`day` AS `day`, `every_fiscal_quarter_3`.`first` AS `first` FROM `fiscal_days_2` JOIN `every_fiscal_quarter` AS `every_fiscal_quarter_3` ON `fiscal_days_2`.`fiscal_quarter` = `every_fiscal_quarter_3`.`fiscal_quarter`) AS `fiscal_days_2_2` ON `every_fiscal_quarter`.`first` = `fiscal_days_2_2`.`day`
),
`orders_by_day_fiscal_quarter_3` AS (
  SELECT `periods_2`.`period` AS `day_fiscal_quarter`, SUM(`orders_by_day_2`.`revenue`) AS `revenue`
  FROM `periods_2` LEFT JOIN (SELECT `orders_by_day`.`day` AS `day`, `orders_by_day`.`revenue` AS `revenue`, `fiscal_days_2`.`day` AS `day_2`, `fiscal_days_2`.`fiscal_quarter` AS `fiscal_quarter` FROM `orders_by_day` JOIN `fiscal_days_2` ON `orders_by_day`.`day` = `fiscal_days_2`.`day` WHERE `fiscal_days_2`.`fiscal_quarter` IS NOT NULL) AS `orders_by_day_2` ON `orders_by_day_2`.`day` >= `periods_2`.`since` AND `orders_by_day_2`.`day` < `periods_2`.`until`
  GROUP BY `periods_2`.`period`
)
SELECT `parts`.`day_fiscal_quarter` AS `day_fiscal_quarter`, MAX(`parts`.`revenue`) AS `revenue`, MAX(`parts`.`revenue_2`) AS `revenue_fqtd`, MAX(`parts`.`revenue_3`) AS `revenue_last_fiscal_year`
FROM (SELECT `orders_by_day_fiscal_quarter`.`day_fiscal_quarter` AS `day_fiscal_quarter`, `orders_by_day_fiscal_quarter`.`revenue` AS `revenue`, (SELECT MAX(`orders_by_day_fiscal_quarter_3`.`revenue`) FROM `orders_by_day_fiscal_quarter_3` WHERE 1 = 0) AS `revenue_2`, (SELECT MAX(`orders_by_day_fiscal_quarter_2`.`revenue`) FROM `orders_by_day_fiscal_quarter_2` WHERE 1 = 0) AS `revenue_3` FROM `orders_by_day_fiscal_quarter`
UNION ALL SELECT `orders_by_day_fiscal_quarter_3`.`day_fiscal_quarter` AS `day_fiscal_quarter`, (SELECT MAX(`orders_by_day_fiscal_quarter`.`revenue`) FROM `orders_by_day_fiscal_quarter` WHERE 1 = 0) AS `revenue`, `orders_by_day_fiscal_quarter_3`.`revenue` AS `revenue_2`, (SELECT MAX(`orders_by_day_fiscal_quarter_2`.`revenue`) FROM `orders_by_day_fiscal_quarter_2` WHERE 1 = 0) AS `revenue_3` FROM `orders_by_day_fiscal_quarter_3`
UNION ALL SELECT `orders_by_day_fiscal_quarter_2`.`day_fiscal_quarter` AS `day_fiscal_quarter`, (SELECT MAX(`orders_by_day_fiscal_quarter`.`revenue`) FROM `orders_by_day_fiscal_quarter` WHERE 1 = 0) AS `revenue`, (SELECT MAX(`orders_by_day_fiscal_quarter_3`.`revenue`) FROM `orders_by_day_fiscal_quarter_3` WHERE 1 = 0) AS `revenue_2`, `orders_by_day_fiscal_quarter_2`.`revenue` AS `revenue_3` FROM `orders_by_day_fiscal_quarter_2`) AS `parts`
GROUP BY `parts`.`day_fiscal_quarter`
ORDER BY `parts`.`day_fiscal_quarter` IS NULL, `parts`.`day_fiscal_quarter` ASC
LIMIT 1000

-- postgres
WITH "orders_by_day" AS (
  SELECT CAST("orders"."day" AS date) AS "day_2", SUM("orders"."amount") AS "revenue"
  FROM "orders"
  GROUP BY CAST("orders"."day" AS date)
),
"fiscal_days_2" AS (
  SELECT "fiscal"."day" AS "day", CASE WHEN MIN("fiscal"."quarter") = MAX("fiscal"."quarter") THEN MAX("fiscal"."quarter") END AS "fiscal_quarter", CASE WHEN MIN("fiscal"."year") = MAX("fiscal"."year") THEN MAX("fiscal"."year") END AS "fiscal_year"
  FROM "fiscal_days" AS "fiscal"
  WHERE "fiscal"."day" IS NOT NULL
  GROUP BY "fiscal"."day"
),
"orders_by_day_fiscal_quarter" AS (
  SELECT "fiscal_days_2_2"."fiscal_quarter" AS "day_fiscal_quarter", SUM("orders_by_day"."revenue") AS "revenue"
  FROM "orders_by_day" LEFT JOIN (SELECT "fiscal_days_2"."day" AS "day", "fiscal_days_2"."fiscal_quarter" AS "fiscal_quarter" FROM "fiscal_days_2") AS "fiscal_days_2_2" ON "orders_by_day"."day_2" = "fiscal_days_2_2"."day"
  GROUP BY "fiscal_days_2_2"."fiscal_quarter"
),
"every_fiscal_quarter" AS (
  SELECT "fiscal_days_2_3"."fiscal_quarter" AS "fiscal_quarter", CAST("fiscal_days_2_3"."number" AS bigint) AS "number", "fiscal_days_2_3"."first" AS "first", "fiscal_days_2_3"."last" AS "last"
  FROM (SELECT "fiscal_days_2_2"."fiscal_quarter" AS "fiscal_quarter", "fiscal_days_2_2"."first" AS "first", "fiscal_days_2_2"."last" AS "last", ROW_NUMBER() OVER (ORDER BY "fiscal_days_2_2"."first" ASC NULLS LAST) AS "number" FROM (SELECT "fiscal_days_2"."fiscal_quarter" AS "fiscal_quarter", MIN("fiscal_days_2"."day") AS "first", MAX("fiscal_days_2"."day") AS "last" FROM "fiscal_days_2" WHERE "fiscal_days_2"."fiscal_quarter" IS NOT NULL GROUP BY "fiscal_days_2"."fiscal_quarter") AS "fiscal_days_2_2") AS "fiscal_days_2_3"
),
"every_fiscal_year" AS (
  SELECT "fiscal_days_2_3"."fiscal_year" AS "fiscal_year", CAST("fiscal_days_2_3"."number" AS bigint) AS "number"
  FROM (SELECT "fiscal_days_2_2"."fiscal_year" AS "fiscal_year", "fiscal_days_2_2"."first" AS "first", ROW_NUMBER() OVER (ORDER BY "fiscal_days_2_2"."first" ASC NULLS LAST) AS "number" FROM (SELECT "fiscal_days_2"."fiscal_year" AS "fiscal_year", MIN("fiscal_days_2"."day") AS "first" FROM "fiscal_days_2" WHERE "fiscal_days_2"."fiscal_year" IS NOT NULL GROUP BY "fiscal_days_2"."fiscal_year") AS "fiscal_days_2_2") AS "fiscal_days_2_3"
),
"periods" AS (
  SELECT "every_fiscal_quarter"."fiscal_quarter" AS "period", "every_fiscal_quarter_8"."fiscal_quarter" AS "earlier"
  FROM "every_fiscal_quarter" JOIN "every_fiscal_quarter" AS "every_fiscal_quarter_2" ON "every_fiscal_quarter"."fiscal_quarter" = "every_fiscal_quarter_2"."fiscal_quarter" LEFT JOIN (SELECT "every_fiscal_quarter_4"."number" AS "number", "every_fiscal_quarter_6"."number" AS "earlier" FROM (SELECT "every_fiscal_quarter_3"."number" AS "number", "every_fiscal_quarter_3"."first" AS "first", "fiscal_days_2"."day" AS "day", "fiscal_days_2"."fiscal_year" AS "fiscal_year", "every_fiscal_year"."fiscal_year" AS "fiscal_year_2", "every_fiscal_year"."number" AS "number_2", ROW_NUMBER() OVER (PARTITION BY "every_fiscal_year"."number" ORDER BY "every_fiscal_quarter_3"."first" ASC NULLS LAST) AS "place" FROM "every_fiscal_quarter" AS "every_fiscal_quarter_3" JOIN "fiscal_days_2" ON "every_fiscal_quarter_3"."first" = "fiscal_days_2"."day" JOIN "every_fiscal_year" ON "fiscal_days_2"."fiscal_year" = "every_fiscal_year"."fiscal_year") AS "every_fiscal_quarter_4" JOIN (SELECT "every_fiscal_quarter_5"."number" AS "number", "every_fiscal_quarter_5"."first" AS "first", "fiscal_days_2_2"."day" AS "day", "fiscal_days_2_2"."fiscal_year" AS "fiscal_year", "every_fiscal_year_2"."fiscal_year" AS "fiscal_year_2", "every_fiscal_year_2"."number" AS "number_2", ROW_NUMBER() OVER (PARTITION BY "every_fiscal_year_2"."number" ORDER BY "every_fiscal_quarter_5"."first" ASC NULLS LAST) AS "place" FROM "every_fiscal_quarter" AS "every_fiscal_quarter_5" JOIN "fiscal_days_2" AS "fiscal_days_2_2" ON "every_fiscal_quarter_5"."first" = "fiscal_days_2_2"."day" JOIN "every_fiscal_year" AS "every_fiscal_year_2" ON "fiscal_days_2_2"."fiscal_year" = "every_fiscal_year_2"."fiscal_year") AS "every_fiscal_quarter_6" ON "every_fiscal_quarter_4"."number_2" - 1 = "every_fiscal_quarter_6"."number_2" AND CAST("every_fiscal_quarter_4"."place" AS bigint) = CAST("every_fiscal_quarter_6"."place" AS bigint)) AS "every_fiscal_quarter_7" ON "every_fiscal_quarter_2"."number" = "every_fiscal_quarter_7"."number" LEFT JOIN "every_fiscal_quarter" AS "every_fiscal_quarter_8" ON "every_fiscal_quarter_7"."earlier" = "every_fiscal_quarter_8"."number"
),
"orders_by_day_fiscal_quarter_2" AS (
  SELECT "periods"."period" AS "day_fiscal_quarter", SUM("orders_by_day_2"."revenue") AS "revenue"
  FROM "periods" JOIN (SELECT "orders_by_day"."day_2" AS "day", "orders_by_day"."revenue" AS "revenue", "fiscal_days_2"."day" AS "day_2", "fiscal_days_2"."fiscal_quarter" AS "fiscal_quarter" FROM "orders_by_day" JOIN "fiscal_days_2" ON "orders_by_day"."day_2" = "fiscal_days_2"."day" WHERE "fiscal_days_2"."fiscal_quarter" IS NOT NULL) AS "orders_by_day_2" ON "orders_by_day_2"."fiscal_quarter" = "periods"."earlier"
  GROUP BY "periods"."period"
),
"shown" AS (
  SELECT "parts"."day_fiscal_quarter" AS "day_fiscal_quarter"
  FROM (SELECT "orders_by_day_fiscal_quarter"."day_fiscal_quarter" AS "day_fiscal_quarter" FROM "orders_by_day_fiscal_quarter"
UNION ALL SELECT "fiscal_days_2"."fiscal_quarter" AS "day_fiscal_quarter" FROM "orders_by_day" JOIN "fiscal_days_2" ON "orders_by_day"."day_2" = "fiscal_days_2"."day" WHERE "fiscal_days_2"."fiscal_quarter" IS NOT NULL
UNION ALL SELECT "orders_by_day_fiscal_quarter_2"."day_fiscal_quarter" AS "day_fiscal_quarter" FROM "orders_by_day_fiscal_quarter_2") AS "parts"
),
"every_fiscal_quarter_2" AS (
  SELECT "every_fiscal_quarter"."fiscal_quarter" AS "fiscal_quarter"
  FROM "every_fiscal_quarter" CROSS JOIN (SELECT MIN("every_fiscal_quarter_2"."number") AS "least", MAX("every_fiscal_quarter_2"."number") AS "most" FROM "shown" JOIN "every_fiscal_quarter" AS "every_fiscal_quarter_2" ON "shown"."day_fiscal_quarter" = "every_fiscal_quarter_2"."fiscal_quarter") AS "shown_2"
  WHERE "every_fiscal_quarter"."number" >= "shown_2"."least" AND "every_fiscal_quarter"."number" <= "shown_2"."most"
),
"periods_2" AS (
  SELECT "every_fiscal_quarter_2"."fiscal_quarter" AS "period", CAST("every_fiscal_quarter"."last" + make_interval(days => 1) AS date) AS "until", "fiscal_days_2_2"."first" AS "since"
  FROM "every_fiscal_quarter_2" JOIN "every_fiscal_quarter" ON "every_fiscal_quarter_2"."fiscal_quarter" = "every_fiscal_quarter"."fiscal_quarter" LEFT JOIN (SELECT "fiscal_days_2"."day" AS "day", "every_fiscal_quarter_3"."first" AS "first" FROM "fiscal_days_2" JOIN "every_fiscal_quarter" AS "every_fiscal_quarter_3" ON "fiscal_days_2"."fiscal_quarter" = "every_fiscal_quarter_3"."fiscal_quarter") AS "fiscal_days_2_2" ON "every_fiscal_quarter"."first" = "fiscal_days_2_2"."day"
),
"orders_by_day_fiscal_quarter_3" AS (
  SELECT "periods_2"."period" AS "day_fiscal_quarter", SUM("orders_by_day_2"."revenue") AS "revenue"
  FROM "periods_2" LEFT JOIN (SELECT "orders_by_day"."day_2" AS "day", "orders_by_day"."revenue" AS "revenue", "fiscal_days_2"."day" AS "day_2", "fiscal_days_2"."fiscal_quarter" AS "fiscal_quarter" FROM "orders_by_day" JOIN "fiscal_days_2" ON "orders_by_day"."day_2" = "fiscal_days_2"."day" WHERE "fiscal_days_2"."fiscal_quarter" IS NOT NULL) AS "orders_by_day_2" ON "orders_by_day_2"."day" >= "periods_2"."since" AND "orders_by_day_2"."day" < "periods_2"."until"
  GROUP BY "periods_2"."period"
)
SELECT "parts"."day_fiscal_quarter" AS "day_fiscal_quarter", MAX("parts"."revenue") AS "revenue", MAX("parts"."revenue_2") AS "revenue_fqtd", MAX("parts"."revenue_3") AS "revenue_last_fiscal_year"
FROM (SELECT "orders_by_day_fiscal_quarter"."day_fiscal_quarter" AS "day_fiscal_quarter", "orders_by_day_fiscal_quarter"."revenue" AS "revenue", (SELECT MAX("orders_by_day_fiscal_quarter_3"."revenue") FROM "orders_by_day_fiscal_quarter_3" WHERE 1 = 0) AS "revenue_2", (SELECT MAX("orders_by_day_fiscal_quarter_2"."revenue") FROM "orders_by_day_fiscal_quarter_2" WHERE 1 = 0) AS "revenue_3" FROM "orders_by_day_fiscal_quarter"
UNION ALL SELECT "orders_by_day_fiscal_quarter_3"."day_fiscal_quarter" AS "day_fiscal_quarter", (SELECT MAX("orders_by_day_fiscal_quarter"."revenue") FROM "orders_by_day_fiscal_quarter" WHERE 1 = 0) AS "revenue", "orders_by_day_fiscal_quarter_3"."revenue" AS "revenue_2", (SELECT MAX("orders_by_day_fiscal_quarter_2"."revenue") FROM "orders_by_day_fiscal_quarter_2" WHERE 1 = 0) AS "revenue_3" FROM "orders_by_day_fiscal_quarter_3"
UNION ALL SELECT "orders_by_day_fiscal_quarter_2"."day_fiscal_quarter" AS "day_fiscal_quarter", (SELECT MAX("orders_by_day_fiscal_quarter"."revenue") FROM "orders_by_day_fiscal_quarter" WHERE 1 = 0) AS "revenue", (SELECT MAX("orders_by_day_fiscal_quarter_3"."revenue") FROM "orders_by_day_fiscal_quarter_3" WHERE 1 = 0) AS "revenue_2", "orders_by_day_fiscal_quarter_2"."revenue" AS "revenue_3" FROM "orders_by_day_fiscal_quarter_2") AS "parts"
GROUP BY "parts"."day_fiscal_quarter"
ORDER BY "parts"."day_fiscal_quarter" ASC NULLS LAST
LIMIT 1000

-- snowflake
WITH "orders_by_day" AS (
  SELECT DATE_TRUNC('DAY', "orders"."DAY")::DATE AS "day_2", SUM("orders"."AMOUNT") AS "revenue"
  FROM "ORDERS" AS "orders"
  GROUP BY DATE_TRUNC('DAY', "orders"."DAY")::DATE
),
"fiscal_days_2" AS (
  SELECT "fiscal"."DAY" AS "day_2", CASE WHEN MIN("fiscal"."QUARTER") = MAX("fiscal"."QUARTER") THEN MAX("fiscal"."QUARTER") END AS "fiscal_quarter", CASE WHEN MIN("fiscal"."YEAR") = MAX("fiscal"."YEAR") THEN MAX("fiscal"."YEAR") END AS "fiscal_year"
  FROM "FISCAL_DAYS" AS "fiscal"
  WHERE "fiscal"."DAY" IS NOT NULL
  GROUP BY "fiscal"."DAY"
),
"orders_by_day_fiscal_quarter" AS (
  SELECT "fiscal_days_2_2"."fiscal_quarter" AS "day_fiscal_quarter", SUM("orders_by_day"."revenue") AS "revenue"
  FROM "orders_by_day" LEFT JOIN (SELECT "fiscal_days_2"."day_2" AS "day", "fiscal_days_2"."fiscal_quarter" AS "fiscal_quarter" FROM "fiscal_days_2") AS "fiscal_days_2_2" ON "orders_by_day"."day_2" = "fiscal_days_2_2"."day"
  GROUP BY "fiscal_days_2_2"."fiscal_quarter"
),
"every_fiscal_quarter" AS (
  SELECT "fiscal_days_2_3"."fiscal_quarter" AS "fiscal_quarter", CAST("fiscal_days_2_3"."number" AS NUMBER(38,0)) AS "number", "fiscal_days_2_3"."first" AS "first", "fiscal_days_2_3"."last" AS "last"
  FROM (SELECT "fiscal_days_2_2"."fiscal_quarter" AS "fiscal_quarter", "fiscal_days_2_2"."first" AS "first", "fiscal_days_2_2"."last" AS "last", ROW_NUMBER() OVER (ORDER BY "fiscal_days_2_2"."first" ASC NULLS LAST) AS "number" FROM (SELECT "fiscal_days_2"."fiscal_quarter" AS "fiscal_quarter", MIN("fiscal_days_2"."day_2") AS "first", MAX("fiscal_days_2"."day_2") AS "last" FROM "fiscal_days_2" WHERE "fiscal_days_2"."fiscal_quarter" IS NOT NULL GROUP BY "fiscal_days_2"."fiscal_quarter") AS "fiscal_days_2_2") AS "fiscal_days_2_3"
),
"every_fiscal_year" AS (
  SELECT "fiscal_days_2_3"."fiscal_year" AS "fiscal_year", CAST("fiscal_days_2_3"."number" AS NUMBER(38,0)) AS "number"
  FROM (SELECT "fiscal_days_2_2"."fiscal_year" AS "fiscal_year", "fiscal_days_2_2"."first" AS "first", ROW_NUMBER() OVER (ORDER BY "fiscal_days_2_2"."first" ASC NULLS LAST) AS "number" FROM (SELECT "fiscal_days_2"."fiscal_year" AS "fiscal_year", MIN("fiscal_days_2"."day_2") AS "first" FROM "fiscal_days_2" WHERE "fiscal_days_2"."fiscal_year" IS NOT NULL GROUP BY "fiscal_days_2"."fiscal_year") AS "fiscal_days_2_2") AS "fiscal_days_2_3"
),
"periods" AS (
  SELECT "every_fiscal_quarter"."fiscal_quarter" AS "period", "every_fiscal_quarter_8"."fiscal_quarter" AS "earlier"
  FROM "every_fiscal_quarter" JOIN "every_fiscal_quarter" AS "every_fiscal_quarter_2" ON "every_fiscal_quarter"."fiscal_quarter" = "every_fiscal_quarter_2"."fiscal_quarter" LEFT JOIN (SELECT "every_fiscal_quarter_4"."number" AS "number", "every_fiscal_quarter_6"."number" AS "earlier" FROM (SELECT "every_fiscal_quarter_3"."number" AS "number", "every_fiscal_quarter_3"."first" AS "first", "fiscal_days_2"."day_2" AS "day", "fiscal_days_2"."fiscal_year" AS "fiscal_year", "every_fiscal_year"."fiscal_year" AS "fiscal_year_2", "every_fiscal_year"."number" AS "number_2", ROW_NUMBER() OVER (PARTITION BY "every_fiscal_year"."number" ORDER BY "every_fiscal_quarter_3"."first" ASC NULLS LAST) AS "place" FROM "every_fiscal_quarter" AS "every_fiscal_quarter_3" JOIN "fiscal_days_2" ON "every_fiscal_quarter_3"."first" = "fiscal_days_2"."day_2" JOIN "every_fiscal_year" ON "fiscal_days_2"."fiscal_year" = "every_fiscal_year"."fiscal_year") AS "every_fiscal_quarter_4" JOIN (SELECT "every_fiscal_quarter_5"."number" AS "number", "every_fiscal_quarter_5"."first" AS "first", "fiscal_days_2_2"."day_2" AS "day", "fiscal_days_2_2"."fiscal_year" AS "fiscal_year", "every_fiscal_year_2"."fiscal_year" AS "fiscal_year_2", "every_fiscal_year_2"."number" AS "number_2", ROW_NUMBER() OVER (PARTITION BY "every_fiscal_year_2"."number" ORDER BY "every_fiscal_quarter_5"."first" ASC NULLS LAST) AS "place" FROM "every_fiscal_quarter" AS "every_fiscal_quarter_5" JOIN "fiscal_days_2" AS "fiscal_days_2_2" ON "every_fiscal_quarter_5"."first" = "fiscal_days_2_2"."day_2" JOIN "every_fiscal_year" AS "every_fiscal_year_2" ON "fiscal_days_2_2"."fiscal_year" = "every_fiscal_year_2"."fiscal_year") AS "every_fiscal_quarter_6" ON "every_fiscal_quarter_4"."number_2" - 1 = "every_fiscal_quarter_6"."number_2" AND CAST("every_fiscal_quarter_4"."place" AS NUMBER(38,0)) = CAST("every_fiscal_quarter_6"."place" AS NUMBER(38,0))) AS "every_fiscal_quarter_7" ON "every_fiscal_quarter_2"."number" = "every_fiscal_quarter_7"."number" LEFT JOIN "every_fiscal_quarter" AS "every_fiscal_quarter_8" ON "every_fiscal_quarter_7"."earlier" = "every_fiscal_quarter_8"."number"
),
"orders_by_day_fiscal_quarter_2" AS (
  SELECT "periods"."period" AS "day_fiscal_quarter", SUM("orders_by_day_2"."revenue") AS "revenue"
  FROM "periods" JOIN (SELECT "orders_by_day"."day_2" AS "day", "orders_by_day"."revenue" AS "revenue", "fiscal_days_2"."day_2" AS "day_2", "fiscal_days_2"."fiscal_quarter" AS "fiscal_quarter" FROM "orders_by_day" JOIN "fiscal_days_2" ON "orders_by_day"."day_2" = "fiscal_days_2"."day_2" WHERE "fiscal_days_2"."fiscal_quarter" IS NOT NULL) AS "orders_by_day_2" ON "orders_by_day_2"."fiscal_quarter" = "periods"."earlier"
  GROUP BY "periods"."period"
),
"shown" AS (
  SELECT "parts"."day_fiscal_quarter" AS "day_fiscal_quarter"
  FROM (SELECT "orders_by_day_fiscal_quarter"."day_fiscal_quarter" AS "day_fiscal_quarter" FROM "orders_by_day_fiscal_quarter"
UNION ALL SELECT "fiscal_days_2"."fiscal_quarter" AS "day_fiscal_quarter" FROM "orders_by_day" JOIN "fiscal_days_2" ON "orders_by_day"."day_2" = "fiscal_days_2"."day_2" WHERE "fiscal_days_2"."fiscal_quarter" IS NOT NULL
UNION ALL SELECT "orders_by_day_fiscal_quarter_2"."day_fiscal_quarter" AS "day_fiscal_quarter" FROM "orders_by_day_fiscal_quarter_2") AS "parts"
),
"every_fiscal_quarter_2" AS (
  SELECT "every_fiscal_quarter"."fiscal_quarter" AS "fiscal_quarter"
  FROM "every_fiscal_quarter" CROSS JOIN (SELECT MIN("every_fiscal_quarter_2"."number") AS "least", MAX("every_fiscal_quarter_2"."number") AS "most" FROM "shown" JOIN "every_fiscal_quarter" AS "every_fiscal_quarter_2" ON "shown"."day_fiscal_quarter" = "every_fiscal_quarter_2"."fiscal_quarter") AS "shown_2"
  WHERE "every_fiscal_quarter"."number" >= "shown_2"."least" AND "every_fiscal_quarter"."number" <= "shown_2"."most"
),
"periods_2" AS (
  SELECT "every_fiscal_quarter_2"."fiscal_quarter" AS "period", DATEADD(DAY, 1, "every_fiscal_quarter"."last") AS "until", "fiscal_days_2_2"."first" AS "since"
  FROM "every_fiscal_quarter_2" JOIN "every_fiscal_quarter" ON "every_fiscal_quarter_2"."fiscal_quarter" = "every_fiscal_quarter"."fiscal_quarter" LEFT JOIN (SELECT "fiscal_days_2"."day_2" AS "day", "every_fiscal_quarter_3"."first" AS "first" FROM "fiscal_days_2" JOIN "every_fiscal_quarter" AS "every_fiscal_quarter_3" ON "fiscal_days_2"."fiscal_quarter" = "every_fiscal_quarter_3"."fiscal_quarter") AS "fiscal_days_2_2" ON "every_fiscal_quarter"."first" = "fiscal_days_2_2"."day"
),
"orders_by_day_fiscal_quarter_3" AS (
  SELECT "periods_2"."period" AS "day_fiscal_quarter", SUM("orders_by_day_2"."revenue") AS "revenue"
  FROM "periods_2" LEFT JOIN (SELECT "orders_by_day"."day_2" AS "day", "orders_by_day"."revenue" AS "revenue", "fiscal_days_2"."day_2" AS "day_2", "fiscal_days_2"."fiscal_quarter" AS "fiscal_quarter" FROM "orders_by_day" JOIN "fiscal_days_2" ON "orders_by_day"."day_2" = "fiscal_days_2"."day_2" WHERE "fiscal_days_2"."fiscal_quarter" IS NOT NULL) AS "orders_by_day_2" ON "orders_by_day_2"."day" >= "periods_2"."since" AND "orders_by_day_2"."day" < "periods_2"."until"
  GROUP BY "periods_2"."period"
)
SELECT "parts"."day_fiscal_quarter" AS "day_fiscal_quarter", MAX("parts"."revenue") AS "revenue", MAX("parts"."revenue_2") AS "revenue_fqtd", MAX("parts"."revenue_3") AS "revenue_last_fiscal_year"
FROM (SELECT "orders_by_day_fiscal_quarter"."day_fiscal_quarter" AS "day_fiscal_quarter", "orders_by_day_fiscal_quarter"."revenue" AS "revenue", (SELECT MAX("orders_by_day_fiscal_quarter_3"."revenue") FROM "orders_by_day_fiscal_quarter_3" WHERE 1 = 0) AS "revenue_2", (SELECT MAX("orders_by_day_fiscal_quarter_2"."revenue") FROM "orders_by_day_fiscal_quarter_2" WHERE 1 = 0) AS "revenue_3" FROM "orders_by_day_fiscal_quarter"
UNION ALL SELECT "orders_by_day_fiscal_quarter_3"."day_fiscal_quarter" AS "day_fiscal_quarter", (SELECT MAX("orders_by_day_fiscal_quarter"."revenue") FROM "orders_by_day_fiscal_quarter" WHERE 1 = 0) AS "revenue", "orders_by_day_fiscal_quarter_3"."revenue" AS "revenue_2", (SELECT MAX("orders_by_day_fiscal_quarter_2"."revenue") FROM "orders_by_day_fiscal_quarter_2" WHERE 1 = 0) AS "revenue_3" FROM "orders_by_day_fiscal_quarter_3"
UNION ALL SELECT "orders_by_day_fiscal_quarter_2"."day_fiscal_quarter" AS "day_fiscal_quarter", (SELECT MAX("orders_by_day_fiscal_quarter"."revenue") FROM "orders_by_day_fiscal_quarter" WHERE 1 = 0) AS "revenue", (SELECT MAX("orders_by_day_fiscal_quarter_3"."revenue") FROM "orders_by_day_fiscal_quarter_3" WHERE 1 = 0) AS "revenue_2", "orders_by_day_fiscal_quarter_2"."revenue" AS "revenue_3" FROM "orders_by_day_fiscal_quarter_2") AS "parts"
GROUP BY "parts"."day_fiscal_quarter"
ORDER BY "parts"."day_fiscal_quarter" ASC NULLS LAST
LIMIT 1000

-- sqlite
WITH "orders_by_day" AS (
  SELECT date("orders"."day") AS "day_2", SUM("orders"."amount") AS "revenue"
  FROM "orders"
  GROUP BY date("orders"."day")
),
"fiscal_days_2" AS (
  SELECT "fiscal"."day" AS "day", CASE WHEN MIN("fiscal"."quarter") = MAX("fiscal"."quarter") THEN MAX("fiscal"."quarter") END AS "fiscal_quarter", CASE WHEN MIN("fiscal"."year") = MAX("fiscal"."year") THEN MAX("fiscal"."year") END AS "fiscal_year"
  FROM "fiscal_days" AS "fiscal"
  WHERE "fiscal"."day" IS NOT NULL
  GROUP BY "fiscal"."day"
),
"orders_by_day_fiscal_quarter" AS (
  SELECT "fiscal_days_2_2"."fiscal_quarter" AS "day_fiscal_quarter", SUM("orders_by_day"."revenue") AS "revenue"
  FROM "orders_by_day" LEFT JOIN (SELECT "fiscal_days_2"."day" AS "day", "fiscal_days_2"."fiscal_quarter" AS "fiscal_quarter" FROM "fiscal_days_2") AS "fiscal_days_2_2" ON "orders_by_day"."day_2" = "fiscal_days_2_2"."day"
  GROUP BY "fiscal_days_2_2"."fiscal_quarter"
),
"every_fiscal_quarter" AS (
  SELECT "fiscal_days_2_3"."fiscal_quarter" AS "fiscal_quarter", CAST("fiscal_days_2_3"."number" AS INTEGER) AS "number", "fiscal_days_2_3"."first" AS "first", "fiscal_days_2_3"."last" AS "last"
  FROM (SELECT "fiscal_days_2_2"."fiscal_quarter" AS "fiscal_quarter", "fiscal_days_2_2"."first" AS "first", "fiscal_days_2_2"."last" AS "last", ROW_NUMBER() OVER (ORDER BY "fiscal_days_2_2"."first" ASC NULLS LAST) AS "number" FROM (SELECT "fiscal_days_2"."fiscal_quarter" AS "fiscal_quarter", MIN("fiscal_days_2"."day") AS "first", MAX("fiscal_days_2"."day") AS "last" FROM "fiscal_days_2" WHERE "fiscal_days_2"."fiscal_quarter" IS NOT NULL GROUP BY "fiscal_days_2"."fiscal_quarter") AS "fiscal_days_2_2") AS "fiscal_days_2_3"
),
"every_fiscal_year" AS (
  SELECT "fiscal_days_2_3"."fiscal_year" AS "fiscal_year", CAST("fiscal_days_2_3"."number" AS INTEGER) AS "number"
  FROM (SELECT "fiscal_days_2_2"."fiscal_year" AS "fiscal_year", "fiscal_days_2_2"."first" AS "first", ROW_NUMBER() OVER (ORDER BY "fiscal_days_2_2"."first" ASC NULLS LAST) AS "number" FROM (SELECT "fiscal_days_2"."fiscal_year" AS "fiscal_year", MIN("fiscal_days_2"."day") AS "first" FROM "fiscal_days_2" WHERE "fiscal_days_2"."fiscal_year" IS NOT NULL GROUP BY "fiscal_days_2"."fiscal_year") AS "fiscal_days_2_2") AS "fiscal_days_2_3"
),
"periods" AS (
  SELECT "every_fiscal_quarter"."fiscal_quarter" AS "period", "every_fiscal_quarter_8"."fiscal_quarter" AS "earlier"
  FROM "every_fiscal_quarter" JOIN "every_fiscal_quarter" AS "every_fiscal_quarter_2" ON "every_fiscal_quarter"."fiscal_quarter" = "every_fiscal_quarter_2"."fiscal_quarter" LEFT JOIN (SELECT "every_fiscal_quarter_4"."number" AS "number", "every_fiscal_quarter_6"."number" AS "earlier" FROM (SELECT "every_fiscal_quarter_3"."number" AS "number", "every_fiscal_quarter_3"."first" AS "first", "fiscal_days_2"."day" AS "day", "fiscal_days_2"."fiscal_year" AS "fiscal_year", "every_fiscal_year"."fiscal_year" AS "fiscal_year_2", "every_fiscal_year"."number" AS "number_2", ROW_NUMBER() OVER (PARTITION BY "every_fiscal_year"."number" ORDER BY "every_fiscal_quarter_3"."first" ASC NULLS LAST) AS "place" FROM "every_fiscal_quarter" AS "every_fiscal_quarter_3" JOIN "fiscal_days_2" ON "every_fiscal_quarter_3"."first" = "fiscal_days_2"."day" JOIN "every_fiscal_year" ON "fiscal_days_2"."fiscal_year" = "every_fiscal_year"."fiscal_year") AS "every_fiscal_quarter_4" JOIN (SELECT "every_fiscal_quarter_5"."number" AS "number", "every_fiscal_quarter_5"."first" AS "first", "fiscal_days_2_2"."day" AS "day", "fiscal_days_2_2"."fiscal_year" AS "fiscal_year", "every_fiscal_year_2"."fiscal_year" AS "fiscal_year_2", "every_fiscal_year_2"."number" AS "number_2", ROW_NUMBER() OVER (PARTITION BY "every_fiscal_year_2"."number" ORDER BY "every_fiscal_quarter_5"."first" ASC NULLS LAST) AS "place" FROM "every_fiscal_quarter" AS "every_fiscal_quarter_5" JOIN "fiscal_days_2" AS "fiscal_days_2_2" ON "every_fiscal_quarter_5"."first" = "fiscal_days_2_2"."day" JOIN "every_fiscal_year" AS "every_fiscal_year_2" ON "fiscal_days_2_2"."fiscal_year" = "every_fiscal_year_2"."fiscal_year") AS "every_fiscal_quarter_6" ON "every_fiscal_quarter_4"."number_2" - 1 = "every_fiscal_quarter_6"."number_2" AND CAST("every_fiscal_quarter_4"."place" AS INTEGER) = CAST("every_fiscal_quarter_6"."place" AS INTEGER)) AS "every_fiscal_quarter_7" ON "every_fiscal_quarter_2"."number" = "every_fiscal_quarter_7"."number" LEFT JOIN "every_fiscal_quarter" AS "every_fiscal_quarter_8" ON "every_fiscal_quarter_7"."earlier" = "every_fiscal_quarter_8"."number"
),
"orders_by_day_fiscal_quarter_2" AS (
  SELECT "periods"."period" AS "day_fiscal_quarter", SUM("orders_by_day_2"."revenue") AS "revenue"
  FROM "periods" JOIN (SELECT "orders_by_day"."day_2" AS "day", "orders_by_day"."revenue" AS "revenue", "fiscal_days_2"."day" AS "day_2", "fiscal_days_2"."fiscal_quarter" AS "fiscal_quarter" FROM "orders_by_day" JOIN "fiscal_days_2" ON "orders_by_day"."day_2" = "fiscal_days_2"."day" WHERE "fiscal_days_2"."fiscal_quarter" IS NOT NULL) AS "orders_by_day_2" ON "orders_by_day_2"."fiscal_quarter" = "periods"."earlier"
  GROUP BY "periods"."period"
),
"shown" AS (
  SELECT "parts"."day_fiscal_quarter" AS "day_fiscal_quarter"
  FROM (SELECT "orders_by_day_fiscal_quarter"."day_fiscal_quarter" AS "day_fiscal_quarter" FROM "orders_by_day_fiscal_quarter"
UNION ALL SELECT "fiscal_days_2"."fiscal_quarter" AS "day_fiscal_quarter" FROM "orders_by_day" JOIN "fiscal_days_2" ON "orders_by_day"."day_2" = "fiscal_days_2"."day" WHERE "fiscal_days_2"."fiscal_quarter" IS NOT NULL
UNION ALL SELECT "orders_by_day_fiscal_quarter_2"."day_fiscal_quarter" AS "day_fiscal_quarter" FROM "orders_by_day_fiscal_quarter_2") AS "parts"
),
"every_fiscal_quarter_2" AS (
  SELECT "every_fiscal_quarter"."fiscal_quarter" AS "fiscal_quarter"
  FROM "every_fiscal_quarter" CROSS JOIN (SELECT MIN("every_fiscal_quarter_2"."number") AS "least", MAX("every_fiscal_quarter_2"."number") AS "most" FROM "shown" JOIN "every_fiscal_quarter" AS "every_fiscal_quarter_2" ON "shown"."day_fiscal_quarter" = "every_fiscal_quarter_2"."fiscal_quarter") AS "shown_2"
  WHERE "every_fiscal_quarter"."number" >= "shown_2"."least" AND "every_fiscal_quarter"."number" <= "shown_2"."most"
),
"periods_2" AS (
  SELECT "every_fiscal_quarter_2"."fiscal_quarter" AS "period", date("every_fiscal_quarter"."last", (1) || ' days') AS "until", "fiscal_days_2_2"."first" AS "since"
  FROM "every_fiscal_quarter_2" JOIN "every_fiscal_quarter" ON "every_fiscal_quarter_2"."fiscal_quarter" = "every_fiscal_quarter"."fiscal_quarter" LEFT JOIN (SELECT "fiscal_days_2"."day" AS "day", "every_fiscal_quarter_3"."first" AS "first" FROM "fiscal_days_2" JOIN "every_fiscal_quarter" AS "every_fiscal_quarter_3" ON "fiscal_days_2"."fiscal_quarter" = "every_fiscal_quarter_3"."fiscal_quarter") AS "fiscal_days_2_2" ON "every_fiscal_quarter"."first" = "fiscal_days_2_2"."day"
),
"orders_by_day_fiscal_quarter_3" AS (
  SELECT "periods_2"."period" AS "day_fiscal_quarter", SUM("orders_by_day_2"."revenue") AS "revenue"
  FROM "periods_2" LEFT JOIN (SELECT "orders_by_day"."day_2" AS "day", "orders_by_day"."revenue" AS "revenue", "fiscal_days_2"."day" AS "day_2", "fiscal_days_2"."fiscal_quarter" AS "fiscal_quarter" FROM "orders_by_day" JOIN "fiscal_days_2" ON "orders_by_day"."day_2" = "fiscal_days_2"."day" WHERE "fiscal_days_2"."fiscal_quarter" IS NOT NULL) AS "orders_by_day_2" ON "orders_by_day_2"."day" >= "periods_2"."since" AND "orders_by_day_2"."day" < "periods_2"."until"
  GROUP BY "periods_2"."period"
)
SELECT "parts"."day_fiscal_quarter" AS "day_fiscal_quarter", MAX("parts"."revenue") AS "revenue", MAX("parts"."revenue_2") AS "revenue_fqtd", MAX("parts"."revenue_3") AS "revenue_last_fiscal_year"
FROM (SELECT "orders_by_day_fiscal_quarter"."day_fiscal_quarter" AS "day_fiscal_quarter", "orders_by_day_fiscal_quarter"."revenue" AS "revenue", (SELECT MAX("orders_by_day_fiscal_quarter_3"."revenue") FROM "orders_by_day_fiscal_quarter_3" WHERE 1 = 0) AS "revenue_2", (SELECT MAX("orders_by_day_fiscal_quarter_2"."revenue") FROM "orders_by_day_fiscal_quarter_2" WHERE 1 = 0) AS "revenue_3" FROM "orders_by_day_fiscal_quarter"
UNION ALL SELECT "orders_by_day_fiscal_quarter_3"."day_fiscal_quarter" AS "day_fiscal_quarter", (SELECT MAX("orders_by_day_fiscal_quarter"."revenue") FROM "orders_by_day_fiscal_quarter" WHERE 1 = 0) AS "revenue", "orders_by_day_fiscal_quarter_3"."revenue" AS "revenue_2", (SELECT MAX("orders_by_day_fiscal_quarter_2"."revenue") FROM "orders_by_day_fiscal_quarter_2" WHERE 1 = 0) AS "revenue_3" FROM "orders_by_day_fiscal_quarter_3"
UNION ALL SELECT "orders_by_day_fiscal_quarter_2"."day_fiscal_quarter" AS "day_fiscal_quarter", (SELECT MAX("orders_by_day_fiscal_quarter"."revenue") FROM "orders_by_day_fiscal_quarter" WHERE 1 = 0) AS "revenue", (SELECT MAX("orders_by_day_fiscal_quarter_3"."revenue") FROM "orders_by_day_fiscal_quarter_3" WHERE 1 = 0) AS "revenue_2", "orders_by_day_fiscal_quarter_2"."revenue" AS "revenue_3" FROM "orders_by_day_fiscal_quarter_2") AS "parts"
GROUP BY "parts"."day_fiscal_quarter"
ORDER BY "parts"."day_fiscal_quarter" ASC NULLS LAST
LIMIT 1000

-- sqlserver
WITH [orders_by_day] AS (
  SELECT [orders_2].[day_2] AS [day], SUM([orders_2].[revenue]) AS [revenue]
  FROM (SELECT CAST([orders].[day] AS date) AS [day_2], [orders].[amount] AS [revenue] FROM [orders]) AS [orders_2]
  GROUP BY [orders_2].[day_2]
),
[fiscal_days_2] AS (
  SELECT [fiscal].[day] AS [day], CASE WHEN MIN([fiscal].[quarter]) = MAX([fiscal].[quarter]) THEN MAX([fiscal].[quarter]) END AS [fiscal_quarter], CASE WHEN MIN([fiscal].[year]) = MAX([fiscal].[year]) THEN MAX([fiscal].[year]) END AS [fiscal_year]
  FROM [fiscal_days] AS [fiscal]
  WHERE [fiscal].[day] IS NOT NULL
  GROUP BY [fiscal].[day]
),
[orders_by_day_fiscal_quarter] AS (
  SELECT [fiscal_days_2_2].[fiscal_quarter] AS [day_fiscal_quarter], SUM([orders_by_day].[revenue]) AS [revenue]
  FROM [orders_by_day] LEFT JOIN (SELECT [fiscal_days_2].[day] AS [day], [fiscal_days_2].[fiscal_quarter] AS [fiscal_quarter] FROM [fiscal_days_2]) AS [fiscal_days_2_2] ON [orders_by_day].[day] = [fiscal_days_2_2].[day]
  GROUP BY [fiscal_days_2_2].[fiscal_quarter]
),
[every_fiscal_quarter] AS (
  SELECT [fiscal_days_2_3].[fiscal_quarter] AS [fiscal_quarter], CAST([fiscal_days_2_3].[number] AS bigint) AS [number], [fiscal_days_2_3].[first] AS [first], [fiscal_days_2_3].[last] AS [last]
  FROM (SELECT [fiscal_days_2_2].[fiscal_quarter] AS [fiscal_quarter], [fiscal_days_2_2].[first] AS [first], [fiscal_days_2_2].[last] AS [last], ROW_NUMBER() OVER (ORDER BY CASE WHEN [fiscal_days_2_2].[first] IS NULL THEN 1 ELSE 0 END, [fiscal_days_2_2].[first] ASC) AS [number] FROM (SELECT [fiscal_days_2].[fiscal_quarter] AS [fiscal_quarter], MIN([fiscal_days_2].[day]) AS [first], MAX([fiscal_days_2].[day]) AS [last] FROM [fiscal_days_2] WHERE [fiscal_days_2].[fiscal_quarter] IS NOT NULL GROUP BY [fiscal_days_2].[fiscal_quarter]) AS [fiscal_days_2_2]) AS [fiscal_days_2_3]
),
[every_fiscal_year] AS (
  SELECT [fiscal_days_2_3].[fiscal_year] AS [fiscal_year], CAST([fiscal_days_2_3].[number] AS bigint) AS [number]
  FROM (SELECT [fiscal_days_2_2].[fiscal_year] AS [fiscal_year], [fiscal_days_2_2].[first] AS [first], ROW_NUMBER() OVER (ORDER BY CASE WHEN [fiscal_days_2_2].[first] IS NULL THEN 1 ELSE 0 END, [fiscal_days_2_2].[first] ASC) AS [number] FROM (SELECT [fiscal_days_2].[fiscal_year] AS [fiscal_year], MIN([fiscal_days_2].[day]) AS [first] FROM [fiscal_days_2] WHERE [fiscal_days_2].[fiscal_year] IS NOT NULL GROUP BY [fiscal_days_2].[fiscal_year]) AS [fiscal_days_2_2]) AS [fiscal_days_2_3]
),
[periods] AS (
  SELECT [every_fiscal_quarter].[fiscal_quarter] AS [period], [every_fiscal_quarter_8].[fiscal_quarter] AS [earlier]
  FROM [every_fiscal_quarter] JOIN [every_fiscal_quarter] AS [every_fiscal_quarter_2] ON [every_fiscal_quarter].[fiscal_quarter] = [every_fiscal_quarter_2].[fiscal_quarter] LEFT JOIN (SELECT [every_fiscal_quarter_4].[number] AS [number], [every_fiscal_quarter_6].[number] AS [earlier] FROM (SELECT [every_fiscal_quarter_3].[number] AS [number], [every_fiscal_quarter_3].[first] AS [first], [fiscal_days_2].[day] AS [day], [fiscal_days_2].[fiscal_year] AS [fiscal_year], [every_fiscal_year].[fiscal_year] AS [fiscal_year_2], [every_fiscal_year].[number] AS [number_2], ROW_NUMBER() OVER (PARTITION BY [every_fiscal_year].[number] ORDER BY CASE WHEN [every_fiscal_quarter_3].[first] IS NULL THEN 1 ELSE 0 END, [every_fiscal_quarter_3].[first] ASC) AS [place] FROM [every_fiscal_quarter] AS [every_fiscal_quarter_3] JOIN [fiscal_days_2] ON [every_fiscal_quarter_3].[first] = [fiscal_days_2].[day] JOIN [every_fiscal_year] ON [fiscal_days_2].[fiscal_year] = [every_fiscal_year].[fiscal_year]) AS [every_fiscal_quarter_4] JOIN (SELECT [every_fiscal_quarter_5].[number] AS [number], [every_fiscal_quarter_5].[first] AS [first], [fiscal_days_2_2].[day] AS [day], [fiscal_days_2_2].[fiscal_year] AS [fiscal_year], [every_fiscal_year_2].[fiscal_year] AS [fiscal_year_2], [every_fiscal_year_2].[number] AS [number_2], ROW_NUMBER() OVER (PARTITION BY [every_fiscal_year_2].[number] ORDER BY CASE WHEN [every_fiscal_quarter_5].[first] IS NULL THEN 1 ELSE 0 END, [every_fiscal_quarter_5].[first] ASC) AS [place] FROM [every_fiscal_quarter] AS [every_fiscal_quarter_5] JOIN [fiscal_days_2] AS [fiscal_days_2_2] ON [every_fiscal_quarter_5].[first] = [fiscal_days_2_2].[day] JOIN [every_fiscal_year] AS [every_fiscal_year_2] ON [fiscal_days_2_2].[fiscal_year] = [every_fiscal_year_2].[fiscal_year]) AS [every_fiscal_quarter_6] ON [every_fiscal_quarter_4].[number_2] - 1 = [every_fiscal_quarter_6].[number_2] AND CAST([every_fiscal_quarter_4].[place] AS bigint) = CAST([every_fiscal_quarter_6].[place] AS bigint)) AS [every_fiscal_quarter_7] ON [every_fiscal_quarter_2].[number] = [every_fiscal_quarter_7].[number] LEFT JOIN [every_fiscal_quarter] AS [every_fiscal_quarter_8] ON [every_fiscal_quarter_7].[earlier] = [every_fiscal_quarter_8].[number]
),
[orders_by_day_fiscal_quarter_2] AS (
  SELECT [periods].[period] AS [day_fiscal_quarter], SUM([orders_by_day_2].[revenue]) AS [revenue]
  FROM [periods] JOIN (SELECT [orders_by_day].[day] AS [day], [orders_by_day].[revenue] AS [revenue], [fiscal_days_2].[day] AS [day_2], [fiscal_days_2].[fiscal_quarter] AS [fiscal_quarter] FROM [orders_by_day] JOIN [fiscal_days_2] ON [orders_by_day].[day] = [fiscal_days_2].[day] WHERE [fiscal_days_2].[fiscal_quarter] IS NOT NULL) AS [orders_by_day_2] ON [orders_by_day_2].[fiscal_quarter] = [periods].[earlier]
  GROUP BY [periods].[period]
),
[shown] AS (
  SELECT [parts].[day_fiscal_quarter] AS [day_fiscal_quarter]
  FROM (SELECT [orders_by_day_fiscal_quarter].[day_fiscal_quarter] AS [day_fiscal_quarter] FROM [orders_by_day_fiscal_quarter]
UNION ALL SELECT [fiscal_days_2].[fiscal_quarter] AS [day_fiscal_quarter] FROM [orders_by_day] JOIN [fiscal_days_2] ON [orders_by_day].[day] = [fiscal_days_2].[day] WHERE [fiscal_days_2].[fiscal_quarter] IS NOT NULL
UNION ALL SELECT [orders_by_day_fiscal_quarter_2].[day_fiscal_quarter] AS [day_fiscal_quarter] FROM [orders_by_day_fiscal_quarter_2]) AS [parts]
),
[every_fiscal_quarter_2] AS (
  SELECT [every_fiscal_quarter].[fiscal_quarter] AS [fiscal_quarter]
  FROM [every_fiscal_quarter] CROSS JOIN (SELECT MIN([every_fiscal_quarter_2].[number]) AS [least], MAX([every_fiscal_quarter_2].[number]) AS [most] FROM [shown] JOIN [every_fiscal_quarter] AS [every_fiscal_quarter_2] ON [shown].[day_fiscal_quarter] = [every_fiscal_quarter_2].[fiscal_quarter]) AS [shown_2]
  WHERE [every_fiscal_quarter].[number] >= [shown_2].[least] AND [every_fiscal_quarter].[number] <= [shown_2].[most]
),
[periods_2] AS (
  SELECT [every_fiscal_quarter_2].[fiscal_quarter] AS [period], DATEADD(DAY, 1, [every_fiscal_quarter].[last]) AS [until], [fiscal_days_2_2].[first] AS [since]
  FROM [every_fiscal_quarter_2] JOIN [every_fiscal_quarter] ON [every_fiscal_quarter_2].[fiscal_quarter] = [every_fiscal_quarter].[fiscal_quarter] LEFT JOIN (SELECT [fiscal_days_2].[day] AS [day], [every_fiscal_quarter_3].[first] AS [first] FROM [fiscal_days_2] JOIN [every_fiscal_quarter] AS [every_fiscal_quarter_3] ON [fiscal_days_2].[fiscal_quarter] = [every_fiscal_quarter_3].[fiscal_quarter]) AS [fiscal_days_2_2] ON [every_fiscal_quarter].[first] = [fiscal_days_2_2].[day]
),
[orders_by_day_fiscal_quarter_3] AS (
  SELECT [periods_2].[period] AS [day_fiscal_quarter], SUM([orders_by_day_2].[revenue]) AS [revenue]
  FROM [periods_2] LEFT JOIN (SELECT [orders_by_day].[day] AS [day], [orders_by_day].[revenue] AS [revenue], [fiscal_days_2].[day] AS [day_2], [fiscal_days_2].[fiscal_quarter] AS [fiscal_quarter] FROM [orders_by_day] JOIN [fiscal_days_2] ON [orders_by_day].[day] = [fiscal_days_2].[day] WHERE [fiscal_days_2].[fiscal_quarter] IS NOT NULL) AS [orders_by_day_2] ON [orders_by_day_2].[day] >= [periods_2].[since] AND [orders_by_day_2].[day] < [periods_2].[until]
  GROUP BY [periods_2].[period]
)
SELECT TOP (1000) [parts].[day_fiscal_quarter] AS [day_fiscal_quarter], MAX([parts].[revenue]) AS [revenue], MAX([parts].[revenue_2]) AS [revenue_fqtd], MAX([parts].[revenue_3]) AS [revenue_last_fiscal_year]
FROM (SELECT [orders_by_day_fiscal_quarter].[day_fiscal_quarter] AS [day_fiscal_quarter], [orders_by_day_fiscal_quarter].[revenue] AS [revenue], (SELECT MAX([orders_by_day_fiscal_quarter_3].[revenue]) FROM [orders_by_day_fiscal_quarter_3] WHERE 1 = 0) AS [revenue_2], (SELECT MAX([orders_by_day_fiscal_quarter_2].[revenue]) FROM [orders_by_day_fiscal_quarter_2] WHERE 1 = 0) AS [revenue_3] FROM [orders_by_day_fiscal_quarter]
UNION ALL SELECT [orders_by_day_fiscal_quarter_3].[day_fiscal_quarter] AS [day_fiscal_quarter], (SELECT MAX([orders_by_day_fiscal_quarter].[revenue]) FROM [orders_by_day_fiscal_quarter] WHERE 1 = 0) AS [revenue], [orders_by_day_fiscal_quarter_3].[revenue] AS [revenue_2], (SELECT MAX([orders_by_day_fiscal_quarter_2].[revenue]) FROM [orders_by_day_fiscal_quarter_2] WHERE 1 = 0) AS [revenue_3] FROM [orders_by_day_fiscal_quarter_3]
UNION ALL SELECT [orders_by_day_fiscal_quarter_2].[day_fiscal_quarter] AS [day_fiscal_quarter], (SELECT MAX([orders_by_day_fiscal_quarter].[revenue]) FROM [orders_by_day_fiscal_quarter] WHERE 1 = 0) AS [revenue], (SELECT MAX([orders_by_day_fiscal_quarter_3].[revenue]) FROM [orders_by_day_fiscal_quarter_3] WHERE 1 = 0) AS [revenue_2], [orders_by_day_fiscal_quarter_2].[revenue] AS [revenue_3] FROM [orders_by_day_fiscal_quarter_2]) AS [parts]
GROUP BY [parts].[day_fiscal_quarter]
ORDER BY CASE WHEN [parts].[day_fiscal_quarter] IS NULL THEN 1 ELSE 0 END, [parts].[day_fiscal_quarter] ASC

