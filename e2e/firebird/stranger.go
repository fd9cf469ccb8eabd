// Package firebird is a stranger's connector for an engine with the grammar of Firebird 3: a
// SELECT needs FROM, FETCH limits rows and needs no order, names have at most 31 bytes and are
// folded to upper case, decimals have at most 18 digits, and there is no LIMIT, no VALUES, no
// EXCEPT, no operator but the standard's. What the host takes for granted of dialects is found
// on it.
//
// The engine is SQLite behind a thin translation, which refuses what Firebird does not parse.
// Only functions are SQLite's: their names and arguments are data of a dialect anyway.
package firebird

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/loam-data/loam/plugins/sqlite"
	"github.com/loam-data/loam/sdk"
)

// Connector returns the connector. Its configuration is that of SQLite: the path of a file.
func Connector() *sdk.Connector {
	c := sqlite.Connector()
	inner := c.Open
	c.ID, c.DisplayName, c.Test = "acme/firebird", "Firebird stand-in", nil
	c.Capabilities = sdk.Capabilities{ReadOnly: sdk.ReadOnlyEngine, ServerCancel: true, Params: true, MemoryBytes: c.Capabilities.MemoryBytes}
	d := dialectOf(&c.Dialects[0])
	c.Dialects = c.Dialects[:1]
	c.Dialects[0] = *d
	c.Open = func(ctx context.Context, req sdk.OpenRequest) (sdk.Session, error) {
		opened, err := inner(ctx, req)
		if err != nil {
			return nil, err
		}
		return &session{Session: opened, grammar: grammar{dialect: d}}, nil
	}
	return c
}

// session refuses what Firebird refuses, and writes the rest as SQLite reads it.
type session struct {
	sdk.Session
	grammar grammar

	mu    sync.Mutex
	names map[string]bool // of tables and columns, once they were read
}

var _ sdk.Session = (*session)(nil)

func (s *session) Server() sdk.ServerInfo {
	info := s.Session.Server()
	info.Product, info.DefaultSchema, info.Dialect = "firebird", "", nil
	return info
}

func (s *session) Execute(ctx context.Context, req sdk.ExecuteRequest, w *sdk.RowWriter) error {
	stored, err := s.stored(ctx)
	if err != nil {
		return err
	}
	asked := req.SQL
	if req.SQL, err = s.grammar.translate(asked, stored); err != nil {
		return err
	}
	err = s.Session.Execute(ctx, req, w)
	if e, ok := errors.AsType[*sdk.Error](err); ok && req.SQL != asked {
		elsewhere := *e
		elsewhere.Pos = sdk.Position{} // in a text that nobody sent
		return &elsewhere
	}
	return err
}

// stored returns the names of tables and columns.
func (s *session) stored(ctx context.Context) (map[string]bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.names != nil {
		return s.names, nil
	}
	names := listing{}
	if _, err := s.Session.Scan(ctx, sdk.ScanRequest{Facets: []sdk.Facet{sdk.FacetColumns}}, names); err != nil {
		return nil, err
	}
	s.names = names
	return names, nil
}

// Scan implements sdk.Session. Firebird has no schemas.
func (s *session) Scan(ctx context.Context, req sdk.ScanRequest, w sdk.ScanWriter) (sdk.ScanSummary, error) {
	within := func(globs []string) []string {
		all := make([]string, len(globs))
		for i, g := range globs {
			all[i] = "*." + g
		}
		return all
	}
	req.Include, req.Exclude = within(req.Include), within(req.Exclude)
	return s.Session.Scan(ctx, req, &unnamed{w})
}

// unnamed removes the schema, which is SQLite's, from what is scanned.
type unnamed struct{ to sdk.ScanWriter }

func (u *unnamed) Table(t *sdk.Table) error {
	bare := *t
	bare.Schema = ""
	bare.Keys = nil
	for _, k := range t.Keys {
		k.Ref.Schema = ""
		bare.Keys = append(bare.Keys, k)
	}
	return u.to.Table(&bare)
}

func (u *unnamed) Warning(w sdk.Warning) error {
	w.Object = strings.TrimPrefix(w.Object, "main.")
	return u.to.Warning(w)
}

func (u *unnamed) Progress(p sdk.Progress) { u.to.Progress(p) }

// listing keeps the names of what is scanned.
type listing map[string]bool

func (l listing) Table(t *sdk.Table) error {
	l[t.Name] = true
	for _, c := range t.Columns {
		l[c.Name] = true
	}
	return nil
}

func (listing) Warning(sdk.Warning) error { return nil }
func (listing) Progress(sdk.Progress)     {}
