package oracle

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk"
)

// Generator makes random cases; the same seed makes the same ones.
type Generator struct {
	rng         *rand.Rand
	aside       *rand.Rand // for what is drawn beside the rest, which stays as it is
	owners      *rand.Rand // for ofOwner
	keys        *rand.Rand // for enforce
	sources     []*draft
	metrics     []string
	hasCalendar bool // there is a calendar
	// Features that have been drawn, for a count of what a run has covered.
	Features map[string]int
}

// NewGenerator returns a generator for one case.
func NewGenerator(seed, number uint64) *Generator {
	return &Generator{rng: rand.New(rand.NewPCG(seed, number)), aside: rand.New(rand.NewPCG(number, seed)), owners: rand.New(rand.NewPCG(number, ^seed)), keys: rand.New(rand.NewPCG(^seed, number)), Features: map[string]int{}}
}

// draft is a source while it is made.
type draft struct {
	name    string
	layer   int
	key     []string // of the rows; composite when there are two
	keyless bool     // the model does not know the key
	versioned,
	selfJoined bool
	of       *draft // the source that it is a query of
	columns  []model.Column
	stored   map[string]string // how times are stored that are not what they are, by column
	zone     string            // of times without one
	links    []*link
	segments []string
	measures []string // names
	byPeriod bool     // it has a measure per period
	dims     []string // names beyond the columns
	yaml     struct{ dims, measures, segments, joins []string }
}

// link is a to-one join of a draft.
type link struct {
	from, to *draft
	role     string
	columns  []string // of from, for the key of to
	day      string   // the column of from that a validity range is asked with
	swapped  bool     // the other side declares it
	unique   bool     // one to one
	declared bool     // as a foreign key of the table
	enforced bool     // by the engine
}

func (g *Generator) chance(percent int) bool { return g.rng.IntN(100) < percent }

func (g *Generator) feature(percent int, name string) bool {
	if g.chance(percent) {
		g.Features[name]++
		return true
	}
	return false
}

func pick[T any](g *Generator, all ...T) T { return all[g.rng.IntN(len(all))] }

// Case makes a model, rows and a request.
func (g *Generator) Case() *Case {
	c := g.World()
	c.Request = g.Request()
	return c
}

// World makes a model and rows, for any number of requests.
func (g *Generator) World() *Case {
	c := &Case{Data: Data{}}
	g.hasCalendar = (&Generator{rng: g.aside, Features: g.Features}).feature(20, "calendar")
	g.shape()
	for _, d := range g.sources {
		g.members(d)
	}
	g.combined()
	for _, d := range g.sources {
		c.Files = append(c.Files, File{d.name + ".yaml", d.text()})
	}
	if text := g.crossing(); text != "" {
		c.Files = append(c.Files, File{"metrics.yaml", text})
	}
	g.enforce()
	g.fill(c.Data)
	for _, d := range g.sources {
		if d.of == nil {
			c.Tables = append(c.Tables, d.table())
		}
	}
	g.calendar(c)
	return c
}

// shape draws sources in layers, whose joins lead from higher to lower ones:
// lookups, what is described by them, what happens, and its parts.
func (g *Generator) shape() {
	for layer, most := range []int{2, 2, 3, 1} {
		least := 1
		if layer == 0 || layer == 3 {
			least = 0
		}
		for i := range least + g.rng.IntN(most-least+1) {
			d := &draft{name: string("dcfi"[layer]) + string(rune('a'+i)), layer: layer, key: []string{"id"}}
			if layer < 3 && g.feature(15, "composite key") {
				d.key = []string{"id", "line"}
			}
			d.versioned = layer < 2 && len(d.key) == 1 && g.feature(8, "validity range")
			if d.versioned {
				d.key = []string{"code", "since"}
			}
			d.keyless = g.feature(8, "missing key")
			money := sdk.TypeFloat64
			if g.feature(50, "decimals") {
				money = sdk.TypeDecimal
			}
			d.addColumns(money)
			g.storage(d)
			g.sources = append(g.sources, d)
		}
	}
	for _, d := range g.sources {
		g.join(d)
	}
	if of := pick(g, g.sources...); !of.versioned && g.feature(20, "a query as a source") {
		g.sources = append(g.sources, of.query())
	}
}

// query is a source that is some rows of another.
func (d *draft) query() *draft {
	q := &draft{name: "q" + d.name, layer: d.layer, key: d.key, keyless: d.keyless, columns: d.columns, stored: d.stored, zone: d.zone, of: d}
	for _, l := range d.links {
		if l.to != d {
			q.links = append(q.links, &link{from: q, to: l.to, role: l.role, columns: l.columns, day: l.day})
		}
	}
	return q
}

func (d *draft) addColumns(money sdk.Type) {
	add := func(t sdk.Type, names ...string) {
		for _, n := range names {
			d.columns = append(d.columns, model.Column{Name: n, Type: t})
		}
	}
	switch {
	case d.versioned:
		add(sdk.TypeInt64, "code")
		add(sdk.TypeDate, "since", "until")
	default:
		add(sdk.TypeInt64, d.key...)
	}
	add(sdk.TypeText, "kind", "label")
	add(money, "amount")
	add(sdk.TypeInt64, "qty")
	add(sdk.TypeBool, "flag")
	add(sdk.TypeDate, "day")
	add(sdk.TypeTimestamp, "moment")
	add(sdk.TypeTimestampTZ, "instant")
}

// storage draws how times are stored: as what they are, which a file may say too, or
// as something else; and the zone of those that have none.
func (g *Generator) storage(d *draft) {
	d.stored = map[string]string{}
	for _, c := range d.columns {
		switch {
		case c.Type == sdk.TypeDate && g.feature(10, "storage as it is"):
			d.stored[c.Name] = "date"
		case c.Type != sdk.TypeTimestamp && c.Type != sdk.TypeTimestampTZ:
		case g.feature(25, "storage as something else"):
			d.stored[c.Name] = pick(g, encodings...)
		case g.feature(20, "storage as it is"):
			d.stored[c.Name] = typeName(c.Type)
		}
	}
	if g.feature(25, "time zone of a source") {
		d.zone = pick(g, "+02:00", "+02:00", "-05:30", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "UTC")
	}
}

// join draws the joins of a source to ones below.
func (g *Generator) join(d *draft) {
	for _, to := range g.sources {
		near := to.layer == d.layer-1
		if to.layer >= d.layer || !near && !g.chance(25) || near && !g.chance(85) {
			continue
		}
		l := g.link(d, to, "")
		switch {
		case g.feature(12, "two roles of a source"):
			l.role = "main_" + to.name
			other := g.link(d, to, "other_"+to.name)
			other.swapped = false
			l.swapped = false
		case g.feature(15, "a role"):
			l.role, l.swapped = "own_"+to.name, false
		}
	}
	if len(d.key) == 1 && d.layer < 2 && g.feature(12, "self join") {
		d.selfJoined = true
		g.link(d, d, "parent_"+d.name)
	}
}

func (g *Generator) link(from, to *draft, role string) *link {
	l := &link{from: from, to: to, role: role}
	prefix := to.name
	if role != "" {
		prefix = role
	}
	keys := to.key
	if to.versioned {
		keys, l.day = to.key[:1], "day"
	}
	for _, k := range keys {
		column := prefix + "_" + k
		l.columns = append(l.columns, column)
		from.columns = append(from.columns, model.Column{Name: column, Type: sdk.TypeInt64})
	}
	l.swapped = role == "" && g.feature(25, "declared by the other side")
	l.unique = !to.versioned && from != to && g.feature(8, "one to one")
	from.links = append(from.links, l)
	return l
}

// text writes the join as the side that declares it has it.
func (l *link) text() string {
	there := l.to.name
	if l.role != "" {
		there = l.role
	}
	var terms []string
	for i, c := range l.columns {
		terms = append(terms, fmt.Sprintf("%s.%s = %s.%s", l.from.name, c, there, l.to.key[i]))
	}
	if l.day != "" {
		terms = append(terms, fmt.Sprintf("%s.%s >= %s.since AND %s.%s < %s.until", l.from.name, l.day, there, l.from.name, l.day, there))
	}
	to, relationship, role := l.to.name, "many_to_one", ""
	if l.swapped {
		to, relationship = l.from.name, "one_to_many"
	}
	if l.unique {
		relationship = "one_to_one"
	}
	if l.role != "" {
		role = "role: " + l.role + ", "
	}
	return fmt.Sprintf(`{%sto: %s, "on": "%s", relationship: %s}`, role, to, strings.Join(terms, " AND "), relationship)
}

func (d *draft) table() *model.Table {
	t := &model.Table{Ref: sdk.TableRef{Name: d.name}, Columns: slices.Clone(d.columns)}
	for i, c := range t.Columns {
		if encoded(d.stored[c.Name]) {
			t.Columns[i].Type = physical(d.stored[c.Name])
		}
	}
	if !d.keyless {
		t.PrimaryKey = d.key
	}
	d.declare(t)
	return t
}

// text is the file of the source.
func (d *draft) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "name: %s\n", d.name)
	if d.of != nil {
		fmt.Fprintf(&b, "sql: SELECT * FROM %s WHERE id <> 2\n", d.of.name)
		if !d.keyless {
			fmt.Fprintf(&b, "primary_key: [%s]\n", strings.Join(d.key, ", "))
		}
	}
	if d.zone != "" {
		fmt.Fprintf(&b, "time_zone: %q\n", d.zone)
	}
	if d.layer > 1 {
		b.WriteString("default_time_dimension: day\n")
	}
	for _, part := range []struct {
		name  string
		items []string
	}{{"dimensions", d.yaml.dims}, {"measures", d.yaml.measures}, {"segments", d.yaml.segments}, {"joins", d.yaml.joins}} {
		if len(part.items) > 0 {
			b.WriteString(part.name + ":\n")
		}
		for _, item := range part.items {
			b.WriteString("  - " + item + "\n")
		}
	}
	return b.String()
}

// kindOf is a column of a query as a file describes it.
func (d *draft) kindOf(c model.Column) string {
	switch c.Type {
	case sdk.TypeText:
		return "string"
	case sdk.TypeBool:
		return "boolean"
	case sdk.TypeDate, sdk.TypeTimestamp, sdk.TypeTimestampTZ:
		return "time, column_type: " + cmp.Or(d.stored[c.Name], typeName(c.Type))
	}
	return "number"
}

// fill draws the rows: what is below first, so that joins find it.
func (g *Generator) fill(data Data) {
	for _, d := range g.sources {
		if d.of != nil {
			continue
		}
		t := &Table{}
		for _, c := range d.columns {
			t.Columns = append(t.Columns, c.Name)
		}
		data[d.name] = t
		n := 1 + g.rng.IntN(5+3*d.layer) // several of what happens for each of what it happens to
		if g.feature(6, "empty table") {
			n = 0
		}
		for i := range n {
			t.Rows = append(t.Rows, g.row(d, i, data))
		}
		for _, l := range d.links {
			g.connect(l, data)
		}
	}
}

var (
	days    = []string{"2023-12-31", "2024-01-01", "2024-01-07", "2024-01-08", "2024-01-31", "2024-02-29", "2024-03-01", "2024-03-31", "2024-05-15", "2024-12-31"}
	moments = []string{
		"2023-12-31 23:59:59", "2024-01-01 00:00:00", "2024-01-07 23:30:00", "2024-01-08 00:00:00", "2024-02-29 12:15:30", "2024-02-29 12:59:00", "2024-04-01 00:00:00",
		// Around the changes of clocks in Berlin and New York.
		"2024-03-10 06:59:59", "2024-03-10 07:00:00", "2024-03-30 23:30:00", "2024-03-31 00:59:59", "2024-03-31 01:00:00", "2024-03-31 22:15:00",
		"2024-10-26 22:30:00", "2024-10-27 00:30:00", "2024-10-27 01:30:00", "2024-11-03 05:30:00", "2024-11-03 06:30:00",
	}
	// Beyond what columns of all engines hold that are times themselves.
	farMoments = []string{"1969-12-31 23:30:01", "1960-02-29 12:00:00", "2040-05-15 13:14:15"}
	bounds     = []string{"2023-01-01", "2024-01-07", "2024-02-29", "2024-04-01", "2025-01-01"}
	kinds      = []string{"A", "A", "B", "B", "a%", "it's", "a_b", `\\`, "É", "", "x--y"}
)

// row draws a row; its number decides its key, so that keys are unique.
func (g *Generator) row(d *draft, i int, data Data) []any {
	row := make([]any, len(d.columns))
	for at, c := range d.columns {
		var v any
		switch {
		case c.Name == "code":
			row[at] = float64(1 + i/3)
			continue
		case c.Name == "since" && d.versioned:
			row[at] = bounds[i%3]
			continue
		case c.Name == "until" && d.versioned:
			row[at] = bounds[i%3+1]
			continue
		case slices.Contains(d.key, c.Name):
			if v = float64(i + 1); len(d.key) == 2 {
				if v = float64(1 + i/2); c.Name == "line" {
					v = float64(1 + i%2)
				}
			}
			row[at] = v
			continue
		case c.Type == sdk.TypeText:
			v = pick(g, kinds...)
		case c.Type == sdk.TypeFloat64 || c.Type == sdk.TypeDecimal:
			if v = float64(g.rng.IntN(41)-8) / 4; g.chance(3) {
				v = pick(g, 9_999_999_999.75, -9_999_999_999.75) // sums of quarters are exact
			}
		case c.Type == sdk.TypeInt64:
			v = float64(g.rng.IntN(4))
		case c.Type == sdk.TypeBool:
			v = g.chance(50)
		case c.Type == sdk.TypeDate:
			v = pick(g, days...)
		case c.Type == sdk.TypeTimestamp || c.Type == sdk.TypeTimestampTZ:
			v = pick(g, moments...)
			if stored := d.stored[c.Name]; encoded(stored) {
				if g.chance(5) {
					v = pick(g, farMoments...)
				}
				v = g.encode(stored, v.(string))
			}
		}
		if !g.chance(18) {
			row[at] = v
		}
	}
	return row
}

// connect gives the columns of a join values: keys that are there, keys that are
// not, and none.
func (g *Generator) connect(l *link, data Data) {
	from, to := data[l.from.name], data[l.to.name]
	used := map[int]bool{}
	for _, row := range from.Rows {
		target := -1
		if len(to.Rows) > 0 && g.chance(78) {
			target = g.rng.IntN(len(to.Rows))
		}
		if l.unique && used[target] {
			target = -1
		}
		used[target] = true
		for i, column := range l.columns {
			at := slices.Index(from.Columns, column)
			switch {
			case target >= 0:
				row[at] = to.Rows[target][slices.Index(to.Columns, l.to.key[i])]
			case g.chance(50) && !l.unique:
				row[at] = float64(90 + g.rng.IntN(2))
			default:
				row[at] = nil
			}
		}
	}
	g.complete(l, from, to)
}
