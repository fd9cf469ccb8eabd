package oracle_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loam-data/loam/host/internal/semantic/claim"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/oracle"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/readonly"
)

// claimed declares of two tables whatever can be declared.
const claimed = `
name: visits
table: visits
primary_key: [id]
unique_keys: [[id, shop], [code]]
dimensions:
  - {name: id, type: number}
  - {name: guest, type: number}
  - {name: shop, type: string}
  - {name: day, type: time, column_type: date}
  - {name: code, type: string, expr: "lower(shop)"}
joins:
  - {role: plain, to: guests, on: "visits.guest = plain.id", relationship: many_to_one}
  - {role: pair, to: guests, on: "visits.guest = pair.id AND visits.shop = pair.shop", relationship: many_to_one}
  - {role: stay, to: guests, on: "visits.guest = stay.id AND visits.day >= stay.since AND visits.day < stay.until", relationship: many_to_one}
  - {role: only, to: guests, on: "visits.guest = only.id", relationship: one_to_one}
  - {role: named, to: guests, on: "visits.code = named.code", relationship: many_to_one}
  - {role: part, to: guests, on: "part.guest_of = visits.id", relationship: one_to_many}
`

const claimedGuests = `
name: guests
table: guests
dimensions:
  - {name: id, type: number}
  - {name: shop, type: string}
  - {name: since, type: time, column_type: date}
  - {name: until, type: time, column_type: date}
  - {name: guest_of, type: number}
  - {name: code, type: string, expr: "lower(shop)"}
`

// claimedDays says which periods days are in, at times of day.
const claimedDays = `
name: days
table: days
calendar:
  date: at
  periods: {season: season, fiscal_year: year}
`

// visit and guest are the places of columns.
const (
	visitID, visitGuest, visitShop, visitDay              = 0, 1, 2, 3
	guestID, guestShop, guestSince, guestUntil, guestOfID = 0, 1, 2, 3, 4
)

// truths say of each claim, in the order of claim.Of, what a row's key is and which
// rows a row leads to.
var truths = []struct {
	name string
	kind claim.Kind
	back bool // the rows are those of guests
	key  func(r []any) []any
	to   func(visit, guest []any) bool // nil: a key
}{
	{name: "id", kind: claim.PrimaryKey, key: func(r []any) []any { return []any{r[visitID]} }},
	{name: "id and shop", kind: claim.UniqueKey, key: func(r []any) []any { return []any{r[visitID], r[visitShop]} }},
	{name: "code", kind: claim.UniqueKey, key: func(r []any) []any { return []any{lower(r[visitShop])} }},
	{name: "plain", kind: claim.ToOne, key: func(r []any) []any { return []any{r[visitGuest]} }, to: sameGuest},
	{name: "pair", kind: claim.ToOne, key: func(r []any) []any { return []any{r[visitGuest], r[visitShop]} }, to: func(v, g []any) bool {
		return sameGuest(v, g) && equal(v[visitShop], g[guestShop])
	}},
	{name: "stay", kind: claim.ToOne, key: func(r []any) []any { return []any{r[visitGuest], r[visitDay]} }, to: func(v, g []any) bool {
		day, since, until := v[visitDay], g[guestSince], g[guestUntil]
		return sameGuest(v, g) && day != nil && since != nil && until != nil && day.(string) >= since.(string) && day.(string) < until.(string)
	}},
	{name: "only", kind: claim.OneToOne, key: func(r []any) []any { return []any{r[visitGuest]} }, to: sameGuest},
	{name: "named", kind: claim.ToOne, key: func(r []any) []any { return []any{lower(r[visitShop])} }, to: func(v, g []any) bool {
		return equal(lower(v[visitShop]), lower(g[guestShop]))
	}},
	{name: "part", kind: claim.ToOne, back: true, key: func(r []any) []any { return []any{r[guestOfID]} }, to: func(v, g []any) bool {
		return equal(v[visitID], g[guestOfID])
	}},
}

func equal(a, b any) bool { return a != nil && a == b }

func sameGuest(v, g []any) bool { return equal(v[visitGuest], g[guestID]) }

func lower(v any) any {
	if v == nil {
		return nil
	}
	return strings.ToLower(v.(string))
}

// What claims find is what counting row by row finds, on every engine.
func TestClaims(t *testing.T) {
	t.Parallel()
	for _, name := range names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sqliteAlone(t, name, "claims")
			db := engines[name](t)
			draw := rand.New(rand.NewPCG(*seed, 7))
			for i := range 15 {
				c := claimCase(draw, i)
				if err := db.load(t.Context(), c); err != nil {
					t.Fatal(err)
				}
				m := c.Model(db.dialect)
				for _, p := range problemsOf(m) {
					t.Fatal(p)
				}
				visits, err := m.FindSource("visits")
				if err != nil {
					t.Fatal(err)
				}
				all := claim.Of(m, visits.ID)
				if len(all) != len(truths) {
					t.Fatalf("%d claims, not %d", len(all), len(truths))
				}
				for at, one := range all {
					checkClaim(t, db, m, c, truths[at].name, one, counted(c, at))
					if one.Kind != truths[at].kind {
						t.Errorf("%s is a claim of the kind %s", truths[at].name, one.Kind)
					}
				}
				days, err := m.FindSource("days")
				if err != nil {
					t.Fatal(err)
				}
				periods := claim.Of(m, days.ID)
				if len(periods) != 1 || periods[0].Kind != claim.OnePeriod {
					t.Fatalf("a calendar claims %+v", periods)
				}
				checkClaim(t, db, m, c, "days", periods[0], daysInPeriods(c))
			}
		})
	}
}

func checkClaim(t *testing.T, db *engine, m *model.Model, c *oracle.Case, name string, one claim.Claim, want claim.Finding) {
	t.Helper()
	query, err := one.Statement(m, db.dialect, true)
	if err != nil {
		t.Fatal(err)
	}
	if err := readonly.Check(query, db.dialect); err != nil {
		t.Fatal(err)
	}
	rows, err := db.ask(t.Context(), query)
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, query)
	}
	var got claim.Finding
	for _, row := range rows {
		cells := make([][]byte, len(row))
		for i, v := range row {
			if cells[i], err = json.Marshal(v); err != nil {
				t.Fatal(err)
			}
		}
		if err := got.Read(cells); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(claim.Finding{}), cmpopts.IgnoreFields(claim.Finding{}, "Examples")); diff != "" {
		t.Errorf("%s (-want +got):\n%s\n%s\n%s", name, diff, oracle.FormatTables(c.Tables, c.Data), query)
	}
	if faulty := want.Violations+want.Back+want.Orphans > 0; faulty != (len(got.Examples) > 0) {
		t.Errorf("%s: examples %q of %+v", name, got.Examples, want)
	}
}

// counted is what a claim should find, row by row.
func counted(c *oracle.Case, at int) (f claim.Finding) {
	truth := truths[at]
	home, other := c.Data["visits"].Rows, c.Data["guests"].Rows
	leads := truth.to
	if truth.back {
		home, other = other, home
		leads = func(g, v []any) bool { return truth.to(v, g) }
	}
	f.Rows = int64(len(home))
	groups := map[string]int64{}
	for _, r := range home {
		key := truth.key(r)
		missing := slices.Contains(key, any(nil))
		if leads == nil {
			n := groups[fmt.Sprint(key)] + 1
			groups[fmt.Sprint(key)] = n
			f.Most = max(f.Most, n)
			switch {
			case missing:
				f.Nulls++
			case n == 2:
				f.Violations++
			}
			continue
		}
		n := matching(other, func(o []any) bool { return leads(r, o) })
		f.Most = max(f.Most, n)
		switch {
		case n > 1:
			f.Violations++
		case n == 0 && missing:
			f.Nulls++
		case n == 0:
			f.Orphans++
		}
	}
	if truth.kind == claim.OneToOne {
		for _, o := range other {
			n := matching(home, func(r []any) bool { return leads(r, o) })
			f.BackMost = max(f.BackMost, n)
			if n > 1 {
				f.Back++
			}
		}
	}
	return f
}

// daysInPeriods is what the claim of a calendar should find: a day is at fault when two
// of its rows name different periods. A row without a day is none of the calendar.
func daysInPeriods(c *oracle.Case) (f claim.Finding) {
	of := map[string][][]any{}
	for _, r := range c.Data["days"].Rows {
		if at, ok := r[0].(string); ok {
			f.Rows++
			of[at[:len("2006-01-02")]] = append(of[at[:len("2006-01-02")]], r)
		}
	}
	for _, rows := range of {
		f.Most = max(f.Most, int64(len(rows)))
		differ := func(column int) bool {
			return slices.ContainsFunc(rows, func(a []any) bool {
				return matching(rows, func(b []any) bool { return a[column] != nil && b[column] != nil && a[column] != b[column] }) > 0
			})
		}
		if differ(1) || differ(2) {
			f.Violations++
		}
	}
	return f
}

func matching(rows [][]any, is func([]any) bool) (n int64) {
	for _, r := range rows {
		if is(r) {
			n++
		}
	}
	return n
}

// claimCase draws tables, among them empty ones.
func claimCase(draw *rand.Rand, i int) *oracle.Case {
	one := func(values ...any) any { return values[draw.IntN(len(values))] }
	day := func() any {
		return one(nil, "2024-01-01", "2024-01-31", "2024-02-01", "2024-02-29", "2024-03-01")
	}
	number := func() any { return one(nil, int64(1), int64(2), int64(3), int64(4)) }
	shop := func() any { return one(nil, "a", "A", "b", "it's") }
	var visits, guests [][]any
	for range draw.IntN(9) * min(i, 1) {
		visits = append(visits, []any{number(), number(), shop(), day()})
	}
	// An outer join may have a 0 instead of NULL where a column is never NULL.
	var never []string
	if i%2 == 1 {
		never = []string{"id"}
	}
	for range draw.IntN(9) * min(i/2, 1) {
		id := number()
		if never != nil {
			id = one(int64(0), int64(1), int64(2), int64(3))
		}
		guests = append(guests, []any{id, shop(), day(), day(), number()})
	}
	var days [][]any
	for range draw.IntN(9) * min(i/3, 1) {
		at := one(nil, "2024-01-01 00:00:00", "2024-01-31 00:00:00", "2024-01-31 12:30:00", "2024-02-01 00:00:00")
		days = append(days, []any{at, one(nil, "P1", "P2"), one(nil, int64(2023), int64(2024), int64(2024), int64(2024))})
	}
	table := func(name string, columns ...model.Column) *model.Table {
		return &model.Table{Ref: sdk.TableRef{Name: name}, Columns: columns}
	}
	c := &oracle.Case{
		Files: []oracle.File{{Path: "visits.yaml", Text: claimed}, {Path: "guests.yaml", Text: claimedGuests}, {Path: "days.yaml", Text: claimedDays}},
		Tables: []*model.Table{
			table("visits", model.Column{Name: "id", Type: sdk.TypeInt64}, model.Column{Name: "guest", Type: sdk.TypeInt64},
				model.Column{Name: "shop", Type: sdk.TypeText}, model.Column{Name: "day", Type: sdk.TypeDate}),
			table("guests", model.Column{Name: "id", Type: sdk.TypeInt64}, model.Column{Name: "shop", Type: sdk.TypeText},
				model.Column{Name: "since", Type: sdk.TypeDate}, model.Column{Name: "until", Type: sdk.TypeDate}, model.Column{Name: "guest_of", Type: sdk.TypeInt64}),
			table("days", model.Column{Name: "at", Type: sdk.TypeTimestamp}, model.Column{Name: "season", Type: sdk.TypeText}, model.Column{Name: "year", Type: sdk.TypeInt64}),
		},
		Data: oracle.Data{"visits": {Rows: visits}, "guests": {Rows: guests}, "days": {Rows: days}},
	}
	c.Tables[1].PrimaryKey = never
	return c
}
