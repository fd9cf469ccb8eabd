package privacy

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/sdk"
)

func rules(t testing.TB, keep, withhold []string) *Rules {
	t.Helper()
	r, err := New(keep, withhold)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// reasonOf returns why the values of s.TABLE.COLUMN are withheld.
func reasonOf(r *Rules, table, column string, typ sdk.Type, native string, values ...string) string {
	t := &sdk.Table{TableRef: sdk.TableRef{Schema: "s", Name: table}, Columns: []sdk.Column{{Name: column, Type: typ, NativeType: native}}}
	stats := sdk.ColumnStats{Column: column, Rows: int64(len(values)), Distinct: int64(len(values)), Values: values, Counts: make([]int64, len(values)), ValuesComplete: true}
	return r.judge(t, &catalog.Profile{Stats: []sdk.ColumnStats{stats}})[0].reason
}

func TestByName(t *testing.T) {
	t.Parallel()
	r := rules(t, nil, nil)
	for _, name := range strings.Fields(`email Email E-Mail eMailAddress user_email email_1 primaryemail contact_email_address MAIL
		phone Phone phone_number HomePhone phone2 Telefon Telefon-Nr. TELEFONNUMMER mobile fax tel handynummer cust_phone_no
		first_name FirstName lastname last_name name_last surname Vorname nachname NACHNAME full_name contact_name username Mädchenname
		address Address address_line_2 ShipAddress billing_address street Straße anschrift Adresse
		password passwd password_hash Passwort PWD api_key ApiKey client_secret access_token refreshToken auth_token private_key
		birth_date BirthDate dob Geburtsdatum date_of_birth
		ssn SSN ssn_last4 passport_number passport_no Steuer-ID Personalausweisnummer tax_id
		iban IBAN credit_card credit_card_number card_number cvv Kontonummer account_number
		ip ip_address client_ip IPv4 remote_addr mac_address imei`) {
		if reasonOf(r, "t", name, sdk.TypeText, "text") == "" {
			t.Errorf("%s is kept", name)
		}
	}
	for _, name := range strings.Fields(`id customer_id name status country city company company_name product_name file_name filename title zip ship
		region key order_key sku code email_template_name email_subject email_status phone_model address_type tokenizer description
		category_name currency order_cd login_dt email_sent_dt address_cd cell_line_cd country_cd tax_amt account_nm carrier_nm pinned keyboard mapping trip recipe postal_code state segment hostname birthplace_code strasbourg`) {
		if reason := reasonOf(r, "t", name, sdk.TypeText, "text"); reason != "" {
			t.Errorf("%s is withheld: %s", name, reason)
		}
	}
	for _, c := range []struct {
		table, column string
		typ           sdk.Type
		withheld      bool
	}{
		{"t", "email", sdk.TypeBool, false},              // has one
		{"t", "email_id", sdk.TypeInt64, false},          // refers to one
		{"t", "address", sdk.TypeInt64, false},           // refers to one
		{"t", "DOB_DT", sdk.TypeDate, true},              // the words behind say which sort of value
		{"t", "base_salary_amt", sdk.TypeDecimal, true},  //
		{"t", "ethnicity_cd", sdk.TypeText, true},        // a code that tells as much
		{"t", "employee_full_nm", sdk.TypeText, true},    //
		{"t", "token", sdk.TypeInt64, false},             // counts them
		{"t", "phone", sdk.TypeInt64, true},              // is one
		{"t", "ssn", sdk.TypeDecimal, true},              //
		{"t", "password", sdk.TypeTimestamp, false},      // when it changed
		{"t", "birthday", sdk.TypeDate, true},            //
		{"t", "address", sdk.TypeJSON, true},             //
		{"employees", "name", sdk.TypeText, true},        //
		{"dim_user", "Name", sdk.TypeText, true},         //
		{"Mitarbeiter", "name", sdk.TypeText, true},      //
		{"customers", "name", sdk.TypeText, false},       // companies
		{"products", "name", sdk.TypeText, false},        //
		{"employees", "department", sdk.TypeText, false}, //
	} {
		if reason := reasonOf(r, c.table, c.column, c.typ, ""); (reason != "") != c.withheld {
			t.Errorf("%s.%s of type %s: %q", c.table, c.column, c.typ, reason)
		}
	}
}

func TestByType(t *testing.T) {
	t.Parallel()
	r := rules(t, nil, nil)
	for native, withheld := range map[string]bool{"inet": true, "macaddr8": true, "Nullable(IPv6)": true, "IPv4": true, "integer": false, "interval": false} {
		if reason := reasonOf(r, "t", "origin", sdk.TypeText, native); (reason != "") != withheld {
			t.Errorf("%s: %q", native, reason)
		}
	}
}

func TestByContent(t *testing.T) {
	t.Parallel()
	r := rules(t, nil, nil)
	digest := strings.Repeat("0f3a9c5e", 8)
	for _, c := range []struct {
		name, column string
		values       []string
		want         string
	}{
		{"e-mail", "x", []string{"a.b@example.com", "c@d.org", "none"}, formNames[mail]},
		{"e-mail in Cyrillic", "x", []string{"почта@пример.рф"}, formNames[mail]},
		{"one e-mail among many values", "note", append(strings.Fields("a b c d e f g h i"), "write to x@y.com"), ""},
		{"handles", "x", []string{"@someone", "a@b"}, ""},
		{"iban", "x", []string{"DE89 3704 0044 0532 0130 00", "GB82WEST12345698765432"}, formNames[account]},
		{"iban with a wrong digit", "x", []string{"DE88370400440532013000", "GB81WEST12345698765432"}, ""},
		{"card", "x", []string{"4111 1111 1111 1111", "5500005555555559"}, formNames[card]},
		{"numbers as long as a card's", "x", []string{"4111111111111112", "5500005555555550"}, ""},
		{"phone", "x", []string{"+49 30 1234567", "(030) 123-4567", "0049 170 1234567"}, formNames[phone]},
		{"dates", "x", []string{"2024-02-29", "01.02.2024", "2024/01/02 10:00"}, ""},
		{"plain numbers", "x", []string{"1234567", "98765432"}, ""},
		{"decimals", "x", []string{"1234567.89", "12.50"}, ""},
		{"ip", "x", []string{"10.0.0.1", "::1", "192.168.0.0/16"}, formNames[device]},
		{"times", "x", []string{"10:30", "23:59:59"}, ""},
		{"versions", "x", []string{"1.2.3", "10.4.1-beta"}, ""},
		{"jwt", "x", []string{"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc"}, formNames[secret]},
		{"private key", "x", []string{"-----BEGIN RSA PRIVATE KEY-----\nMII"}, formNames[secret]},
		{"known keys", "x", []string{"sk_live_abcdefghijkl", "AKIAIOSFODNN7EXAMPLE", "ghp_0123456789abcdefghij"}, formNames[secret]},
		{"bcrypt", "x", []string{"$2b$12$abcdefghijklmnopqrstuvwxyz"}, formNames[secret]},
		{"random", "x", []string{"aB3dE5gH7jK9mN1pQ3sT5vW7", "Zx9Yw8Vu7Ts6Rq5Po4Nm3Lk2"}, formNames[code]},
		{"digests", "x", []string{digest}, formNames[code]},
		{"digests that are keys", "customer_key", []string{digest}, ""},
		{"digests that tell versions apart", "content_md5", []string{digest}, ""},
		{"uuids", "x", []string{"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"}, ""},
		{"names with underscores", "x", []string{"campaign_2024_summer_sale_b2b", "Campaign_2024_Winter_Sale"}, ""},
		{"long words", "x", []string{"Donaudampfschifffahrtsgesellschaft", "internationalization"}, ""},
		{"empty", "x", []string{"", ""}, ""},
		{"nothing", "x", nil, ""},
		{"bytes that are no text", "x", []string{"\xff\xfe@\x00", strings.Repeat("\xff", 40)}, ""},
	} {
		want := c.want
		if want != "" {
			want = "its values look like " + want
		}
		if got := reasonOf(r, "t", c.column, sdk.TypeText, "text", c.values...); got != want {
			t.Errorf("%s: %q, want %q", c.name, got, want)
		}
	}
}

// What is withheld of a column is everything that is a value or made of some.
func TestProtect(t *testing.T) {
	t.Parallel()
	text := func(s string) *string { return &s }
	stats := func(column string, values ...string) sdk.ColumnStats {
		return sdk.ColumnStats{
			Column: column, Rows: 9, Complete: true, Nulls: 1, Distinct: int64(len(values)), Min: text(values[0]), Max: text(values[len(values)-1]),
			Quantiles: values[:1], MinLength: 1, MaxLength: 20, AvgLength: 9, Values: values, Counts: make([]int64, len(values)), ValuesComplete: true,
			Sketch: []uint64{1, 2},
		}
	}
	counted := func(column string, distinct int64) sdk.ColumnStats {
		return sdk.ColumnStats{Column: column, Rows: 9, Complete: true, Nulls: 1, Distinct: distinct, MinLength: 1, MaxLength: 20, AvgLength: 9}
	}
	table := &sdk.Table{TableRef: sdk.TableRef{Catalog: "c", Schema: "crm", Name: "agent"}}
	for _, name := range []string{"id", "full_name", "email", "note", "grade", "phone"} {
		table.Columns = append(table.Columns, sdk.Column{Name: name, Type: sdk.TypeText})
	}
	profile := func() *catalog.Profile {
		return &catalog.Profile{Stats: []sdk.ColumnStats{
			stats("id", "1", "2"), stats("full_name", "Ada"), stats("email", "a@b.com"),
			stats("note", "a", "b", "c", "d", "mail x@y.com", "z"), stats("grade", "A", "B"), stats("gone", "x@y.com"), stats("phone", "1"),
		}}
	}
	note := stats("note", "a", "b", "c", "d", "z")
	note.Distinct, note.ValuesComplete = 6, false
	want := &catalog.Profile{
		Stats: []sdk.ColumnStats{
			stats("id", "1", "2"), counted("full_name", 1), counted("email", 1), note, counted("grade", 2), counted("gone", 1), stats("phone", "1"),
		},
		Withheld: []catalog.Withheld{
			{Column: "full_name", Reason: "it is called like a name of a person"},
			{Column: "email", Reason: "it is called like an e-mail address"},
			{Column: "grade", Reason: reasonOwn},
			{Column: "gone", Reason: "its values look like e-mail addresses"},
		},
	}
	r := rules(t, []string{"agent.phone", "crm.agent.grade"}, []string{"grade"})
	got := profile()
	if !r.Protect(table, got) {
		t.Error("nothing is said to be withheld")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if r.Protect(table, got) {
		t.Error("what is protected is not left as it is")
	}
	if r.Reopened(table, got) {
		t.Error("nothing that the project has kept was withheld")
	}
	if !rules(t, []string{"crm.*.full_name"}, nil).Reopened(table, got) {
		t.Error("full_name is to be kept, and the profile has it not")
	}
	if rules(t, []string{"full_name"}, []string{"*"}).Reopened(table, got) {
		t.Error("withheld goes before kept")
	}
	if _, err := New([]string{"a..b"}, nil); sdk.KindOf(err) != sdk.KindInvalid {
		t.Errorf("a glob with an empty part: %v", err)
	}
}

func BenchmarkProtect(b *testing.B) {
	r := rules(b, nil, nil)
	table := &sdk.Table{TableRef: sdk.TableRef{Name: "t"}}
	p := &catalog.Profile{}
	for i := range 20 {
		name := fmt.Sprint("column_", i)
		table.Columns = append(table.Columns, sdk.Column{Name: name, Type: sdk.TypeText})
		s := sdk.ColumnStats{Column: name}
		for v := range 1000 {
			s.Values, s.Counts = append(s.Values, fmt.Sprint("some value ", v)), append(s.Counts, 1)
		}
		p.Stats = append(p.Stats, s)
	}
	for b.Loop() {
		r.Protect(table, p)
	}
}

// Texts in documents that look like documents themselves are judged as such, and the rows of the column are not read again.
func TestDocumentsInDocuments(t *testing.T) {
	t.Parallel()
	r := rules(t, nil, nil)
	for _, tt := range []struct{ document, reason string }{
		{`{"note": "[urgent] call back"}`, ""},
		{`{"note": "{\"inner\": \"[a]\"}"}`, ""},
		{`["[a]", "{"]`, ""},
		{`{"payload": "{\"reply_to\": \"ada@example.com\"}"}`, formNames[mail]},
	} {
		stats := sdk.ColumnStats{Column: "doc", Rows: 2, Distinct: 2, Min: &tt.document, Max: &tt.document}
		profile := &catalog.Profile{Stats: []sdk.ColumnStats{stats}, Sampled: true, Cells: []catalog.Cells{{Column: "doc", Values: []*string{&tt.document, nil}}}}
		table := &sdk.Table{TableRef: sdk.TableRef{Schema: "s", Name: "t"}, Columns: []sdk.Column{{Name: "doc", Type: sdk.TypeJSON}}}
		if got := r.judge(table, profile)[0].reason; (got == "") != (tt.reason == "") || !strings.Contains(got, tt.reason) {
			t.Errorf("%s: %q, want %q", tt.document, got, tt.reason)
		}
	}
}
