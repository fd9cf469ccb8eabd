package bigquery_test

import (
	"context"
	"errors"
	"math/big"
	"reflect"
	"testing"
	"time"

	"cloud.google.com/go/bigquery"
	"cloud.google.com/go/civil"
	"golang.org/x/oauth2"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/iterator"
	"google.golang.org/api/option"

	fixture "github.com/loam-data/loam/e2e/testserver/bigquery"
)

// client returns Google's client, signed in as a reader.
func client(t *testing.T, s *fixture.Server, permissions ...string) *bigquery.Client {
	t.Helper()
	source := oauth2.StaticTokenSource(&oauth2.Token{AccessToken: s.Token(t, "reader", permissions...), TokenType: "Bearer"})
	c, err := bigquery.NewClient(t.Context(), s.Project, option.WithEndpoint(s.URL()), option.WithTokenSource(source))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// rows reads a query's rows.
func rows(ctx context.Context, q *bigquery.Query) ([][]bigquery.Value, bigquery.Schema, error) {
	it, err := q.Read(ctx)
	if err != nil {
		return nil, nil, err
	}
	var all [][]bigquery.Value
	for {
		var row []bigquery.Value
		if err := it.Next(&row); errors.Is(err, iterator.Done) {
			return all, it.Schema, nil
		} else if err != nil {
			return nil, nil, err
		}
		all = append(all, row)
	}
}

// one reads the only value of a query.
func one(t *testing.T, c *bigquery.Client, sql string, params ...bigquery.QueryParameter) bigquery.Value {
	t.Helper()
	q := c.Query(sql)
	q.Parameters = params
	all, _, err := rows(t.Context(), q)
	if err != nil {
		t.Errorf("%s: %v", sql, err)
		return nil
	}
	if len(all) != 1 || len(all[0]) != 1 {
		t.Errorf("%s has the rows %v", sql, all)
		return nil
	}
	return all[0][0]
}

// refused returns the service's error of a query.
func refused(t *testing.T, q *bigquery.Query) *googleapi.Error {
	t.Helper()
	all, _, err := rows(t.Context(), q)
	var e *googleapi.Error
	if !errors.As(err, &e) {
		t.Errorf("%s: %v %v, want an error of the service", q.Q, all, err)
		return &googleapi.Error{Errors: []googleapi.ErrorItem{{}}}
	}
	return e
}

func rat(s string) *big.Rat {
	r, _ := new(big.Rat).SetString(s)
	return r
}

func TestTypes(t *testing.T) {
	t.Parallel()
	c := client(t, fixture.Start(t))
	at := time.Date(2026, 11, 23, 1, 2, 3, 456789000, time.UTC)
	for _, v := range []struct {
		sql  string
		want bigquery.Value
		typ  bigquery.FieldType
	}{
		{"SELECT 9223372036854775807", int64(9223372036854775807), bigquery.IntegerFieldType},
		{"SELECT -9223372036854775808", int64(-9223372036854775808), bigquery.IntegerFieldType},
		{"SELECT 1.5", 1.5, bigquery.FloatFieldType},
		{"SELECT 1.7976931348623157e308", 1.7976931348623157e308, bigquery.FloatFieldType},
		{"SELECT CAST('-inf' AS FLOAT64) < 0", true, bigquery.BooleanFieldType},
		{"SELECT NUMERIC '-99999999999999999999999999999.999999999'", rat("-99999999999999999999999999999.999999999"), bigquery.NumericFieldType},
		{"SELECT NUMERIC '1.50'", rat("1.5"), bigquery.NumericFieldType},
		{"SELECT BIGNUMERIC '1.0000000000000000001'", rat("1.0000000000000000001"), bigquery.BigNumericFieldType},
		{"SELECT \"it's \\u00fc\"", "it's ü", bigquery.StringFieldType},
		{"SELECT ''", "", bigquery.StringFieldType},
		{`SELECT b'\x00\xff'`, []byte{0, 255}, bigquery.BytesFieldType},
		{"SELECT DATE '0001-01-01'", civil.Date{Year: 1, Month: 1, Day: 1}, bigquery.DateFieldType},
		{"SELECT DATE '9999-12-31'", civil.Date{Year: 9999, Month: 12, Day: 31}, bigquery.DateFieldType},
		{"SELECT TIME '23:59:59.999999'", civil.Time{Hour: 23, Minute: 59, Second: 59, Nanosecond: 999999000}, bigquery.TimeFieldType},
		{"SELECT DATETIME '2026-11-23 01:02:03.456789'", civil.DateTimeOf(at), bigquery.DateTimeFieldType},
		{"SELECT TIMESTAMP '2026-11-23 02:02:03.456789+01:00'", at, bigquery.TimestampFieldType},
		{"SELECT TIMESTAMP '0001-01-01 00:00:00+00'", time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), bigquery.TimestampFieldType},
		{`SELECT JSON '{"b": 12345678901234567890, "a": [1.10]}'`, `{"b": 12345678901234567890, "a": [1.10]}`, bigquery.JSONFieldType},
		{"SELECT ST_GEOGPOINT(1, 2)", "POINT(1 2)", bigquery.GeographyFieldType},
		{"SELECT INTERVAL 14 MONTH", &bigquery.IntervalValue{Years: 1, Months: 2}, bigquery.IntervalFieldType},
		{"SELECT [1, 2]", []bigquery.Value{int64(1), int64(2)}, bigquery.IntegerFieldType},
		{"SELECT CAST(NULL AS ARRAY<STRING>)", []bigquery.Value(nil), bigquery.StringFieldType},
		{"SELECT STRUCT(1 AS a, 'x' AS b)", []bigquery.Value{int64(1), "x"}, bigquery.RecordFieldType},
		{"SELECT ARRAY<STRUCT<a INT64, b ARRAY<STRING>>>[(1, ['x'])]", []bigquery.Value{[]bigquery.Value{int64(1), []bigquery.Value{"x"}}}, bigquery.RecordFieldType},
		{"SELECT NULL", nil, bigquery.IntegerFieldType},
		{"SELECT CAST(NULL AS STRUCT<a INT64>)", nil, bigquery.RecordFieldType},
	} {
		all, schema, err := rows(t.Context(), c.Query(v.sql))
		if err != nil {
			t.Errorf("%s: %v", v.sql, err)
			continue
		}
		got := all[0][0]
		if n, ok := v.want.(*big.Rat); ok {
			if g, ok := got.(*big.Rat); !ok || g.Cmp(n) != 0 {
				t.Errorf("%s is %v, want %v", v.sql, got, v.want)
			}
		} else if !reflect.DeepEqual(got, v.want) && !(reflect.ValueOf(got).Kind() == reflect.Slice && reflect.ValueOf(got).Len() == 0 && reflect.ValueOf(v.want).Kind() == reflect.Slice && reflect.ValueOf(v.want).Len() == 0) {
			t.Errorf("%s is %#v, want %#v", v.sql, got, v.want)
		}
		if schema[0].Type != v.typ || schema[0].Name != "f0_" {
			t.Errorf("%s has the column %s of type %s, want f0_ and %s", v.sql, schema[0].Name, schema[0].Type, v.typ)
		}
	}
}
