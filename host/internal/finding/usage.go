package finding

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/history"
	"github.com/loam-data/loam/host/internal/statement"
	"github.com/loam-data/loam/sdk/dialect"
)

const (
	// usageEvery is how long what was read of the history is kept.
	usageEvery = time.Minute
	// maxShapes bounds the different statements of a connection that are read.
	maxShapes = 2_000
	// leastShapes and leastShare are how many different statements about a table must have a
	// filter or a join, and which share of those that read the table.
	leastShapes = 5
	leastShare  = 0.8
)

// usage caches the recorded statements. The zero value is ready.
type usage struct {
	mu    sync.Mutex
	read  time.Time
	texts map[connection.ID][]string // different ones
	of    map[connection.ID]*habits
}

// habits are what the recorded statements of a connection have in common.
// Concurrency: never changed.
type habits struct {
	content any // of the snapshot
	dialect *dialect.Dialect
	tables  map[int]*habit
	joins   map[[2]end]int // statements with an equality
}

// habit is how statements read a table.
type habit struct {
	statements int
	filters    map[filter]int
}

// filter is a condition on a column that does not depend on what is asked.
type filter struct {
	column int
	text   string // behind the column
}

// habits returns what recorded statements of the connection have in common; nil = nothing is
// recorded.
func (r *reading) habits(ctx context.Context) *habits {
	u := &r.service.usage
	u.mu.Lock()
	defer u.mu.Unlock()
	if now := r.service.Now(); u.read.IsZero() || now.Sub(u.read) >= usageEvery {
		u.read, u.of = now, map[connection.ID]*habits{}
		u.texts = r.service.recorded(ctx)
	}
	texts := u.texts[r.warehouse.ID]
	if len(texts) < leastShapes {
		return nil
	}
	h := u.of[r.warehouse.ID]
	if h == nil || h.content != any(r.schema.snapshot.Content) || h.dialect != r.schema.dialect {
		h = r.learn(texts)
		u.of[r.warehouse.ID] = h
	}
	return h
}

// recorded returns the different statements of each connection. What is made of them serves
// all callers, so they are read without the restrictions of this one.
func (s *Service) recorded(ctx context.Context) map[connection.ID][]string {
	if s.Uses == nil {
		return nil
	}
	uses, err := s.Uses(caller.With(context.WithoutCancel(ctx), &caller.Caller{}))
	if err != nil {
		s.Logger.DebugContext(ctx, "statements are compared without the history", "error", err)
		return nil
	}
	slices.SortStableFunc(uses, func(a, b history.Use) int { return int(b.Day - a.Day) })
	texts, seen := map[connection.ID][]string{}, map[[2]string]bool{}
	for i := range uses {
		u := &uses[i]
		key := [2]string{u.Connection, u.SQL}
		id := connection.ID(u.Connection)
		if u.SQL == "" || seen[key] || len(texts[id]) == maxShapes {
			continue
		}
		seen[key] = true
		texts[id] = append(texts[id], u.SQL)
	}
	return texts
}

// learn reads recorded statements.
func (r *reading) learn(texts []string) *habits {
	h := &habits{content: r.schema.snapshot.Content, dialect: r.schema.dialect, tables: map[int]*habit{}, joins: map[[2]end]int{}}
	all := newSchema(r.schema.snapshot, r.schema.dialect)
	reader := statement.New(r.schema.dialect, all)
	shapes := map[string]bool{}
	for _, text := range texts {
		shape := masked(r.schema.dialect, text)
		if shape == "" || shapes[shape] {
			continue
		}
		shapes[shape] = true
		if s := reader.Read(shape); s.Understood() {
			h.add(all, s)
		}
	}
	return h
}

// unknownLiteral stands for a literal that was not recorded.
const unknownLiteral = "'?'"

// masked returns a statement with a literal in place of each that it has or had; "" = it cannot
// be read.
func masked(d *dialect.Dialect, text string) string {
	tokens, err := d.Tokens(text, nil)
	if err != nil || len(text) > statement.MaxBytes {
		return ""
	}
	var b strings.Builder
	end := 0
	for _, t := range tokens {
		literal := t.Kind == dialect.TokenString || t.Kind == dialect.TokenNumber || t.Kind != dialect.TokenQuoted && t.Text(text) == "?"
		if !literal {
			continue
		}
		b.WriteString(text[end:t.Start])
		b.WriteString(unknownLiteral)
		end = int(t.End)
	}
	b.WriteString(text[end:])
	return b.String()
}

// add counts what a statement has, each once.
func (h *habits) add(s *schema, read *statement.Statement) {
	tables, filters, joins := map[int]bool{}, map[int]map[filter]bool{}, map[[2]end]bool{}
	for _, b := range read.Blocks {
		for _, rel := range b.Relations {
			if rel.Table != nil && !tables[rel.Table.ID] {
				tables[rel.Table.ID], filters[rel.Table.ID] = true, map[filter]bool{}
			}
		}
		for i := range b.Joins {
			if pair, ok := pairOf(s, b.Joins[i].Left, b.Joins[i].Right); ok {
				joins[pair] = true
			}
		}
	}
	for _, b := range read.Blocks {
		for i := range b.Conditions {
			c := &b.Conditions[i]
			if f, ok := standing(c); ok && filters[c.Column.Table.ID] != nil {
				filters[c.Column.Table.ID][f] = true
			}
		}
	}
	for at := range tables {
		one := h.tables[at]
		if one == nil {
			one = &habit{filters: map[filter]int{}}
			h.tables[at] = one
		}
		one.statements++
		for f := range filters[at] {
			one.filters[f]++
		}
	}
	for pair := range joins {
		h.joins[pair]++
	}
}

// pairOf returns the two columns of an equality in an order that does not depend on the sides.
func pairOf(s *schema, left, right *statement.Column) (pair [2]end, ok bool) {
	a, columnA := s.column(left)
	b, columnB := s.column(right)
	if a == nil || b == nil {
		return pair, false
	}
	return ordered(end{int32(a.position), columnA.Name}, end{int32(b.position), columnB.Name}), true
}

func ordered(a, b end) [2]end {
	if b.table < a.table || b.table == a.table && b.column < a.column {
		a, b = b, a
	}
	return [2]end{a, b}
}

// standing returns the filter of a condition that every row of the result fulfils and that
// leaves a kind of rows out, whatever is asked: IS NULL, a truth value, or an exclusion.
func standing(c *statement.Condition) (f filter, ok bool) {
	if !c.Every || c.Column.Table == nil || c.Column.Nested || c.Column.Outer || c.Column.Relation.Optional {
		return f, false
	}
	f.column = c.Column.Index
	negated := c.Negated
	switch c.Operator {
	case "IS NULL":
		f.text = "IS NULL"
		if negated {
			f.text = "IS NOT NULL"
		}
	case "IS TRUE":
		f.text = "= TRUE"
		if negated {
			f.text = "= FALSE"
		}
	case "=", "IS":
		if len(c.Values) != 1 || c.Values[0].Kind != statement.Boolean {
			return f, false
		}
		f.text = "= " + strings.ToUpper(c.Values[0].Text)
		if negated {
			return f, false
		}
	case "<>":
		f.text = "<> …"
	case "IN":
		if f.text = "<> …"; !negated {
			return f, false
		}
	default:
		return f, false
	}
	return f, true
}

// recorded reports whether recorded statements equate two columns.
func (r *reading) recorded(ctx context.Context, left, right *side) bool {
	h := r.habits(ctx)
	return h != nil && h.joins[ordered(end{int32(left.position), left.column}, end{int32(right.position), right.column})] >= leastShapes
}
