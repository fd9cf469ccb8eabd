package discover

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/statement"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// Statement explains, from the last snapshot, why a statement failed. The statement is
// tokenized, not parsed.
type Statement struct {
	// Tables are existing tables with names similar to unknown ones in the statement.
	Tables []string
}

// Offer adds similar tables as candidates to the error of a statement that names an unknown
// table (KindNotFound or KindSyntax). It calls find only for such an error; any other error
// is returned as it is.
func Offer(err error, find func() []string) error {
	failed, ok := errors.AsType[*sdk.Error](err)
	if !ok || failed.Candidates != nil || failed.Kind != sdk.KindNotFound && failed.Kind != sdk.KindSyntax {
		return err
	}
	tables := find()
	if len(tables) == 0 {
		return err
	}
	more := *failed
	more.Candidates = tables
	return &more
}

// Statement explains a statement of a connection; id "" = the only connection. Without a
// snapshot, or without the connector's dialect, the result is empty.
func (s *Service) Statement(ctx context.Context, id connection.ID, sql string) (known Statement) {
	c, err := s.Warehouses.Choose(ctx, id)
	if err != nil {
		return known
	}
	snapshot, err := s.Catalogs.Of(string(c.ID)).Latest()
	d := s.dialect(ctx, c)
	if err != nil || d == nil {
		return known
	}
	tokens, err := d.Tokens(sql, nil)
	if err != nil {
		return known
	}
	r := reading{snapshot: snapshot, dialect: d, sql: sql, tokens: tokens}
	_, unknown := r.tables()
	for _, name := range unknown {
		_, err := snapshot.Find(d, name)
		for _, near := range sdk.AsError(err, sdk.SourceHost).Candidates {
			if !slices.Contains(known.Tables, near) {
				known.Tables = append(known.Tables, near)
			}
		}
	}
	return known
}

// Tables returns the tables that a statement of a connection reads, in the order of the snapshot, and after them the names
// that the snapshot does not contain, as they are written; id "" = the only connection. They are those after FROM and JOIN
// where the statement is not understood as a whole, and nil when it cannot be tokenized.
func (s *Service) Tables(ctx context.Context, id connection.ID, sql string) (names []string) {
	c, err := s.Warehouses.Choose(ctx, id)
	if err != nil {
		return nil
	}
	r := reading{dialect: s.dialect(ctx, c), sql: sql, found: map[string]lookup{}}
	if r.dialect == nil {
		return nil
	}
	if r.tokens, err = r.dialect.Tokens(sql, nil); err != nil {
		return nil
	}
	r.snapshot, err = s.Catalogs.Of(string(c.ID)).Latest()
	if err != nil {
		r.snapshot = nil
	}
	positions, unknown := r.relations()
	slices.Sort(positions)
	for _, at := range slices.Compact(positions) {
		names = append(names, catalog.Display(r.snapshot.Entry(at).TableRef))
	}
	for _, name := range unknown {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// relations returns the positions of the tables that the statement reads, and the names that the snapshot does not
// contain. Where it is not understood as a whole, the names after FROM and JOIN are among them.
func (r *reading) relations() (positions []int, unknown []string) {
	read, introduced := statement.New(r.dialect, nil).Read(r.sql), r.introduced()
	if !read.Understood() {
		positions, unknown = r.tables()
	}
	for _, b := range read.Blocks {
		for _, relation := range b.Relations {
			if n := len(relation.Name); n == 0 || relation.Function || relation.Local || n == 1 && introduced[strings.ToLower(relation.Name[0].Text)] {
				continue
			}
			at, _ := slices.BinarySearchFunc(r.tokens, relation.Start, func(t dialect.Token, start int) int { return int(t.Start) - start })
			written, _, _ := r.name(at)
			if position, err := r.find(written); err == nil {
				positions = append(positions, position)
			} else {
				unknown = append(unknown, written)
			}
		}
	}
	return positions, unknown
}

// reading is a tokenized statement and the snapshot that its names refer to.
type reading struct {
	snapshot *catalog.Snapshot
	dialect  *dialect.Dialect
	sql      string
	tokens   []dialect.Token
	// found caches the positions of names across statements; nil = no cache.
	found map[string]lookup
}

// lookup is the result of Snapshot.Find.
type lookup struct {
	position int
	err      error
}

// find is Snapshot.Find with a cache: a name that does not exist is compared with all tables.
func (r *reading) find(name string) (int, error) {
	known, ok := r.found[name]
	if !ok && r.snapshot == nil {
		known.err = sdk.Errorf(sdk.KindNotFound, sdk.SourceHost, "there is no snapshot")
	} else if !ok {
		known.position, known.err = r.snapshot.Find(r.dialect, name)
		if r.found != nil {
			r.found[name] = known
		}
	}
	return known.position, known.err
}

// name reads a qualified name that starts at a token. It returns its text, its last part
// without quotes, and the next token; "" when there is no name.
func (r *reading) name(at int) (written, last string, next int) {
	for at < len(r.tokens) {
		switch t := r.tokens[at]; t.Kind {
		case dialect.TokenWord:
			last = t.Text(r.sql)
		case dialect.TokenQuoted:
			last = r.dialect.Unquote(r.sql, t)
		default:
			return "", "", at
		}
		written += r.tokens[at].Text(r.sql)
		if at++; at == len(r.tokens) || !r.tokens[at].Is(r.sql, ".") {
			return written, last, at
		}
		written += "."
		at++
	}
	return "", "", at
}

// tables returns the positions of the tables after FROM and JOIN, and the names there that
// the snapshot does not contain. Names of CTEs are in neither.
func (r *reading) tables() (positions []int, unknown []string) {
	introduced := r.introduced()
	var calls []bool // for each open parenthesis: it is that of a function with FROM among its arguments
	for at, t := range r.tokens {
		switch {
		case t.Is(r.sql, "("):
			calls = append(calls, at > 0 && slices.ContainsFunc(fromCalls, func(name string) bool { return r.tokens[at-1].IsWord(r.sql, name) }))
		case t.Is(r.sql, ")") && len(calls) > 0:
			calls = calls[:len(calls)-1]
		}
		from := t.IsWord(r.sql, "FROM") && !(len(calls) > 0 && calls[len(calls)-1]) && !(at > 0 && r.tokens[at-1].IsWord(r.sql, "DISTINCT"))
		if !from && !t.IsWord(r.sql, "JOIN") {
			continue
		}
		written, last, next := r.name(at + 1)
		function := next < len(r.tokens) && r.tokens[next].Is(r.sql, "(")
		if written == "" || function || introduced[strings.ToLower(last)] {
			continue
		}
		position, err := r.find(written)
		switch {
		case err == nil && !slices.Contains(positions, position):
			positions = append(positions, position)
		case sdk.KindOf(err) == sdk.KindNotFound:
			unknown = append(unknown, written)
		}
	}
	return positions, unknown
}

// fromCalls are the functions with FROM among their arguments.
var fromCalls = []string{"EXTRACT", "TRIM", "SUBSTRING", "OVERLAY"}

// introduced returns the names of the statement's CTEs, in lower case.
func (r *reading) introduced() map[string]bool {
	names := map[string]bool{}
	for at := range r.tokens {
		if _, last, next := r.name(at); last != "" && r.introduces(next) {
			names[strings.ToLower(last)] = true
		}
	}
	return names
}

// introduces reports whether the tokens behind a name make it that of a CTE: AS and a parenthesis, behind the names of its
// columns where there are any.
func (r *reading) introduces(at int) bool {
	is := func(text string) bool { return at < len(r.tokens) && r.tokens[at].Is(r.sql, text) }
	word := func(text string) bool {
		if at >= len(r.tokens) || !r.tokens[at].IsWord(r.sql, text) {
			return false
		}
		at++
		return true
	}
	if is("(") {
		for at++; at < len(r.tokens) && (r.tokens[at].Kind == dialect.TokenWord || r.tokens[at].Kind == dialect.TokenQuoted || is(",")); at++ { // no deeper: calls of functions nest
		}
		if !is(")") {
			return false
		}
		at++
	}
	if !word("AS") {
		return false
	}
	word("NOT")
	word("MATERIALIZED")
	return is("(")
}
