package testserver_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"database/sql"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	gocmp "github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/e2e/testserver"
)

// chTypes are the types that are hardest on the wire, a column each.
const chTypes = `CREATE TABLE types (id UInt32, lc LowCardinality(Nullable(String)), d Decimal(76, 20), d64 DateTime64(9, 'Asia/Tokyo'),
	d32 Date32, a Array(Nullable(Int64)), m Map(String, Array(UInt8)), tu Tuple(x Int8, y Nullable(String)), ne Nested(k String, v Float32),
	j JSON, va Variant(UInt8, String), dy Dynamic, u UInt256, i Int128, e Enum8('a' = 1, 'b' = -1), ip IPv6, id2 UUID, f FixedString(4),
	b Bool, p Point) ENGINE = MergeTree ORDER BY id`

const chRow = `INSERT INTO types SELECT number, if(number = 1, NULL, 'lc'), 12345.678, '2026-02-03 04:05:06.123456789', '1900-01-01',
	[number, NULL], map('k', [1, 2]), (-1, NULL), ['n'], [1.5], '{"a": {"b": 1}, "c": "s"}', if(number = 0, 'text'::Variant(UInt8, String), 7::UInt8),
	if(number = 0, 'x'::Dynamic, [1, 2]::Array(UInt8)::Dynamic), '115792089237316195423570985008687907853269984665640564039457584007913129639935',
	'-170141183460469231731687303715884105728', 'b', '::1', '61f0c404-5cb3-11e7-907b-a6006ad3dba0', 'abcd', true, (1, 2) FROM numbers(2)`

func chOptions(t *testing.T, dsn string) *clickhouse.Options {
	t.Helper()
	options, err := clickhouse.ParseDSN(dsn)
	if err != nil {
		t.Fatal(err)
	}
	return options
}

func TestClickHouseSpeaksWithItsDriver(t *testing.T) {
	t.Parallel()
	db := testserver.ClickHouse(t).Database(t, chTypes, chRow)
	for _, compression := range []string{"none", "lz4", "zstd", "gzip", "deflate"} {
		t.Run(compression, func(t *testing.T) {
			t.Parallel()
			// The driver asks for ZSTD in a setting, which readonly = 1 refuses.
			conn := clickhouse.OpenDB(chOptions(t, db.DSN(testserver.ClickHouseSettings)+"?compress="+compression))
			defer conn.Close()
			rows, err := conn.QueryContext(t.Context(), "SELECT * FROM types ORDER BY id")
			if err != nil {
				t.Fatal(err)
			}
			defer rows.Close()
			types, err := rows.ColumnTypes()
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]string{}
			for rows.Next() {
				cells := make([]any, len(types))
				for i := range cells {
					cells[i] = new(any)
				}
				if err := rows.Scan(cells...); err != nil {
					t.Fatal(err)
				}
				for i, c := range cells {
					got[types[i].Name()] += show(*c.(*any)) + "; "
				}
			}
			if err := rows.Err(); err != nil {
				t.Fatal(err)
			}
			if diff := gocmp.Diff(chShown, got); diff != "" {
				t.Errorf("values (-want +got):\n%s", diff)
			}
		})
	}
}

// chShown are the cells of chTypes as show writes them.
var chShown = map[string]string{
	"a":    "0,NULL,; 1,NULL,; ",
	"b":    "bool true; bool true; ",
	"d":    "string 12345.6780000000009994101; string 12345.6780000000009994101; ",
	"d32":  "1900-01-01T00:00:00Z; 1900-01-01T00:00:00Z; ",
	"d64":  "2026-02-03T04:05:06.123456789+09:00; 2026-02-03T04:05:06.123456789+09:00; ",
	"dy":   "String string x; Array(UInt8) []uint8 [1 2]; ",
	"e":    "string b; string b; ",
	"f":    "string abcd; string abcd; ",
	"i":    "-170141183460469231731687303715884105728; -170141183460469231731687303715884105728; ",
	"id":   "uint32 0; uint32 1; ",
	"id2":  "string 61f0c404-5cb3-11e7-907b-a6006ad3dba0; string 61f0c404-5cb3-11e7-907b-a6006ad3dba0; ",
	"ip":   "net.IP ::1; net.IP ::1; ",
	"j":    `{"a":{"b":1},"c":"s"}; {"a":{"b":1},"c":"s"}; `,
	"lc":   "*lc; NULL; ",
	"m":    "map[string][]uint8 map[k:[1 2]]; map[string][]uint8 map[k:[1 2]]; ",
	"ne.k": "[]string [n]; []string [n]; ",
	"ne.v": "[]float32 [1.5]; []float32 [1.5]; ",
	"p":    "orb.Point [1 2]; orb.Point [1 2]; ",
	"tu":   "map[string]interface {} map[x:-1 y:<nil>]; map[string]interface {} map[x:-1 y:<nil>]; ",
	"u":    "115792089237316195423570985008687907853269984665640564039457584007913129639935; 115792089237316195423570985008687907853269984665640564039457584007913129639935; ",
	"va":   "String string text; UInt8 uint8 7; ",
}

// show writes what the driver gives, without the addresses of pointers.
func show(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case *string:
		return "*" + *v
	case big.Int:
		return v.String()
	case time.Time:
		return v.Format(time.RFC3339Nano)
	case []*int64:
		var b strings.Builder
		for _, p := range v {
			if p == nil {
				b.WriteString("NULL,")
			} else {
				fmt.Fprintf(&b, "%d,", *p)
			}
		}
		return b.String()
	case clickhouse.Variant:
		return v.Type() + " " + show(v.Any())
	case *clickhouse.JSON:
		b, err := v.MarshalJSON()
		if err != nil {
			return err.Error()
		}
		return string(b)
	default:
		return fmt.Sprintf("%T %v", v, v)
	}
}

func TestClickHouseTakesBatches(t *testing.T) {
	t.Parallel()
	db := testserver.ClickHouse(t).Database(t, "CREATE TABLE b (a UInt64, s LowCardinality(String), x Array(Nullable(Int64))) ENGINE = MergeTree ORDER BY a")
	for _, compression := range []string{"none", "lz4", "zstd", "gzip", "deflate"} {
		t.Run(compression, func(t *testing.T) {
			conn, err := clickhouse.Open(chOptions(t, db.DSN(testserver.ClickHouseWriter)+"?compress="+compression))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			batch, err := conn.PrepareBatch(t.Context(), "INSERT INTO b")
			if err != nil {
				t.Fatal(err)
			}
			one := int64(1)
			for i := range 1000 {
				if err := batch.Append(uint64(i), compression, []*int64{&one, nil}); err != nil {
					t.Fatal(err)
				}
			}
			if err := batch.Send(); err != nil {
				t.Fatal(err)
			}
			var n, sum uint64
			if err := conn.QueryRow(t.Context(), "SELECT count(), sum(a) FROM b WHERE s = ? AND x[1] = 1 AND x[2] IS NULL", compression).Scan(&n, &sum); err != nil {
				t.Fatal(err)
			}
			if n != 1000 || sum != 499500 {
				t.Errorf("%d rows, sum %d", n, sum)
			}
		})
	}
}

// chOpen connects with the driver's own interface.
func chOpen(t *testing.T, options *clickhouse.Options) driver.Conn {
	t.Helper()
	conn, err := clickhouse.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	})
	return conn
}

func TestClickHouseErrorsReachTheDriver(t *testing.T) {
	t.Parallel()
	s := testserver.ClickHouse(t)
	conn := chOpen(t, chOptions(t, s.DSN(testserver.ClickHouseAdmin, "default")))
	for name, c := range map[string]struct {
		sql      string
		settings clickhouse.Settings
		code     int32
		status   int // 0 when the answer had begun
	}{
		"readonly":        {"CREATE TABLE x (a Int8) ENGINE = Memory", clickhouse.Settings{"readonly": 1, "max_execution_time": 5}, 164, 500},
		"time":            {endless, clickhouse.Settings{"max_execution_time": 1}, 159, 408},
		"unknown setting": {"SELECT 1", clickhouse.Settings{"nope": 1}, 115, 404},
		"syntax":          {"SELEC 1", nil, 62, 400},
		"in the middle":   {"SELECT number, throwIf(number = 9000000) FROM numbers(10000000)", nil, 395, 0},
	} {
		t.Run(name, func(t *testing.T) {
			rows, err := conn.Query(clickhouse.Context(t.Context(), clickhouse.WithSettings(c.settings)), c.sql)
			if err == nil {
				for rows.Next() {
				}
				err = errors.Join(rows.Err(), rows.Close())
			}
			e, ok := errors.AsType[*clickhouse.Exception](err)
			if !ok || e.Code != c.code {
				t.Fatalf("%v, want code %d", err, c.code)
			}
			if h, _ := errors.AsType[*clickhouse.HTTPError](err); (h == nil) != (c.status == 0) || h != nil && h.StatusCode != c.status {
				t.Errorf("%v, want status %d", err, c.status)
			}
		})
	}
	wrong := chOptions(t, s.DSN(testserver.ClickHouseAdmin, "default"))
	wrong.Auth.Password = "no"
	if e, ok := errors.AsType[*clickhouse.Exception](chOpen(t, wrong).Ping(t.Context())); !ok || e.Code != 516 {
		t.Errorf("wrong password: %v", e)
	}
}

func TestClickHouseDriverCancelsInTheEngine(t *testing.T) {
	t.Parallel()
	s := testserver.ClickHouse(t)
	conn := sql.OpenDB(clickhouse.Connector(chOptions(t, s.DSN(testserver.ClickHouseAdmin, "default"))))
	defer conn.Close()
	ctx, cancel := context.WithCancel(clickhouse.Context(t.Context(), clickhouse.WithQueryID("driver-cancel"),
		clickhouse.WithSettings(clickhouse.Settings{"readonly": 1, "cancel_http_readonly_queries_on_client_close": 1})))
	done := make(chan error, 1)
	go func() {
		rows, err := conn.QueryContext(ctx, endless)
		if err == nil {
			err = errors.Join(rows.Err(), rows.Close())
		}
		done <- err
	}()
	chRunning(t, s, "driver-cancel", true)
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	chRunning(t, s, "driver-cancel", false)
}

func TestClickHouseStreamsAMillionRows(t *testing.T) {
	t.Parallel()
	s := testserver.ClickHouse(t)
	// The driver tells a deadline in a setting, which readonly = 1 refuses.
	conn := chOpen(t, chOptions(t, s.DSN(testserver.ClickHouseSettings, "default")))
	begun := time.Now()
	rows, err := conn.Query(t.Context(), "SELECT number, toString(number) FROM numbers(1000000)")
	if err != nil {
		t.Fatal(err)
	}
	first := time.Since(begun)
	var n, sum, number uint64
	var text string
	for rows.Next() {
		if err := rows.Scan(&number, &text); err != nil {
			t.Fatal(err)
		}
		if text != strconv.FormatUint(number, 10) {
			t.Fatalf("%d %q", number, text)
		}
		n++
		sum += number
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		t.Fatal(err)
	}
	if n != 1000000 || sum != 499999500000 {
		t.Errorf("%d rows, sum %d", n, sum)
	}
	t.Logf("first block after %v, all after %v", first, time.Since(begun))
}

func TestClickHouseSpeaksTLSToo(t *testing.T) {
	t.Parallel()
	s := testserver.ClickHouse(t)
	pem, err := os.ReadFile(s.CAFile)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		t.Fatalf("no certificate in %s", s.CAFile)
	}
	version, err := chOpen(t, &clickhouse.Options{
		Protocol: clickhouse.HTTP,
		Addr:     []string{net.JoinHostPort(s.Host, strconv.Itoa(s.TLSPort))},
		Auth:     clickhouse.Auth{Username: testserver.ClickHouseSettings, Password: testserver.ClickHousePassword},
		TLS:      &tls.Config{RootCAs: roots},
	}).ServerVersion()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(s.Version, version.Version.String()) {
		t.Errorf("version %s, want %s", version.Version, s.Version)
	}
}
