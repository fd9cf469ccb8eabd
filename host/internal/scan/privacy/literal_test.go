package privacy

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

func sqlDialect() *dialect.Dialect {
	text := dialect.Quote{Open: "'", Close: "'", Doubled: true}
	return &dialect.Dialect{
		Name: "fake", String: text, Identifier: dialect.Quote{Open: `"`, Close: `"`, Doubled: true},
		Lexis: dialect.Lexis{
			Strings: []dialect.Quote{text, {Prefix: "E", Open: "'", Close: "'", Doubled: true, Backslash: true}}, Identifiers: []dialect.Quote{{Open: `"`, Close: `"`, Doubled: true}},
			LineComments: []dialect.LineComment{{Open: "--"}}, BlockComments: []dialect.BlockComment{{Open: "/*", Close: "*/", Nested: true}}, DollarStrings: true,
		},
	}
}

func TestSQL(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                  "",
		"select a, 1 from t where b < 1.50": "select a, 1 from t where b < 1.50",
		"select 'it''s', E'a\\'b', '' from t -- call 030 1234567\nwhere x = $$ann$$": "select '…', '…', '' from t\nwhere x = '…'",
		"select /* ann@example.com */ 4111111111111111, a::text from t":              "select '…', a::text from t",
		`select x as "ann@example.com", y as "plain name" from t`:                    `select x as "…", y as "plain name" from t`,
		"select x from t where n in (4711, 1234567)":                                 "select x from t where n in (4711, '…')",
		"select 'never closed": "'…'",
		"select \x00":          "'…'",
	} {
		got := SQL(text, sqlDialect())
		if got != want {
			t.Errorf("%s:\n got %s\nwant %s", text, got, want)
		}
		if again := SQL(got, sqlDialect()); again != got {
			t.Errorf("%s: scrubbed again it is %s", text, again)
		}
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		typ  sdk.Type
		want string
	}{
		{"'active'::character varying", sdk.TypeText, "'…'::character varying"},
		{"sk_live_abcdefghijklmnop", sdk.TypeText, "'…'"}, // as engines tell it that leave the quotes out
		{"ann@example.com", sdk.TypeText, "'…'"},
		{"active", sdk.TypeText, "'…'"},
		{"it's", sdk.TypeText, "'…'"},
		{"CURRENT_TIMESTAMP", sdk.TypeText, "CURRENT_TIMESTAMP"},
		{"NULL", sdk.TypeText, "NULL"},
		{"gen_random_uuid()", sdk.TypeText, "gen_random_uuid()"},
		{"nextval('s.orders_id_seq'::regclass)", sdk.TypeInt64, "nextval('…'::regclass)"},
		{"0", sdk.TypeInt64, "0"},
		{"0.00", sdk.TypeDecimal, "0.00"},
		{"true", sdk.TypeBool, "true"},
		{"now()", sdk.TypeTimestampTZ, "now()"},
		{"", sdk.TypeText, ""},
	} {
		if got := defaultOf(&sdk.Column{Default: c.text, Type: c.typ}, sqlDialect()); got != c.want {
			t.Errorf("%s of type %s: %s, want %s", c.text, c.typ, got, c.want)
		}
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Amounts in cents, without tax (since 2021-03-01).":              "Amounts in cents, without tax (since 2021-03-01).",
		"1 = open, 2 = closed; see ticket 4711 and order 0000012345":     "1 = open, 2 = closed; see ticket 4711 and order 0000012345",
		"ask ann.smith@example.com or +49 30 1234567":                    "ask … or …",
		"call 030/1234567, or (030) 123-4567":                            "call …, or …",
		"key sk_live_abcdefghijklmnop, password: hunter2!":               "key …, password: …",
		"db at amqp://app:s3cret@db.example.com/x":                       "db at amqp://…@db.example.com/x",
		"IBAN DE89 3704 0044 0532 0130 00, card 4111 1111 1111 1111":     "IBAN …, card …",
		"for 123-45-6789 and 12345678Z":                                  "for … and …",
		"maintained by Frau Schlotterbeck and by Hans Müller since 2019": "maintained by Frau … and by … since 2019",
		"Owner: Mr. John Smith":                                          "Owner: Mr …",
		"The White House, New York and Main Street":                      "The White House, New York and Main Street",
		"": "",
	} {
		got := Text(text)
		if got != want {
			t.Errorf("%s:\n got %s\nwant %s", text, got, want)
		}
		if again := Text(got); again != got {
			t.Errorf("%s: scrubbed again it is %s", text, again)
		}
	}
}

// What stays as it is is the same table; what does not leaves the original alone.
func TestScrub(t *testing.T) {
	t.Parallel()
	plain := &sdk.Table{Comment: "Orders", Columns: []sdk.Column{{Name: "id", Type: sdk.TypeInt64, NativeType: "bigint", Default: "0"}}, Properties: map[string]string{"engine": "InnoDB"}}
	if got, changed := Scrub(plain, sqlDialect()); changed || got != plain {
		t.Errorf("of a harmless table there is %+v", got)
	}
	dirty := func() *sdk.Table {
		return &sdk.Table{
			Comment: "by ann@example.com", Definition: "select 'x'", Properties: map[string]string{"engine": "S3, key AKIAIOSFODNN7EXAMPLE"},
			Columns: []sdk.Column{{Name: "a", Type: sdk.TypeText, NativeType: "enum('ann@example.com')", Default: "'x'", Comment: "+49 30 1234567", Properties: map[string]string{"ttl": "1"}}},
		}
	}
	before := dirty()
	got, changed := Scrub(before, sqlDialect())
	want := &sdk.Table{
		Comment: "by …", Definition: "select '…'", Properties: map[string]string{"engine": "S3, key …"},
		Columns: []sdk.Column{{Name: "a", Type: sdk.TypeText, NativeType: "enum('…')", Default: "'…'", Comment: "…", Properties: map[string]string{"ttl": "1"}}},
	}
	if diff := cmp.Diff(want, got); diff != "" || !changed {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff(dirty(), before); diff != "" {
		t.Errorf("the original changed:\n%s", diff)
	}
}
