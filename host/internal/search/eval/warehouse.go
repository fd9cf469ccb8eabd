package eval

import (
	_ "embed"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"

	"github.com/loam-data/loam/host/internal/search"
	"github.com/loam-data/loam/host/internal/text"
)

//go:embed testdata/entities.txt
var entityFile string

//go:embed testdata/words.txt
var wordFile string

// Role says in which part of a warehouse a table lives, and so how it is named.
type Role string

const (
	Core     Role = "core"     // crm.customers: the application's own
	Dim      Role = "dim"      // dwh.dim_customer or dwh.fct_…: modelled
	Staging  Role = "staging"  // stg_shop.stg_customer: as loaded
	Raw      Role = "raw"      // raw_salesforce.Customer: CamelCase
	ERP      Role = "erp"      // erp.CUST: capitals, abbreviated
	German   Role = "german"   // sap.KUNDE: German names and comments
	Russian  Role = "russian"  // ru_ops.cust: Russian comments
	Japanese Role = "japanese" // jp_pos.tbl_0042: a number and a Japanese comment
	Mart     Role = "mart"     // mart_crm.customer_monthly: aggregated
	Backup   Role = "backup"   // crm.customers_bak_2023
	Sandbox  Role = "sandbox"  // sandbox_anna.customers_test
	Filler   Role = "filler"   // technical tables
)

// Table is a table of the made-up warehouse with what it is about.
type Table struct {
	search.TableDocument
	Entity string
	Role   Role
	// Concepts are the columns' names in the entity's own words, by position; ""
	// for technical ones.
	Concepts []string
}

type entity struct {
	name, german, russian, japanese, schema string
	columns                                 []string
	description                             string
}

func rows(file string, fields int) [][]string {
	var out [][]string
	for line := range strings.Lines(file) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.Split(strings.TrimSpace(line), " | ")
		if len(parts) != fields {
			panic(fmt.Sprintf("testdata: %q has %d fields, not %d", line, len(parts), fields))
		}
		out = append(out, parts)
	}
	return out
}

func entities() []entity {
	var out []entity
	for _, r := range rows(entityFile, 7) {
		out = append(out, entity{name: r[0], german: r[1], russian: r[2], japanese: r[3], schema: r[4], columns: strings.Split(r[5], ", "), description: r[6]})
	}
	return out
}

// generator makes tables; each draws from its own stream, so that a change to
// one leaves the others alone.
type generator struct {
	words    map[string][]string // English → German, Russian, Japanese
	connect  string
	count    int
	japanese int
	emit     func(Table) bool
	open     bool
}

// Warehouse calls emit with the tables of a warehouse until there are enough.
// The same number gives the same tables, and a larger one those and more.
func Warehouse(connection string, tables int, emit func(Table)) {
	g := &generator{words: map[string][]string{}, connect: connection, open: true}
	for _, r := range rows(wordFile, 4) {
		g.words[r[0]] = r[1:]
	}
	g.emit = func(t Table) bool {
		if g.count < tables {
			emit(t)
			g.count++
		}
		return g.count < tables
	}
	all := entities()
	for unit := 0; g.open && tables > 0; unit++ {
		for i := range all {
			g.entity(&all[i], unit)
		}
		for i := range len(all) / 2 {
			g.filler(unit, i)
		}
	}
}

func stream(parts ...string) *rand.Rand {
	h := fnv.New64a()
	for _, p := range parts {
		_, _ = h.Write([]byte(p + "\x00")) // a hash takes everything
	}
	return rand.New(rand.NewPCG(h.Sum64(), 11))
}

var (
	units   = []string{"", "emea", "apac", "latam", "north_america", "outlet", "wholesale", "online", "benelux", "nordics", "iberia", "dach"}
	systems = []string{"shop", "salesforce", "netsuite", "zendesk", "legacy"}
	people  = []string{"anna", "jonas", "mia", "tariq", "zoe"}
	periods = []string{"daily", "weekly", "monthly", "quarterly"}
)

// unitName is the business unit of a round: the first is the company itself.
func unitName(unit int) string {
	name := units[unit%len(units)]
	if round := unit / len(units); round > 0 {
		name = fmt.Sprintf("%s_t%d", strings.TrimSuffix("tenant_"+name, "_"), round)
	}
	return name
}

func within(schema, unit string) string {
	if unit == "" {
		return schema
	}
	return schema + "_" + unit
}

func (g *generator) entity(e *entity, unit int) {
	u := unitName(unit)
	r := stream(e.name, u)
	system := systems[r.IntN(len(systems))]
	g.table(r, e, Core, within(e.schema, u), plural(e.name), e.description)
	g.table(r, e, Dim, within("dwh", u), modelled(e)+e.name, pick(r, e.description, ""))
	g.table(r, e, Staging, within("stg", u), "stg_"+system+"_"+e.name, "")
	g.table(r, e, Raw, within("raw", u), camel(e.name), "")
	g.table(r, e, ERP, within("erp", u), strings.ToUpper(shorten(e.name)), "")
	g.table(r, e, German, within("sap", u), strings.ToUpper(e.german), "Stammdaten und Vorgänge: "+umlauts(e.german))
	g.table(r, e, Russian, within("ru_ops", u), shorten(e.name), "Таблица: "+e.russian)
	g.japanese++
	g.table(r, e, Japanese, within("jp_pos", u), fmt.Sprintf("tbl_%04d", g.japanese), e.japanese+"テーブル")
	g.table(r, e, Mart, within("mart_"+e.schema, u), e.name+"_"+periods[r.IntN(len(periods))], "")
	for range 1 + r.IntN(2) {
		g.table(r, e, Backup, within(e.schema, u), plural(e.name)+pick(r, "_bak", "_old", "_backup")+fmt.Sprintf("_20%02d%02d", 18+r.IntN(6), 1+r.IntN(12)), pick(r, e.description, ""))
	}
	g.table(r, e, Sandbox, "sandbox_"+people[r.IntN(len(people))], pick(r, "tmp_", "test_", "copy_of_")+plural(e.name)+pick(r, "", "_v2", "_"+u), "")
}

func pick(r *rand.Rand, options ...string) string { return options[r.IntN(len(options))] }

// table makes one table of an entity in the manner of its role.
func (g *generator) table(r *rand.Rand, e *entity, role Role, schema, name, comment string) {
	if !g.open {
		return
	}
	t := Table{Entity: e.name, Role: role}
	t.TableDocument = search.TableDocument{Connection: g.connect, ID: schema + "." + name, Schema: schema, Name: name, Comment: comment}
	t.add("", "id", "")
	for _, c := range e.columns {
		t.add(c, g.column(role, c), g.columnComment(r, e, role, c))
	}
	for _, technical := range pickMany(r, "created_at", "updated_at", "loaded_at", "source_system", "is_deleted", "batch_id", "hash_key", "row_version", "tenant_id") {
		t.add("", spelled(role, technical), "")
	}
	g.open = g.emit(t)
}

func (t *Table) add(concept, name, comment string) {
	t.Concepts = append(t.Concepts, concept)
	t.Columns = append(t.Columns, search.ColumnDocument{Name: name, Comment: comment})
}

func pickMany(r *rand.Rand, options ...string) []string {
	var out []string
	for _, o := range options {
		if r.IntN(2) == 0 {
			out = append(out, o)
		}
	}
	return out
}

// column returns how a role names a column.
func (g *generator) column(role Role, concept string) string {
	if role != German {
		return spelled(role, concept)
	}
	var out strings.Builder
	for word := range strings.SplitSeq(concept, "_") {
		if known := g.words[word]; known != nil {
			word = known[0]
		}
		out.WriteString(word)
	}
	return strings.ToUpper(out.String())
}

func spelled(role Role, name string) string {
	switch role {
	case Raw:
		return camel(name)
	case ERP:
		return strings.ToUpper(shorten(name))
	case German:
		return strings.ToUpper(name)
	case Russian, Japanese:
		return shorten(name)
	}
	return name
}

// columnComment returns what a role writes about a column, often nothing.
func (g *generator) columnComment(r *rand.Rand, e *entity, role Role, concept string) string {
	column := map[Role]int{German: 0, Russian: 1, Japanese: 2}
	if at, ok := column[role]; ok {
		var out []string
		for word := range strings.SplitSeq(concept, "_") {
			if known := g.words[word]; known != nil {
				out = append(out, known[at])
			}
		}
		if role == Japanese {
			return strings.Join(out, "")
		}
		return umlauts(strings.Join(out, " "))
	}
	if (role == Core || role == Dim) && r.IntN(3) == 0 {
		return "The " + strings.ReplaceAll(concept, "_", " ") + " of the " + strings.ReplaceAll(e.name, "_", " ")
	}
	return ""
}

// filler makes a technical table that has words in common with real ones.
func (g *generator) filler(unit, n int) {
	if !g.open {
		return
	}
	r := stream("filler", fmt.Sprint(unit, " ", n))
	subject := pick(r, "job", "queue", "event", "audit", "partition", "api_request", "cache", "feature_flag", "schema_migration", "lock", "webhook", "import")
	verb := pick(r, "log", "history", "state", "config", "error", "metrics", "param")
	t := Table{Role: Filler}
	schema, name := within(pick(r, "etl", "airflow", "monitoring", "public"), unitName(unit)), fmt.Sprintf("%s_%s_%03d", subject, verb, n)
	t.TableDocument = search.TableDocument{Connection: g.connect, ID: schema + "." + name, Schema: schema, Name: name}
	for _, c := range pickMany(r, "id", "run_id", "started_at", "finished_at", "status", "message", "payload", "user_name", "order_id", "customer_id", "product_id", "amount", "attempt", "host", "duration_ms", "error_code", "key", "value") {
		t.add("", c, "")
	}
	g.open = g.emit(t)
}

// modelled is the prefix of a modelled table: dimensions and facts.
func modelled(e *entity) string {
	for _, c := range e.columns {
		if strings.HasSuffix(c, "_amount") || strings.HasSuffix(c, "quantity") || strings.HasSuffix(c, "_time") {
			return "fct_"
		}
	}
	return "dim_"
}

func plural(name string) string {
	switch {
	case strings.HasSuffix(name, "y"):
		return strings.TrimSuffix(name, "y") + "ies"
	case strings.HasSuffix(name, "s"), strings.HasSuffix(name, "x"), strings.HasSuffix(name, "ch"):
		return name + "es"
	}
	return name + "s"
}

func camel(name string) string {
	var out strings.Builder
	for word := range strings.SplitSeq(name, "_") {
		out.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return out.String()
}

// umlauts writes a German word as people do in prose.
func umlauts(s string) string {
	return strings.NewReplacer("waehrung", "Währung", "faellig", "fällig", "erklaerung", "erklärung", "stueck", "Stück", "stoerung", "Störung",
		"gebaeude", "Gebäude", "geraet", "Gerät", "qualitaets", "Qualitäts", "pruefung", "prüfung", "zaehler", "zähler", "strasse", "Straße").Replace(s)
}

// shorts are the abbreviations of this warehouse: common ones, and some that
// only its makers use.
var shorts = map[string]string{
	"customer": "cust", "number": "no", "amount": "amt", "quantity": "qty", "order": "ord", "product": "prod", "date": "dt", "price": "prc",
	"address": "addr", "supplier": "splr", "invoice": "inv", "payment": "pmt", "employee": "emp", "department": "dept", "account": "acct",
	"total": "tot", "status": "stat", "currency": "curr", "discount": "disc", "percent": "pct", "description": "descr", "inventory": "invntry",
	"shipment": "shpmt", "contract": "cntrct", "warranty": "wrnty", "service": "svc", "production": "prodn", "material": "matl",
	"quality": "qlty", "subscription": "subscr", "salary": "slry", "budget": "bdgt", "ledger": "ldgr", "purchase": "purch",
	"campaign": "cmpgn", "delivery": "dlvry", "receipt": "rcpt", "expense": "exp", "absence": "abs", "machine": "mach",
	"category": "catg", "location": "loc", "maintenance": "maint", "reference": "ref", "manager": "mgr", "period": "prd",
}

func shorten(name string) string {
	words := strings.Split(name, "_")
	for i, w := range words {
		if s, ok := shorts[w]; ok {
			words[i] = s
		}
	}
	return strings.Join(words, "_")
}

// Abbreviations are what the warehouse's own glossary page explains.
func Abbreviations() *text.Analyzer {
	return text.New().With(map[string][]string{
		"splr": {"supplier"}, "prodn": {"production"}, "gpv": {"gross payment volume"}, "otd": {"on-time delivery"}, "bu": {"business unit"},
	})
}
