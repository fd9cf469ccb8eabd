//go:build cgo

package duckdb_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

// The catalogue names the type of a record as text: its fields are read out of it, under
// any name that a field may have.
func TestFieldsOfRecords(t *testing.T) {
	t.Parallel()
	s := open(t, create(t, `CREATE TABLE nested (
		address STRUCT(city VARCHAR, "zip, (old)" DECIMAL(4,1), "a""b" STRUCT(lat DOUBLE, "at" TIMESTAMP_NS)),
		lines STRUCT(sku VARCHAR, qty INTEGER)[], tags VARCHAR[3], plain INTEGER, pairs MAP(VARCHAR, INTEGER))`))
	var out tables
	if _, err := s.Scan(t.Context(), sdk.ScanRequest{}, &out); err != nil {
		t.Fatal(err)
	}
	record := func(name, native string, fields ...sdk.Column) sdk.Column {
		return sdk.Column{Name: name, NativeType: native, Type: sdk.TypeNestedJSON, Nullable: true, Fields: fields}
	}
	one := func(name, native string, typ sdk.Type) sdk.Column {
		return sdk.Column{Name: name, NativeType: native, Type: typ, Nullable: true}
	}
	at := one("at", "TIMESTAMP_NS", sdk.TypeTimestamp)
	at.TimeDigits = 9
	lines := record("lines", "STRUCT(sku VARCHAR, qty INTEGER)[]", one("sku", "VARCHAR", sdk.TypeText), one("qty", "INTEGER", sdk.TypeInt64))
	tags := record("tags", "VARCHAR[3]", one("", "VARCHAR", sdk.TypeText))
	lines.Repeated, tags.Repeated = true, true
	want := []sdk.Column{
		record("address", `STRUCT(city VARCHAR, "zip, (old)" DECIMAL(4,1), "a""b" STRUCT(lat DOUBLE, "at" TIMESTAMP_NS))`,
			one("city", "VARCHAR", sdk.TypeText), one("zip, (old)", "DECIMAL(4,1)", sdk.TypeDecimal),
			record(`a"b`, `STRUCT(lat DOUBLE, "at" TIMESTAMP_NS)`, one("lat", "DOUBLE", sdk.TypeFloat64), at)),
		lines, tags, one("plain", "INTEGER", sdk.TypeInt64), record("pairs", "MAP(VARCHAR, INTEGER)"),
	}
	if diff := cmp.Diff(want, out.all[0].Columns); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

type tables struct {
	all []*sdk.Table
	sdk.ScanWriter
}

func (w *tables) Table(t *sdk.Table) error {
	w.all = append(w.all, t)
	return nil
}

func (*tables) Progress(sdk.Progress) {}
