package discover

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// Statement is what the last snapshot says of a statement that failed or found nothing.
// It is read from its tokens, not parsed: where two readings are possible it says nothing.
type Statement struct {
	// Tables are those that snapshot has instead of names that it does not know.
	Tables []string
	// Values say of texts that a column is compared with that they are not among its values.
	Values []string
}

// Offer adds the tables that are there to the error of a statement that named one that is
// not; find is asked for them.
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

// Statement looks at a statement of a connection; "" = the only one. Where there is no
// snapshot, or no dialect, it knows nothing.
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
	tables, unknown, whole := r.tables()
	for _, name := range unknown {
		_, err := snapshot.Find(d, name)
		for _, near := range sdk.AsError(err, sdk.SourceHost).Candidates {
			if !slices.Contains(known.Tables, near) {
				known.Tables = append(known.Tables, near)
			}
		}
	}
	if len(unknown) == 0 && whole {
		known.Values = r.values(tables)
	}
	return known
}

// reading is a statement as its tokens.
type reading struct {
	snapshot *catalog.Snapshot
	dialect  *dialect.Dialect
	sql      string
	tokens   []dialect.Token
	// found keeps where names are, for who reads many statements; nil = it is not kept.
	found map[string]lookup
}

// lookup is what looking for a name came to.
type lookup struct {
	position int
	err      error
}

// find is Snapshot.Find of a name. One that is not there costs a look at all that are.
func (r *reading) find(name string) (int, error) {
	known, ok := r.found[name]
	if !ok {
		known.position, known.err = r.snapshot.Find(r.dialect, name)
		if r.found != nil {
			r.found[name] = known
		}
	}
	return known.position, known.err
}

// name reads a name of parts from a token on: as it was written, its last part, and the
// token behind it; "" when there is none.
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

// tables returns the positions of the tables behind FROM and JOIN, and the names there
// that the snapshot has not. Names that WITH introduces are neither; whole says that columns
// can be of nothing but the tables.
func (r *reading) tables() (positions []int, unknown []string, whole bool) {
	introduced, whole := map[string]bool{}, true
	for at := range r.tokens {
		if _, last, next := r.name(at); last != "" && next+1 < len(r.tokens) && r.tokens[next].IsWord(r.sql, "AS") && r.tokens[next+1].Is(r.sql, "(") {
			introduced[strings.ToLower(last)] = true
		}
	}
	for at, t := range r.tokens {
		if !t.IsWord(r.sql, "FROM") && !t.IsWord(r.sql, "JOIN") {
			continue
		}
		written, last, next := r.name(at + 1)
		function := next < len(r.tokens) && r.tokens[next].Is(r.sql, "(")
		if written == "" || function || introduced[strings.ToLower(last)] {
			whole = false
			continue
		}
		if next < len(r.tokens) && r.tokens[next].IsWord(r.sql, "AS") {
			next++
		}
		for _, behind := range r.tokens[min(next, len(r.tokens)):min(next+2, len(r.tokens))] { // an alias, then a comma
			whole = whole && !behind.Is(r.sql, ",")
		}
		position, err := r.find(written)
		switch {
		case err == nil && !slices.Contains(positions, position):
			positions = append(positions, position)
		case sdk.KindOf(err) == sdk.KindNotFound:
			unknown = append(unknown, written)
		}
	}
	return positions, unknown, whole
}

// values looks at each "column = 'text'", where one of the tables alone has the column and
// all its values were counted.
func (r *reading) values(tables []int) (notes []string) {
	for at := range r.tokens {
		_, column, next := r.name(at)
		if column == "" || next+1 >= len(r.tokens) || !r.tokens[next].Is(r.sql, "=") || r.tokens[next+1].Kind != dialect.TokenString ||
			at > 0 && r.tokens[at-1].Is(r.sql, ".") || r.renamed(column) {
			continue
		}
		text := r.tokens[next+1].Text(r.sql)
		if len(text) < 2 || text[0] != '\'' || text[len(text)-1] != '\'' || strings.Contains(text, `\`) {
			continue
		}
		if note := r.absent(tables, column, strings.ReplaceAll(text[1:len(text)-1], "''", "'")); note != "" && !slices.Contains(notes, note) {
			notes = append(notes, note)
		}
	}
	return notes
}

// renamed reports whether something is called like a column by AS.
func (r *reading) renamed(column string) bool {
	for at, t := range r.tokens[:max(0, len(r.tokens)-1)] {
		if t.IsWord(r.sql, "AS") && strings.EqualFold(r.dialect.Unquote(r.sql, r.tokens[at+1]), column) {
			return true
		}
	}
	return false
}

// absent says that a text is not among the values of a column; "" where that is not certain.
func (r *reading) absent(tables []int, column, value string) string {
	var found *sdk.ColumnStats
	var where string
	for _, at := range tables {
		t, err := r.snapshot.At(at)
		if err != nil {
			return ""
		}
		i := slices.IndexFunc(t.Columns, func(c sdk.Column) bool { return strings.EqualFold(c.Name, column) })
		if i < 0 {
			continue
		}
		p, err := r.snapshot.Profile(at)
		if err != nil || p == nil || found != nil || t.Columns[i].Type != sdk.TypeText ||
			slices.ContainsFunc(p.Withheld, func(w catalog.Withheld) bool { return w.Column == t.Columns[i].Name }) {
			return ""
		}
		found, where = p.Column(t.Columns[i].Name), catalog.Display(t.TableRef)+"."+t.Columns[i].Name
	}
	if found == nil || !found.Complete || !found.ValuesComplete || len(found.Values) == 0 {
		return ""
	}
	trimmed := make([]string, len(found.Values)) // CHAR is padded
	for i, v := range found.Values {
		trimmed[i] = strings.TrimRight(v, " ")
	}
	if slices.Contains(trimmed, strings.TrimRight(value, " ")) {
		return ""
	}
	near := sqlkit.Nearest(strings.ToLower(value), trimmed)
	for _, v := range trimmed {
		if strings.EqualFold(v, value) {
			near = []string{v}
		}
	}
	if len(near) == 0 {
		near = trimmed[:min(maxLabels, len(trimmed))]
	}
	return fmt.Sprintf("As of the last scan %s has no value %s; it has, among others: %s.", where, word(value), strings.Join(near, ", "))
}
