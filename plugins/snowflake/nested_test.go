package snowflake_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	fixture "github.com/loam-data/loam/e2e/testserver/snowflake"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// structuredTable has a column of each structured type, one inside another.
const structuredTable = `CREATE TABLE people (id INT, doc OBJECT, tags ARRAY(NUMBER(10,2)), address OBJECT(city VARCHAR, "Zip code" NUMBER(5,0) NOT NULL,
	since TIMESTAMP_NTZ, place OBJECT(lat FLOAT, notes ARRAY(VARCHAR NOT NULL))), visits ARRAY(OBJECT(day DATE, ok BOOLEAN)), scores MAP(VARCHAR, NUMBER(38,0)))`

func TestScanOfStructuredTypes(t *testing.T) {
	t.Parallel()
	server := fixture.Start(t)
	run(t, admin(t, server), structuredTable)
	s := open(t, configOf(server, fixture.Reader, nil))
	var got scanned
	if _, err := s.Scan(t.Context(), sdk.ScanRequest{}, &got); err != nil || len(got.tables) != 1 {
		t.Fatal(got.tables, err)
	}
	const text = "VARCHAR(16777216)"
	nested := func(name, native string, repeated bool, fields ...sdk.Column) sdk.Column {
		return sdk.Column{Name: name, Type: sdk.TypeNestedJSON, NativeType: native, Nullable: true, Repeated: repeated, Fields: fields}
	}
	field := func(name, native string, typ sdk.Type) sdk.Column {
		return sdk.Column{Name: name, Type: typ, NativeType: native, Nullable: true}
	}
	id := field("ID", "NUMBER(38,0)", sdk.TypeDecimal)
	id.Precision = 38
	price := field("", "NUMBER(10,2)", sdk.TypeDecimal)
	price.Precision, price.Scale = 10, 2
	since := field("since", "TIMESTAMP_NTZ(9)", sdk.TypeTimestamp)
	since.TimeDigits = 9
	const place = "OBJECT(lat FLOAT, notes ARRAY(" + text + "))"
	want := []sdk.Column{
		id,
		nested("DOC", "OBJECT", false),
		nested("TAGS", "ARRAY(NUMBER(10,2))", true, price),
		nested("ADDRESS", "OBJECT(city "+text+", Zip code NUMBER(5,0), since TIMESTAMP_NTZ(9), place "+place+")", false,
			field("city", text, sdk.TypeText), field("Zip code", "NUMBER(5,0)", sdk.TypeInt64), since,
			nested("place", place, false, field("lat", "FLOAT", sdk.TypeFloat64), nested("notes", "ARRAY("+text+")", true, field("", text, sdk.TypeText)))),
		nested("VISITS", "ARRAY(OBJECT(day DATE, ok BOOLEAN))", true, field("day", "DATE", sdk.TypeDate), field("ok", "BOOLEAN", sdk.TypeBool)),
		nested("SCORES", "MAP("+text+", NUMBER(38,0))", false),
	}
	if diff := cmp.Diff(want, got.tables[0].Columns); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// The form nested.field reads a field of an OBJECT with the type that the field has.
func TestNestedField(t *testing.T) {
	t.Parallel()
	server := fixture.Start(t)
	run(t, admin(t, server), structuredTable, `INSERT INTO people (id, address)
		SELECT 1, PARSE_JSON('{"city": "Bern", "Zip code": 3000, "since": "2024-01-02", "place": {"lat": 46.5, "notes": ["x"]}}')
			::OBJECT(city VARCHAR, "Zip code" NUMBER(5,0), since TIMESTAMP_NTZ, place OBJECT(lat FLOAT, notes ARRAY(VARCHAR)))
		UNION ALL SELECT 2, NULL`)
	s := open(t, configOf(server, fixture.Reader, nil))
	d := s.Dialect
	of := func(x, name string) string {
		text, ok := d.Expand(dialect.NestedField, map[string]string{"x": x, "field": d.QuoteIdentifier(name)})
		if !ok {
			t.Error("there is no form")
		}
		return text
	}
	address := `p."ADDRESS"`
	got := query(t, s, "SELECT "+of(address, "city")+" AS c, "+of(address, "Zip code")+" AS z, "+of(of(address, "place"), "lat")+" AS l FROM people AS p ORDER BY p.id")
	if diff := cmp.Diff([][]string{{"Bern", "3000", "46.5"}, {"NULL", "NULL", "NULL"}}, got.Texts); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for i, want := range []sdk.Type{sdk.TypeText, sdk.TypeInt64, sdk.TypeFloat64} {
		if got.Columns[i].Type != want {
			t.Errorf("%s is %s, want %s", got.Columns[i].Name, got.Columns[i].Type, want)
		}
	}
}
