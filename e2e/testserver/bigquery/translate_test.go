package bigquery_test

import (
	"fmt"
	"strings"
	"testing"

	"cloud.google.com/go/bigquery"

	fixture "github.com/loam-data/loam/e2e/testserver/bigquery"
)

// TestTranslation: what GoogleSQL means, where DuckDB would mean something else.
func TestTranslation(t *testing.T) {
	t.Parallel()
	s := fixture.Start(t)
	s.Exec(t, shop)
	c := client(t, s)
	for sql, want := range map[string]string{
		`SELECT "a" || 'b'`:                                                                                                                  "ab",
		`SELECT 'a_b' LIKE r'a\_b', 'axb' LIKE 'a\\_b'`:                                                                                      "true false",
		"SELECT CONCAT('a', NULL)":                                                                                                           "<nil>",
		"SELECT GREATEST(1, NULL), LEAST(3, 2)":                                                                                              "<nil> 2",
		"SELECT 1 / 2, DIV(7, 2), MOD(-7, 2)":                                                                                                "0.5 3 -1",
		"SELECT SAFE_DIVIDE(1, 0), SAFE_DIVIDE(1, 4 - 2)":                                                                                    "<nil> 0.5",
		"SELECT [10, 20][OFFSET(1)], [10, 20][SAFE_OFFSET(9)], [10, 20][ORDINAL(1)], [10][0]":                                                "20 <nil> 10 10",
		"SELECT STRUCT(1 AS a, 2 AS b).b":                                                                                                    "2",
		"SELECT x + y FROM (SELECT 1 AS x, 2 AS y)":                                                                                          "3",
		"SELECT SUM(x) FROM UNNEST([1, 2, NULL]) AS x":                                                                                       "3",
		"SELECT STRING_AGG(x, '' ORDER BY o DESC) FROM UNNEST(['a', 'b']) AS x WITH OFFSET AS o":                                             "ba",
		"SELECT COUNT(*) FROM shop.customers, UNNEST(tags)":                                                                                  "2",
		"SELECT COUNT(*) FROM shop.customers AS c, c.tags AS g":                                                                              "2",
		"SELECT COUNT(*) FROM shop.customers AS c LEFT JOIN UNNEST(c.tags) AS g":                                                             "3",
		"SELECT c.address.city FROM shop.customers c WHERE c.id = 1":                                                                         "Bern",
		"SELECT 3 IN UNNEST([1, 3])":                                                                                                         "true",
		"SELECT ARRAY_LENGTH(ARRAY(SELECT AS STRUCT id, day FROM shop.orders))":                                                              "3",
		"SELECT ARRAY_LENGTH(ARRAY(SELECT id FROM shop.orders WHERE FALSE))":                                                                 "0",
		"SELECT ARRAY_TO_STRING(ARRAY_AGG(CAST(id AS STRING) ORDER BY id DESC LIMIT 2), ',') FROM shop.orders":                               "3,2",
		"SELECT ARRAY_LENGTH(ARRAY_AGG(amount IGNORE NULLS)) FROM shop.orders":                                                               "2",
		"SELECT * EXCEPT (customer_id, amount, day) FROM shop.orders WHERE id = 2":                                                           "2",
		"SELECT * REPLACE (id * 2 AS id) FROM (SELECT 4 AS id)":                                                                              "8",
		"SELECT id FROM shop.orders WHERE TRUE QUALIFY ROW_NUMBER() OVER (ORDER BY id DESC) = 1":                                             "3",
		"SELECT COUNTIF(amount > 8), LOGICAL_OR(amount > 8), APPROX_COUNT_DISTINCT(id) FROM shop.orders":                                     "1 true 3",
		"SELECT x FROM (SELECT NULL AS x UNION ALL SELECT 1) ORDER BY x LIMIT 1":                                                             "<nil>",
		"SELECT x FROM (SELECT NULL AS x UNION ALL SELECT 1) ORDER BY x DESC LIMIT 1":                                                        "1",
		"SELECT DATE_TRUNC(DATE '2024-05-19', WEEK), DATE_TRUNC(DATE '2024-05-19', ISOWEEK), DATE_TRUNC(DATE '2024-05-19', WEEK(WEDNESDAY))": "2024-05-19 2024-05-13 2024-05-15",
		"SELECT TIMESTAMP_TRUNC(TIMESTAMP '2024-07-01 23:00:00+00', DAY, 'Europe/Berlin')":                                                   "2024-07-01 22:00:00 +0000 UTC",
		"SELECT DATE_DIFF(DATE '2024-05-19', DATE '2024-05-18', WEEK), DATE_DIFF(DATE '2024-05-19', DATE '2024-05-18', ISOWEEK)":             "1 0",
		"SELECT TIMESTAMP_DIFF(TIMESTAMP '2024-01-02 00:30:00Z', TIMESTAMP '2024-01-01 01:00:00Z', DAY)":                                     "0",
		"SELECT EXTRACT(DAYOFWEEK FROM DATE '2024-05-19'), EXTRACT(HOUR FROM TIMESTAMP '2024-07-01 12:00:00Z' AT TIME ZONE 'Europe/Berlin')": "1 14",
		"SELECT FORMAT_DATE('%F %b', DATE '2024-05-19')":                                                                                     "2024-05-19 May",
		"SELECT FARM_FINGERPRINT(CONCAT('1', 'foo', 'true'))":                                                                                "-1541654101129638711",
		"SELECT CAST('0x1F' AS STRING), 0x1F":                                                                                                "0x1F 31",
		"SELECT 2147483647 * 2, 3000000000 * 3":                                                                                              "4294967294 9000000000",
		"SELECT '''it's''' AS a -- comment\n, /* x */ 2 # more":                                                                              "it's 2",
		"WITH orders AS (SELECT 7 AS id) SELECT id FROM orders":                                                                              "7",
		"SELECT IF(1 IS DISTINCT FROM 2, 'y', 'n')":                                                                                          "y",
		"SELECT SAFE.SUBSTR('abc', 2), SAFE_CAST('x' AS INT64)":                                                                              "bc <nil>",
		"SELECT JSON_VALUE(JSON '{\"a\": {\"b\": 5}}', '$.a.b')":                                                                             "5",
		"SELECT a.b FROM (SELECT 1 AS k, STRUCT(5 AS b) AS a) GROUP BY a.b":                                                                  "5",
	} {
		got, _, err := rows(t.Context(), c.Query(sql))
		if err != nil || len(got) != 1 || strings.Trim(fmt.Sprint(got[0]), "[]") != want {
			t.Errorf("%s gives %v %v, want %s", sql, got, err, want)
		}
	}
}

func TestParameters(t *testing.T) {
	t.Parallel()
	c := client(t, fixture.Start(t))
	for _, v := range []struct {
		value any
		want  string
	}{
		{int64(9007199254740993), "9007199254740993"}, {1.5, "1.5"}, {true, "true"}, {"it's", "it's"}, {"", ""}, {[]byte{0, 255}, "[0 255]"},
		{bigquery.NullString{}, "<nil>"}, {bigquery.NullInt64{}, "<nil>"}, {[]string{"a", ""}, "[a ]"}, {[]int64{}, "[]"},
		{struct {
			A int64
			B []string
		}{1, []string{"x"}}, "[1 [x]]"},
	} {
		if got := fmt.Sprint(one(t, c, "SELECT @v", bigquery.QueryParameter{Name: "v", Value: v.value})); got != v.want {
			t.Errorf("%#v arrives as %s", v.value, got)
		}
		if got := fmt.Sprint(one(t, c, "SELECT ?", bigquery.QueryParameter{Value: v.value})); got != v.want {
			t.Errorf("%#v arrives by its position as %s", v.value, got)
		}
	}
	if e := refused(t, c.Query("SELECT @nosuch")); !strings.Contains(e.Message, "Query parameter 'nosuch' not found at [1:8]") {
		t.Error(e)
	}
	if _, _, err := dry(t, c, "SELECT @nosuch"); err != nil {
		t.Errorf("a dry run without a parameter: %v", err)
	}
}
