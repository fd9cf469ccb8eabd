package testserver_test

import (
	"database/sql"
	"testing"

	_ "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/loam-data/loam/e2e/testserver"
)

func TestClickHouseSpeaksWithItsDriver(t *testing.T) {
	t.Parallel()
	db := testserver.ClickHouse(t).Database(t,
		`CREATE TABLE t (id UInt32, v LowCardinality(String), d Decimal(38, 10), ts DateTime64(6, 'UTC'), a Array(Nullable(Int64)),
			m Map(String, UInt8), tu Tuple(x Int8, y String), j JSON, va Variant(UInt8, String), dy Dynamic, u UInt256,
			e Enum8('a' = 1), ip IPv6, uuid UUID, n Nullable(Float64)) ENGINE = MergeTree ORDER BY id`,
		`INSERT INTO t SELECT number, toString(number % 3), number / 3, now64(6), [number, NULL], map('k', 1), (1, 'y'),
			'{"a": {"b": [1, 2]}}', number::UInt8, number % 2 = 0 ? 'x'::Dynamic : 1::Dynamic, toUInt256('115792089237316195423570985008687907853269984665640564039457584007913129639935') - number,
			'a', '::1', generateUUIDv4(), NULL FROM numbers(1000)`)
	conn, err := sql.Open("clickhouse", db.DSN(testserver.ClickHouseReader))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	rows, err := conn.QueryContext(t.Context(), "SELECT * FROM t")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.ColumnTypes()
	if err != nil {
		t.Fatal(err)
	}
	cells := make([]any, len(columns))
	for i := range cells {
		cells[i] = new(any)
	}
	n := 0
	for rows.Next() {
		if err := rows.Scan(cells...); err != nil {
			t.Fatal(err)
		}
		n++
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	for i, c := range cells {
		t.Logf("%s %s = %T %v", columns[i].Name(), columns[i].DatabaseTypeName(), *c.(*any), *c.(*any))
	}
	if n != 1000 {
		t.Errorf("%d rows", n)
	}
}
