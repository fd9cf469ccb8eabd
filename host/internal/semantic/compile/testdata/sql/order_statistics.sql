-- bigquery
-- unsupported_on_dialect: abs("r.n1" - 1 - 0.5 * ("r.c1" - 1)) cannot be written in the bigquery dialect
-- write it in another way, or as a definition in the engine's own SQL

-- clickhouse
WITH l1 AS (SELECT r.d1, quantileExactInclusiveOrNull(0.5)(toFloat64(r.v1)) AS m1, quantileExactInclusiveOrNull(toDecimal256('0.9', length(splitByChar('.', '0.9.')[2])))(toFloat64(r.v2)) AS m2, toInt64(ifNull(uniqExact(r.v3), 0)) AS m3 FROM (SELECT `orders`.`status` AS d1, toNullable(`orders`.`amount`) AS v1, toNullable(`orders`.`amount`) AS v2, toNullable(`orders`.`customer_id`) AS v3 FROM `orders` AS `orders`) AS r GROUP BY r.d1)
SELECT f.d1 AS `status`, f.m1 AS `middle`, f.m2 AS `p90`, f.m3 AS `buyers` FROM l1 AS f
ORDER BY f.d1 ASC NULLS LAST
LIMIT 1000

-- duckdb
WITH l1 AS (SELECT r.d1, median(CAST(r.v1 AS DOUBLE)) AS m1, quantile_cont(CAST(r.v2 AS DOUBLE), 0.9) AS m2, COUNT(DISTINCT r.v3) AS m3 FROM (SELECT "orders"."status" AS d1, "orders"."amount" AS v1, "orders"."amount" AS v2, "orders"."customer_id" AS v3 FROM "orders" AS "orders") AS r GROUP BY r.d1)
SELECT f.d1 AS "status", f.m1 AS "middle", f.m2 AS "p90", f.m3 AS "buyers" FROM l1 AS f
ORDER BY f.d1 ASC NULLS LAST
LIMIT 1000

-- mysql
WITH l1 AS (SELECT r.d1, SUM(CASE WHEN ABS(r.n1 - 1 - 0.5 * (r.c1 - 1)) < 1 THEN CAST(r.v1 AS DOUBLE) * (1 - ABS(r.n1 - 1 - 0.5 * (r.c1 - 1))) END) AS m1, SUM(CASE WHEN ABS(r.n2 - 1 - 0.9 * (r.c2 - 1)) < 1 THEN CAST(r.v2 AS DOUBLE) * (1 - ABS(r.n2 - 1 - 0.9 * (r.c2 - 1))) END) AS m2, COUNT(DISTINCT r.v3) AS m3 FROM (SELECT q.d1, q.v1, q.v2, q.v3, ROW_NUMBER() OVER (PARTITION BY q.d1 ORDER BY q.v1 IS NULL, q.v1 ASC) AS n1, COUNT(q.v1) OVER (PARTITION BY q.d1) AS c1, ROW_NUMBER() OVER (PARTITION BY q.d1 ORDER BY q.v2 IS NULL, q.v2 ASC) AS n2, COUNT(q.v2) OVER (PARTITION BY q.d1) AS c2 FROM (SELECT `orders`.`status` AS d1, `orders`.`amount` AS v1, `orders`.`amount` AS v2, `orders`.`customer_id` AS v3 FROM `orders` AS `orders`) AS q) AS r GROUP BY r.d1)
SELECT f.d1 AS `status`, f.m1 AS `middle`, f.m2 AS `p90`, f.m3 AS `buyers` FROM l1 AS f
ORDER BY f.d1 IS NULL, f.d1 ASC
LIMIT 1000

-- postgres
WITH l1 AS (SELECT r.d1, percentile_cont(0.5) WITHIN GROUP (ORDER BY r.v1) AS m1, percentile_cont(0.9) WITHIN GROUP (ORDER BY r.v2) AS m2, COUNT(DISTINCT r.v3) AS m3 FROM (SELECT "orders"."status" AS d1, "orders"."amount" AS v1, "orders"."amount" AS v2, "orders"."customer_id" AS v3 FROM "orders" AS "orders") AS r GROUP BY r.d1)
SELECT f.d1 AS "status", f.m1 AS "middle", f.m2 AS "p90", f.m3 AS "buyers" FROM l1 AS f
ORDER BY f.d1 ASC NULLS LAST
LIMIT 1000

-- snowflake
WITH l1 AS (SELECT r.d1, MEDIAN(r.v1) AS m1, PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY r.v2) AS m2, COUNT(DISTINCT r.v3) AS m3 FROM (SELECT "orders"."STATUS" AS d1, "orders"."AMOUNT" AS v1, "orders"."AMOUNT" AS v2, "orders"."CUSTOMER_ID" AS v3 FROM "ORDERS" AS "orders") AS r GROUP BY r.d1)
SELECT f.d1 AS "status", f.m1 AS "middle", f.m2 AS "p90", f.m3 AS "buyers" FROM l1 AS f
ORDER BY f.d1 ASC NULLS LAST
LIMIT 1000

-- sqlite
WITH l1 AS (SELECT r.d1, SUM(CASE WHEN abs(r.n1 - 1 - 0.5 * (r.c1 - 1)) < 1 THEN CAST(r.v1 AS REAL) * (1 - abs(r.n1 - 1 - 0.5 * (r.c1 - 1))) END) AS m1, SUM(CASE WHEN abs(r.n2 - 1 - 0.9 * (r.c2 - 1)) < 1 THEN CAST(r.v2 AS REAL) * (1 - abs(r.n2 - 1 - 0.9 * (r.c2 - 1))) END) AS m2, COUNT(DISTINCT r.v3) AS m3 FROM (SELECT q.d1, q.v1, q.v2, q.v3, ROW_NUMBER() OVER (PARTITION BY q.d1 ORDER BY q.v1 ASC NULLS LAST) AS n1, COUNT(q.v1) OVER (PARTITION BY q.d1) AS c1, ROW_NUMBER() OVER (PARTITION BY q.d1 ORDER BY q.v2 ASC NULLS LAST) AS n2, COUNT(q.v2) OVER (PARTITION BY q.d1) AS c2 FROM (SELECT "orders"."status" AS d1, "orders"."amount" AS v1, "orders"."amount" AS v2, "orders"."customer_id" AS v3 FROM "orders" AS "orders") AS q) AS r GROUP BY r.d1)
SELECT f.d1 AS "status", f.m1 AS "middle", f.m2 AS "p90", f.m3 AS "buyers" FROM l1 AS f
ORDER BY f.d1 ASC NULLS LAST
LIMIT 1000

-- sqlserver
-- unsupported_on_dialect: abs("r.n1" - 1 - 0.5 * ("r.c1" - 1)) cannot be written in the sqlserver dialect
-- write it in another way, or as a definition in the engine's own SQL

