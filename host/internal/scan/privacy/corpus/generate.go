// Package corpus makes tables with personal values planted in them, and tables
// without, in the shapes of real warehouses and in four languages: it measures
// how well scans recognise what they must not keep.
//
// A corpus has two halves. The recogniser may be mended on the development half;
// the held-out half has other names, streets, formats and notes, and its figures
// are the ones that are published. Both are made from a seed, so that they are
// the same on every machine.
package corpus

import (
	"cmp"
	"embed"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// Half is a half of the corpus.
type Half string

const (
	Development Half = "development"
	HeldOut     Half = "heldout"
)

// The classes of columns. Innocent columns have the class "".
const (
	Telling   = "telling names"
	Mail      = "e-mail addresses"
	Phone     = "phone numbers"
	Card      = "cards and accounts"
	Paper     = "papers with check digits"
	Birth     = "dates of birth"
	Token     = "tokens and keys"
	Device    = "addresses of devices"
	Person    = "names of persons"
	Address   = "addresses"
	Note      = "free text"
	Attribute = "values named in a neighbour"
	Document  = "fields of JSON"
)

// Classes lists the classes of personal columns in the order of the table of figures.
var Classes = []string{Telling, Mail, Phone, Card, Paper, Birth, Token, Device, Person, Address, Note, Attribute, Document}

// Column is a column with what it holds in each row.
type Column struct {
	sdk.Column
	// Class is what it holds; "" = nothing personal. Kind says it in more detail.
	Class, Kind string
	Values      []string
}

// Table is a table of the corpus.
type Table struct {
	sdk.Table
	Language string
	Columns  []Column
}

// At is when the corpus was profiled.
var At = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// Units: as a scan asks for.
const (
	wholeList    = 1000
	mostFrequent = 100
)

// Profile counts a table as a scan does.
func (t *Table) Profile() *catalog.Profile {
	p := &catalog.Profile{At: At}
	req := &sdk.ProfileRequest{MaxValues: wholeList, TopValues: mostFrequent, Quantiles: []float64{.05, .25, .5, .75, .95}, SketchSize: 64}
	for i := range t.Columns {
		p.Stats = append(p.Stats, t.Columns[i].stats(req))
	}
	return p
}

func (c *Column) stats(req *sdk.ProfileRequest) sdk.ColumnStats {
	counts := map[string]int64{}
	for _, v := range c.Values {
		counts[v]++
	}
	distinct := make([]string, 0, len(counts))
	for v := range counts {
		distinct = append(distinct, v)
	}
	number := c.Type == sdk.TypeInt64 || c.Type == sdk.TypeDecimal
	slices.SortFunc(distinct, func(a, b string) int {
		if number {
			x, _ := strconv.ParseFloat(a, 64)
			y, _ := strconv.ParseFloat(b, 64)
			return cmp.Compare(x, y)
		}
		return strings.Compare(a, b)
	})
	d := sqlkit.NewDistribution(c.Name, req, int64(len(c.Values)), 0)
	for _, v := range distinct {
		if c.Type == sdk.TypeText {
			d.Text([]byte(v), counts[v])
		} else {
			d.Number([]byte(v), counts[v])
		}
	}
	return d.Stats(true, true)
}

//go:embed data/*.txt
var files embed.FS

// lists are what a half of the corpus is made of: by subject and language.
func lists(half Half) map[string][]string {
	content, err := files.ReadFile("data/" + string(half) + ".txt")
	if err != nil {
		panic(err) // the file is part of the program
	}
	all := map[string][]string{}
	subject := ""
	for line := range strings.Lines(string(content)) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "# "); ok {
			subject = name
			continue
		}
		separator := " "
		if strings.Contains(line, "|") {
			separator = "|"
		}
		for item := range strings.SplitSeq(line, separator) {
			all[subject] = append(all[subject], item)
		}
	}
	return all
}

// Names returns the first and family names that a half has.
func Names(half Half) (given, surnames []string) {
	all := lists(half)
	for _, language := range languages {
		given, surnames = append(given, all["given "+language]...), append(surnames, all["surname "+language]...)
	}
	return given, surnames
}

var languages = []string{"en", "de", "fr", "es"}

// Generate returns the tables of a half.
func Generate(half Half, seed uint64) []Table {
	var all []Table
	source := lists(half)
	for i, language := range languages {
		g := &generator{
			r:    rand.New(rand.NewPCG(seed, uint64(i))), //nolint:gosec // a corpus is the same every time
			half: half, language: language, lists: source,
		}
		all = append(all, g.tables()...)
	}
	return all
}

// generator makes the tables of one language.
type generator struct {
	r        *rand.Rand
	half     Half
	language string
	lists    map[string][]string
	made     int
}

func (g *generator) held() bool { return g.half == HeldOut }

func (g *generator) one(of ...string) string { return of[g.r.IntN(len(of))] }

func (g *generator) from(subject string) string { return g.one(g.lists[subject+" "+g.language]...) }

func (g *generator) digits(n int) string {
	var b strings.Builder
	for range n {
		b.WriteByte(byte('0' + g.r.IntN(10)))
	}
	return b.String()
}

func (g *generator) between(least, most int) int { return least + g.r.IntN(most-least+1) }

func (g *generator) chars(alphabet string, n int) string {
	var b strings.Builder
	for range n {
		b.WriteByte(alphabet[g.r.IntN(len(alphabet))])
	}
	return b.String()
}

// innocent names say nothing of what a column holds.
var innocent = map[string][]string{
	"en": {"col", "field_", "attr", "info_", "data", "x", "f", "extra_", "custom_field", "udf", "value"},
	"de": {"feld", "spalte_", "zusatz", "bez", "merkmal_", "angabe", "wert_", "info", "z_feld"},
	"fr": {"champ", "colonne_", "donnee", "info_", "zone", "valeur", "libelle_", "attribut"},
	"es": {"campo", "columna_", "dato", "info_", "valor", "atributo_", "extra", "cmp"},
}

// name returns the name of the next column of unknown content.
func (g *generator) name() string {
	g.made++
	return g.one(innocent[g.language]...) + strconv.Itoa(g.made%90+1)
}

// column makes a column of so many rows.
func (g *generator) column(class, kind string, typ sdk.Type, rows int, value func() string) Column {
	c := Column{Column: sdk.Column{Name: g.name(), Type: typ}, Class: class, Kind: kind}
	for range rows {
		c.Values = append(c.Values, value())
	}
	return c
}

// table puts columns into one table.
func (g *generator) table(name string, columns ...Column) Table {
	t := Table{Language: g.language, Columns: columns}
	t.Schema, t.Name, t.Kind = "s", name, sdk.TableBase
	for i := range columns {
		t.Table.Columns = append(t.Table.Columns, columns[i].Column)
	}
	return t
}
