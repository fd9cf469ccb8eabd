package mysql

import (
	"database/sql/driver"
	"encoding/hex"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/loam-data/loam/sdk"
)

// cell writes one value to a column of a type and returns what arrived.
func cell(t testing.TB, typ sdk.Type, decode decoder, v driver.Value) (any, error) {
	t.Helper()
	c := &collector{typ: typ}
	w := sdk.NewRowWriter(c, sdk.Limits{})
	if err := w.Columns(sdk.Column{Name: "c", Type: typ}); err != nil {
		t.Fatal(err)
	}
	if err := decode(w, v); err != nil {
		return nil, err
	}
	if err := errors.Join(w.EndRow(), w.Close()); err != nil {
		return nil, err
	}
	return c.value, nil
}

type collector struct {
	typ   sdk.Type
	value any
}

func (*collector) Started(string) error       { return nil }
func (*collector) Columns([]sdk.Column) error { return nil }
func (*collector) Progress(sdk.Progress)      {}
func (*collector) Notice(sdk.Warning)         {}
func (c *collector) Batch(b *sdk.Batch) error {
	if c.value = b.Columns[0].Value(c.typ, 0); c.value != nil {
		if raw, ok := c.value.([]byte); ok {
			c.value = string(raw)
		}
	}
	return nil
}

func TestValues(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		native string
		value  driver.Value
		want   any
	}{
		{"float", "FLOAT", float32(0.1), 0.1},
		{"whole float", "FLOAT", float32(16777215), 16777215.0},
		{"small float", "FLOAT", float32(-1e-45), -1e-45},
		{"unsigned", "UNSIGNED BIGINT", []byte("18446744073709551615"), "18446744073709551615"},
		{"unsigned in text", "UNSIGNED BIGINT", uint64(18446744073709551615), "18446744073709551615"},
		{"padded decimal", "DECIMAL", []byte("000.50"), "0.50"},
		{"zero", "DECIMAL", []byte("0"), "0"},
		{"no bits", "BIT", []byte{0}, "0"},
		{"nine bits", "BIT", []byte{1, 255}, "511"},
		{"vector", "VECTOR", []byte{0, 0, 128, 63, 205, 204, 204, 61}, "[1,0.1]"},
		{"empty vector", "VECTOR", []byte{}, "[]"},
		{"before the epoch", "DATE", []byte("1969-12-31"), int64(-1)},
		{"year 0", "DATE", []byte("0000-01-01"), int64(-719528)},
		{"leap day of year 0", "DATE", []byte("0000-02-29"), int64(-719469)},
		{"fraction", "DATETIME", []byte("1970-01-01 00:00:00.1"), int64(100000)},
		{"micros before the epoch", "TIMESTAMP", []byte("1969-12-31 23:59:59.999999"), int64(-1)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			typ := types.Of(c.native)
			if c.native == "VECTOR" {
				typ = sdk.TypeNestedJSON
			}
			got, err := cell(t, typ, decoderOf(c.native, typ), c.value)
			if err != nil || got != c.want {
				t.Errorf("got %v, %v, want %v", got, err, c.want)
			}
		})
	}
	for _, odd := range []string{"0000-00-00", "2024-00-01", "2024-01-00", "2023-02-29", "2024-04-31", "2024-13-01"} {
		if _, err := cell(t, sdk.TypeDate, decodeDate, []byte(odd)); !errors.Is(err, errOdd) {
			t.Errorf("%s: %v", odd, err)
		}
	}
	for native, value := range map[string]driver.Value{"BIT": []byte("123456789"), "FLOAT": 1.5, "INT": "1", "VECTOR": []byte{1}, "GEOMETRY": []byte{1}, "DATE": 1, "TEXT": 1, "DECIMAL": true} {
		typ := types.Of(native)
		if native == "VECTOR" {
			typ = sdk.TypeNestedJSON
		}
		if got, err := cell(t, typ, decoderOf(native, typ), value); err == nil {
			t.Errorf("a %s of %v became %v", native, value, got)
		}
	}
}

// Every day of the calendar is the one that Go counts.
func TestDaysOf(t *testing.T) {
	t.Parallel()
	for day := time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC); day.Year() < 2500; day = day.AddDate(0, 0, 1) {
		year, month, date := day.Date()
		if got, want := daysOf(int64(year), int64(month), int64(date)), sdk.DaysOf(day); got != want {
			t.Fatalf("%s is day %d, want %d", day.Format(time.DateOnly), got, want)
		}
	}
}

func TestGeometry(t *testing.T) {
	t.Parallel()
	const point = "0101000000000000000000f03f0000000000000440"
	for wkb, want := range map[string]string{
		"00000000" + point: "POINT(1 2.5)",
		"e6100000" + point: "POINT(1 2.5)",
		"00000000" + "00000000013ff00000000000004004000000000000":             "POINT(1 2.5)", // big-endian
		"00000000" + "010700000000000000":                                     "GEOMETRYCOLLECTION EMPTY",
		"00000000" + "010400000001000000" + point:                             "MULTIPOINT((1 2.5))",
		"00000000" + "010300000000000000":                                     "POLYGON EMPTY",
		"00000000" + "010300000001000000" + "00000000":                        "POLYGON( EMPTY)",
		"00000000" + "010700000001000000" + "0107000000" + "01000000" + point: "GEOMETRYCOLLECTION(GEOMETRYCOLLECTION(POINT(1 2.5)))",
	} {
		raw, err := hex.DecodeString(wkb)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := cell(t, sdk.TypeGeoWKT, decodeGeometry, raw); err != nil || got != want {
			t.Errorf("%s: %v, %v, want %s", wkb, got, err, want)
		}
		for i := range raw {
			if got, err := cell(t, sdk.TypeGeoWKT, decodeGeometry, raw[:i]); err == nil {
				t.Errorf("%s cut to %d bytes is %v", wkb, i, got)
			}
		}
	}
}

func FuzzGeometry(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x00\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\xf0?\x00\x00\x00\x00\x00\x00\x04@"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		given := slices.Clone(raw)
		got, err := cell(t, sdk.TypeGeoWKT, decodeGeometry, raw)
		if err == nil && got == "" {
			t.Error("a geometry is nothing")
		}
		if !slices.Equal(given, raw) {
			t.Error("the driver's bytes were changed")
		}
	})
}

func TestGrants(t *testing.T) {
	t.Parallel()
	g := &grants{}
	for _, line := range []string{
		"GRANT USAGE ON *.* TO `u`@`%` IDENTIFIED BY PASSWORD '*94BDCEBE19083CE2A1F959FD02F964C7AF4CFC29' REQUIRE SSL WITH MAX_QUERIES_PER_HOUR 5",
		"GRANT `role`@`%` TO `u`@`%`",
		"GRANT SELECT, SHOW VIEW ON `shop\\_%`.* TO `u`@`%`",
		"GRANT SELECT (`id`, `a``b`), INSERT (`id`) ON `o``dd`.`t` TO `u`@`%` WITH GRANT OPTION",
		"GRANT EXECUTE ON PROCEDURE `shop`.`p` TO `u`@`%`",
		"GRANT APPLICATION_PASSWORD_ADMIN,BACKUP_ADMIN ON *.* TO `u`@`%`",
		"REVOKE SELECT ON `hidden`.* FROM `u`@`%`",
		"SET DEFAULT ROLE `role` FOR `u`@`%`",
	} {
		g.add(line)
	}
	for _, c := range []struct {
		schema, table string
		want          bool
	}{
		{"shop_eu", "orders", true}, {"shopXeu", "orders", false}, {"SHOP_EU", "Orders", true}, {"o`dd", "t", true}, {"o`dd", "u", false}, {"mysql", "user", false},
	} {
		if got := g.reads(c.schema, c.table); got != c.want {
			t.Errorf("reads %s.%s: %t", c.schema, c.table, got)
		}
	}
	var kinds []string
	for _, r := range g.rights() {
		kinds = append(kinds, r.kind)
		for _, revoke := range r.revoke {
			if slices.Contains([]string{"", "REVOKE"}, revoke) {
				t.Errorf("%s is taken away by %q", r.kind, revoke)
			}
		}
	}
	if want := []string{"admin", "grant", "write", "execute"}; !slices.Equal(kinds, want) {
		t.Errorf("rights %v, want %v", kinds, want)
	}
	all := &grants{}
	all.add("GRANT SELECT ON *.* TO `u`@`%`")
	all.add("REVOKE SELECT ON `hidden`.* FROM `u`@`%`")
	if all.reads("hidden", "t") || !all.reads("shown", "t") || len(all.rights()) > 0 {
		t.Errorf("partial revokes: %+v", all)
	}
}
