// Package demo builds the sample project of `loam demo` and walks through it.
//
// The data is made up by a seeded generator: every run gives the same rows. It has
// properties of real warehouses that often make numbers wrong: NULLs, guests, orphans, a
// bridge table, two roles of one table, prices with a validity, cents in three currencies,
// and a second database without declared keys.
package demo

import (
	"embed"
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"time"
)

//go:embed sample/shop.sql
var shopSchema string

//go:embed sample/crm.sql
var crmSchema string

//go:embed sample/loam.yaml
var projectFile []byte

// pages is what a person would have written: the wiki and the semantic layer, below sample.
//
//go:embed sample/wiki sample/semantic-layer
var pages embed.FS

const (
	customerCount = 900
	orderCount    = 6000
	ticketCount   = 1400
)

var (
	firstDay = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	lastDay  = time.Date(2025, 12, 31, 0, 0, 0, 0, time.UTC)
)

// sample generates rows; each table draws from its own stream, so that a change
// to one leaves the others alone.
type sample struct{ emit func(statement string) bool }

// statements yields the SQL that fills a database: first the schema, then rows.
func statements(schema string, fill func(*sample)) iter.Seq[string] {
	return func(yield func(string) bool) {
		open := true
		emit := func(s string) bool {
			open = open && yield(s)
			return open
		}
		emit(schema)
		fill(&sample{emit: emit})
	}
}

func shopStatements() iter.Seq[string] { return statements(shopSchema, (*sample).shop) }
func crmStatements() iter.Seq[string]  { return statements(crmSchema, (*sample).crm) }

func stream(table string) *rand.Rand {
	var seed uint64 = 1469598103934665603
	for _, c := range []byte(table) {
		seed = (seed ^ uint64(c)) * 1099511628211
	}
	return rand.New(rand.NewPCG(seed, 20240101))
}

// insert emits one row; a value is nil, an int or a string.
func (s *sample) insert(table string, values ...any) bool {
	cells := make([]string, len(values))
	for i, v := range values {
		switch x := v.(type) {
		case nil:
			cells[i] = "NULL"
		case int:
			cells[i] = fmt.Sprint(x)
		case string:
			cells[i] = "'" + strings.ReplaceAll(x, "'", "''") + "'"
		default:
			panic(fmt.Sprintf("demo: a %T is no cell", v))
		}
	}
	return s.emit("INSERT INTO " + table + " VALUES (" + strings.Join(cells, ", ") + ")")
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// maybe returns v, or nil in about percent of the cases.
func maybe(r *rand.Rand, percent int, v any) any {
	if r.IntN(100) < percent {
		return nil
	}
	return v
}

// moment is a time within the sample's two years, busier towards the end and
// towards the evening.
func moment(r *rand.Rand) time.Time {
	days := int(lastDay.Sub(firstDay).Hours()/24) + 1
	day := max(r.IntN(days), r.IntN(days))
	hour := max(r.IntN(24), r.IntN(22))
	return firstDay.AddDate(0, 0, day).Add(time.Duration(hour)*time.Hour + time.Duration(r.IntN(3600))*time.Second)
}

func timestamp(t time.Time) string { return t.Format(time.DateTime) }
func date(t time.Time) string      { return t.Format(time.DateOnly) }
