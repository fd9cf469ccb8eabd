package question

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/semantic/compile"
	"github.com/loam-data/loam/host/internal/semantic/oracle"
	"github.com/loam-data/loam/plugins/sqlite"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/conform"
	"github.com/loam-data/loam/sdk/dialect"
)

// The stand-in is SQLite behind the syntax of Firebird 3, as a stranger's connector met
// it: a SELECT needs FROM, rows are limited by FETCH, names have at most 31 bytes and are
// folded to upper case, decimals have at most 18 digits.
const (
	longestName   = 31
	decimalDigits = 18
)

// standIn returns SQLite's connector with that dialect.
func standIn() *sdk.Connector {
	c := sqlite.Connector()
	c.ID, c.DisplayName, c.Test = "acme/firebird", "Stand-in", nil
	c.Capabilities = sdk.Capabilities{ReadOnly: sdk.ReadOnlyEngine, ServerCancel: true, Params: true}
	d := c.Dialects[0]
	d.Name, d.Limit, d.Folding, d.MaxIdentifierBytes, d.MaxDecimalDigits = "firebird", dialect.LimitFetch, dialect.FoldUpper, longestName, decimalDigits
	d.Namespace, d.DefaultSchema, d.Notes = nil, "", nil
	d.Forms = maps.Clone(d.Forms)
	d.Forms[dialect.EmptyFrom] = "FROM rdb$database"
	for form, text := range d.Forms {
		if _, written := fromless(text); written { // spines and inline tables of SQLite, which begin without FROM
			delete(d.Forms, form)
		}
	}
	delete(d.Forms, dialect.Inline) // which would have to name its rows in a SELECT with FROM
	c.Dialects = []dialect.Dialect{d}
	open := c.Open
	c.Open = func(ctx context.Context, req sdk.OpenRequest) (sdk.Session, error) {
		inner, err := open(ctx, req)
		if err != nil {
			return nil, err
		}
		return &strict{inner, &d}, nil
	}
	return c
}

// strict refuses what Firebird refuses, and writes the rest as SQLite reads it.
type strict struct {
	sdk.Session
	dialect *dialect.Dialect
}

func (s *strict) Server() sdk.ServerInfo {
	info := s.Session.Server()
	info.Product = "firebird"
	return info
}

func (s *strict) Execute(ctx context.Context, req sdk.ExecuteRequest, w *sdk.RowWriter) error {
	text, err := s.translated(req.SQL)
	if err != nil {
		return err
	}
	req.SQL = text
	return s.Session.Execute(ctx, req, w)
}

var (
	fetch  = regexp.MustCompile(`(?i)(?:OFFSET (\d+) ROWS\s+)?FETCH (?:FIRST|NEXT) (\d+) ROWS ONLY`)
	words  = regexp.MustCompile(`'(?:[^']|'')*'|"(?:[^"]|"")*"|[A-Za-z_$]+|[()]`)
	widest = regexp.MustCompile(`(?i)\b(?:DECIMAL|NUMERIC)\s*\(\s*(\d+)`)
)

func (s *strict) translated(sql string) (string, error) {
	refuse := func(format string, args ...any) (string, error) {
		return "", sdk.Errorf(sdk.KindSyntax, sdk.SourceWarehouse, format, args...)
	}
	tokens, err := s.dialect.Tokens(sql, nil)
	if err != nil {
		return refuse("%v", err)
	}
	for i, t := range tokens {
		word := strings.ToUpper(t.Text(sql))
		switch {
		case t.Kind == dialect.TokenQuoted && len(s.dialect.Unquote(sql, t)) > longestName, t.Kind == dialect.TokenWord && len(word) > longestName:
			return refuse("the name %s is longer than %d bytes", t.Text(sql), longestName)
		case t.Kind == dialect.TokenWord && word == "LIMIT":
			return refuse("Token unknown: LIMIT")
		case t.Kind == dialect.TokenWord && word == "ORDER" && i+2 < len(tokens) && tokens[i+2].Is(sql, "("):
			if i+3 < len(tokens) && strings.EqualFold(tokens[i+3].Text(sql), "SELECT") {
				return refuse("a subquery is no key of an order")
			}
		}
	}
	if at, without := fromless(sql); without {
		return refuse("a SELECT needs FROM: %s", sql[at:])
	}
	for _, found := range widest.FindAllStringSubmatch(sql, -1) {
		if len(found[1]) > 2 || found[1] > fmt.Sprint(decimalDigits) {
			return refuse("%s digits, and there are %d at most", found[1], decimalDigits)
		}
	}
	sql = fetch.ReplaceAllStringFunc(sql, func(tail string) string {
		found := fetch.FindStringSubmatch(tail)
		if found[1] == "" {
			found[1] = "0"
		}
		return "LIMIT " + found[2] + " OFFSET " + found[1]
	})
	return strings.ReplaceAll(sql, "FROM rdb$database", "FROM (SELECT 1)"), nil
}

// fromless finds a SELECT without FROM at its own level of parentheses.
func fromless(sql string) (at int, without bool) {
	open := []int{} // the SELECT of each level that has met no FROM; -1 = there is none
	level := -1
	for _, span := range words.FindAllStringIndex(sql, -1) {
		switch strings.ToUpper(sql[span[0]:span[1]]) {
		case "(":
			open, level = append(open, level), -1
		case ")":
			if level >= 0 {
				return level, true
			}
			if len(open) > 0 {
				level, open = open[len(open)-1], open[:len(open)-1]
			}
		case "SELECT":
			if level >= 0 {
				return level, true
			}
			level = span[0]
		case "FROM":
			level = -1
		}
	}
	return max(level, 0), level >= 0
}

// openStandIn returns a configuration of the stand-in with the tables.
func openStandIn(t *testing.T) sdk.Config {
	t.Helper()
	path := filepath.Join(t.TempDir(), "firebird.db")
	write(t, path)
	config, err := json.Marshal(map[string]any{"path": path})
	if err != nil {
		t.Fatal(err)
	}
	return sdk.Config{JSON: config}
}

// What the host takes for granted of dialects is found on an engine that lacks it.
func TestStandInForFirebird(t *testing.T) {
	t.Parallel()
	of := slices.Clone(tables)
	for i := range of {
		of[i].Schema = "" // Firebird has none
	}
	wanted := []string{"semantic", "dialect"}
	results := conform.Examine(t.Context(), conform.Target{
		Connector: standIn(), Modes: []conform.Mode{conform.InProcess}, Server: "embedded stand-in for Firebird", Config: openStandIn(t),
		Fixture: conform.Fixture{Tables: of}, Request: Requests(of), Requests: 100,
	}, conform.Options{Select: func(group, _ string) bool { return slices.Contains(wanted, group) }})
	asked := 0
	for _, r := range results {
		switch {
		case !slices.Contains(wanted, r.Group):
		case r.Outcome == conform.Failed:
			t.Errorf("%s/%s: %s", r.Group, r.Check, r.Reason)
		case r.Group == "semantic" && r.Outcome == conform.OK:
			asked++
			t.Logf("%s: %s", r.Check, r.Reason)
		}
	}
	if asked != 10 {
		t.Errorf("%d of 10 checks asked requests", asked)
	}
}

// sl query with and without groups, in the words of that dialect.
func TestStandInWithAndWithoutGroups(t *testing.T) {
	t.Parallel()
	c := standIn()
	session, err := c.Open(t.Context(), sdk.OpenRequest{ConnectionID: "test", Config: openStandIn(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close(context.Background()) })
	ask := func(ctx context.Context, sql string) ([]sdk.Column, [][]any, error) {
		k := &kept{}
		w := sdk.NewRowWriter(k, sdk.Limits{})
		if err := session.Execute(ctx, sdk.ExecuteRequest{SQL: sql}, w); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", sql, err)
		}
		err := w.Close()
		return k.columns, k.rows, err
	}
	d := &c.Dialects[0]
	w, err := read(t.Context(), []sdk.Table{{TableRef: sdk.TableRef{Name: "accounts"}, Kind: tables[0].Kind, Columns: tables[0].Columns, Keys: tables[0].Keys}}, d, ask)
	if err != nil {
		t.Fatal(err)
	}
	for name, request := range map[string]string{
		"without groups": `{"measures": ["accounts.d3_sum"]}`,
		"with groups":    `{"measures": ["accounts.d3_sum"], "dimensions": [{"field": "accounts.d4"}], "limit": 2, "offset": 1}`,
		"long names":     `{"measures": ["accounts.d3_sum"], "dimensions": [{"field": "accounts.d4", "name": "what_an_account_was_last_updated_with"}]}`,
	} {
		parsed, err := oracle.ParseRequest([]byte(request))
		if err != nil {
			t.Fatal(err)
		}
		query, err := compile.Compile(w.model, d, parsed, compile.Options{Now: oracle.Now})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		_, rows, err := ask(t.Context(), query.SQL)
		if grouped := name != "without groups"; err != nil || strings.Contains(query.SQL, "ORDER BY") != grouped || !strings.Contains(query.SQL, "FETCH FIRST") || len(rows) == 0 {
			t.Errorf("%s: %v\n%s\n%v", name, err, query.SQL, rows)
		}
	}
}

// kept is a result.
type kept struct {
	columns []sdk.Column
	rows    [][]any
}

func (*kept) Started(string) error  { return nil }
func (*kept) Progress(sdk.Progress) {}
func (*kept) Notice(sdk.Warning)    {}

func (k *kept) Columns(c []sdk.Column) error {
	k.columns = c
	return nil
}

func (k *kept) Batch(b *sdk.Batch) error {
	for i := range b.Rows {
		row := make([]any, len(k.columns))
		for at, c := range k.columns {
			row[at] = b.Columns[at].Value(c.Type, i)
			if raw, ok := row[at].([]byte); ok {
				row[at] = slices.Clone(raw)
			}
		}
		k.rows = append(k.rows, row)
	}
	return nil
}

// write makes the database file.
func write(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	db := opened(t, path)
	if _, err := db.ExecContext(t.Context(), script); err != nil {
		t.Fatal(err)
	}
}
