package snowflake_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/snowflakedb/gosnowflake"

	"github.com/loam-data/loam/e2e/testserver/snowflake"
)

// TestForms gives the values that Snowflake documents for what is translated.
func TestForms(t *testing.T) {
	t.Parallel()
	s := snowflake.Start(t)
	s.Exec(t, `CREATE TABLE events (id INT, body VARIANT, tags ARRAY); INSERT INTO events
		SELECT 1, PARSE_JSON('{"user": {"Name": "ann", "ages": [3, 4]}, "big": 12345678901234567890, "at": "2024-01-02"}'), ARRAY_CONSTRUCT('x', 'y')`)
	db := open(t, config(s, func(c *gosnowflake.Config) { utc := "UTC"; c.Params = map[string]*string{"TIMEZONE": &utc} }))
	for _, test := range []struct {
		sql  string
		want [][]string
	}{
		{"SELECT DATEADD(MONTH, 1, DATE '2024-01-31')", [][]string{{"2024-02-29 00:00:00 +0000"}}},
		{"SELECT DATEADD('hour', -1, '2024-01-01'::DATE)", [][]string{{"2023-12-31 23:00:00 +0000"}}},
		{"SELECT DATEADD(DAY, 1, '2024-01-01 10:00:00.123456789'::TIMESTAMP_NTZ)", [][]string{{"2024-01-02 10:00:00.123456789 +0000"}}},
		{"SELECT DATEADD(MONTH, -1, '2024-03-31 10:00:00.123456789'::TIMESTAMP_NTZ)", [][]string{{"2024-02-29 10:00:00.123456789 +0000"}}},
		{"SELECT DATEADD(NANOSECOND, 1, '2024-01-01'::TIMESTAMP_NTZ)", [][]string{{"2024-01-01 00:00:00.000000001 +0000"}}},
		{"SELECT DATEDIFF(MONTH, '2024-01-31'::DATE, '2024-02-01'::DATE)", [][]string{{"1"}}},
		{"SELECT DATE_TRUNC('QUARTER', '2024-05-05'::DATE), DATE_TRUNC(HOUR, '2024-05-05 10:59:59.5'::TIMESTAMP_NTZ)", [][]string{{"2024-04-01 00:00:00 +0000", "2024-05-05 10:00:00 +0000"}}},
		{"SELECT CONVERT_TIMEZONE('UTC', 'Europe/Berlin', '2024-07-01 00:00:00.000000001'::TIMESTAMP_NTZ)", [][]string{{"2024-07-01 02:00:00.000000001 +0000"}}},
		{"SELECT CONVERT_TIMEZONE('Europe/Berlin', 'UTC', '2024-01-01'::TIMESTAMP_NTZ)", [][]string{{"2023-12-31 23:00:00 +0000"}}},
		{"SELECT CONVERT_TIMEZONE('Asia/Kolkata', '2024-01-01 00:00:00 Z'::TIMESTAMP_TZ)", [][]string{{"2024-01-01 05:30:00 +0530"}}},
		{"SELECT CONVERT_TIMEZONE('Asia/Kolkata', '2024-01-01 00:00:00 +0000'::TIMESTAMP_TZ)::TIMESTAMP_NTZ", [][]string{{"2024-01-01 05:30:00 +0000"}}},
		{"SELECT TO_TIMESTAMP_NTZ(1700000000), TO_TIMESTAMP_NTZ(1700000000123, 3)", [][]string{{"2023-11-14 22:13:20 +0000", "2023-11-14 22:13:20.123 +0000"}}},
		{"SELECT TRY_CAST('x' AS NUMBER(5,2)), TRY_CAST('1.255' AS NUMBER(5,2))::VARCHAR, TRY_CAST('2024-02-30'::VARCHAR AS DATE)", [][]string{{"NULL", "1.26", "NULL"}}},
		{"SELECT EQUAL_NULL(NULL, NULL), EQUAL_NULL(1, NULL), IFF(1 = 1, 'a', 'b'), NVL(NULL, 2)", [][]string{{"true", "false", "a", "2"}}},
		{"SELECT LISTAGG(x, '-') WITHIN GROUP (ORDER BY x DESC), LISTAGG(DISTINCT y) FROM (VALUES (1, 'a'), (2, 'a')) v (x, y)", [][]string{{"2-1", "a"}}},
		{"SELECT LISTAGG(x, ',') FROM (VALUES (1)) v (x) WHERE x > 1", [][]string{{""}}},
		{"SELECT DATEADD(DAY, ROW_NUMBER() OVER (ORDER BY NULL) - 1, '2024-01-30'::DATE) AS period FROM TABLE(GENERATOR(ROWCOUNT => 1000)) QUALIFY period <= '2024-02-01'::DATE ORDER BY 1",
			[][]string{{"2024-01-30 00:00:00 +0000"}, {"2024-01-31 00:00:00 +0000"}, {"2024-02-01 00:00:00 +0000"}}},
		{"SELECT count(*) FROM events SAMPLE SYSTEM (100)", [][]string{{"1"}}},
		{"SELECT body:user.Name::STRING, e.body:user.ages[1]::INT, body:big::NUMBER(38,0), body['at']::DATE, body:none::STRING FROM events e",
			[][]string{{"ann", "4", "12345678901234567890", "2024-01-02 00:00:00 +0000", "NULL"}}},
		{"SELECT body:user.Name, TO_JSON(body:user.ages), ARRAY_SIZE(tags), tags[0]::STRING FROM events", [][]string{{`"ann"`, "[3,4]", "2", "x"}}},
		{"SELECT f.index, f.value::STRING FROM events, LATERAL FLATTEN(input => tags) f ORDER BY 1", [][]string{{"0", "x"}, {"1", "y"}}},
		{"SELECT f.key, f.path FROM events, LATERAL FLATTEN(INPUT => body:user) f ORDER BY 1", [][]string{{"Name", "Name"}, {"ages", "ages"}}},
		{"SELECT 1e0::VARCHAR, TRUE::VARCHAR, 'C0'::BINARY::VARCHAR, '2024-01-01'::TIMESTAMP_NTZ::VARCHAR, 1.50::NUMBER(5,2)::VARCHAR", [][]string{{"1", "true", "C0", "2024-01-01 00:00:00.000", "1.50"}}},
		{"SELECT MEDIAN(x), PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x), APPROX_COUNT_DISTINCT(x) FROM (VALUES (1), (2), (4)) v (x)", [][]string{{"2", "2", "3"}}},
		{"SELECT CASE WHEN 1 = 1 THEN 1 ELSE 2 END::VARCHAR, SUM(x) OVER ()::VARCHAR FROM (VALUES (1)) v (x)", [][]string{{"1", "1"}}},
		{"SELECT 'a' // a comment\n, $$it's$$, 'it\\'s', '\\\\' -- another\n", [][]string{{"a", "it's", "it's", `\`}}},
	} {
		t.Run(test.sql, func(t *testing.T) {
			if diff := cmp.Diff(test.want, read(t, db, test.sql)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
