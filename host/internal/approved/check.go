package approved

import (
	"context"
	"fmt"
	"time"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/history"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/host/internal/savedquery"
	"github.com/loam-data/loam/host/internal/savedquery/library"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// CheckFile is the check of the file itself: its comment, its declarations, its place.
const CheckFile = "file"

// Checked is the result of the checks of one file.
type Checked struct {
	File         string             `json:"file"`
	Name         string             `json:"name"`
	ConnectionID connection.ID      `json:"connectionId"`
	Reviewed     bool               `json:"reviewed"`
	OK           bool               `json:"ok"`
	Checks       []savedquery.Check `json:"checks"`
}

// Shown is a saved query with its SQL.
type Shown struct {
	Listed
	File    string `json:"file"`
	Version string `json:"version"`
	SQL     string `json:"sql"`
	// Modified is when the file was changed.
	Modified time.Time `json:"-"`
}

// Show returns one query, reviewed or not. id "" = the connection of the only query with this name.
// Errors: those of Execute about the name and the file.
func (s *Service) Show(ctx context.Context, name string, id connection.ID) (*Shown, error) {
	item, err := s.find(ctx, name, id)
	if err != nil {
		return nil, err
	}
	uses, known, err := s.Usage(ctx, []history.SavedQuery{recorded(item)})
	return &Shown{Listed: listed(item, uses, known && err == nil), File: file(item), Version: item.Version, SQL: item.Query.SQL, Modified: item.Modified}, nil
}

// Check checks the queries with a name, or all of them for "": the file, the placeholders, and the guard and, with
// dryRun, the engine with all optional parts and with none. Nothing is run.
// Errors: KindNotFound for an unknown name; those of library.Library.Items and of ctx.
func (s *Service) Check(ctx context.Context, name string, id connection.ID, dryRun bool) ([]Checked, error) {
	items, err := s.open(ctx, id)
	if err != nil {
		return nil, err
	}
	all := []Checked{}
	for i := range items {
		item := &items[i]
		if name != "" && item.Name != name {
			continue
		}
		c := Checked{File: file(item), Name: item.Name, ConnectionID: item.Connection, OK: true}
		if c.Checks, err = s.checks(ctx, item, dryRun); err != nil {
			return nil, err
		}
		for _, check := range c.Checks {
			c.OK = c.OK && check.OK
		}
		c.Reviewed = reviewed(item)
		all = append(all, c)
	}
	if name != "" && len(all) == 0 {
		_, err := s.find(ctx, name, id)
		return nil, err
	}
	return all, nil
}

func (s *Service) checks(ctx context.Context, item *library.Item, dryRun bool) ([]savedquery.Check, error) {
	if item.Problem != nil {
		return []savedquery.Check{{Check: CheckFile, Message: failure(item.Problem)}}, nil
	}
	checks := []savedquery.Check{{Check: CheckFile, OK: true, Message: "its declarations can be read"}}
	w, err := s.Warehouses.Get(ctx, item.Connection)
	if err != nil {
		return nil, err
	}
	known, err := w.Known(ctx)
	if err == nil && known.Dialect() == nil {
		err = sdk.Errorf(sdk.KindUnsupported, sdk.SourceConnector, "the connector describes no SQL dialect").WithHint("install a version of the connector that passes the conformance suite")
	}
	if err != nil {
		return append(checks, savedquery.Check{Check: savedquery.CheckPlaceholders, Message: failure(err)}), ctx.Err()
	}
	found, t := savedquery.Examine(item.Query, known.Dialect())
	checks = append(checks, found...)
	for _, c := range found {
		if !c.OK {
			return checks, nil
		}
	}
	if !dryRun {
		return checks, nil
	}
	dry, err := s.dryRun(ctx, item, t, known.Dialect())
	return append(checks, dry), err
}

// dryRun has the engine check the statement with all optional parts and with none.
// Errors: those of ctx.
func (s *Service) dryRun(ctx context.Context, item *library.Item, t *savedquery.Template, d *dialect.Dialect) (savedquery.Check, error) {
	out := savedquery.Check{Check: savedquery.CheckDryRun, OK: true, Message: "the engine accepts it; nothing was run"}
	for _, optional := range []bool{true, false} {
		sql, err := item.Query.Sample(t, d, optional)
		var found query.Examination
		if err == nil {
			found, err = s.Query.Examine(ctx, query.Request{Connection: item.Connection, SQL: sql})
		}
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		if err == nil {
			err = found.Fault
		}
		if err != nil {
			return savedquery.Check{Check: savedquery.CheckDryRun, Message: fmt.Sprintf("%s optional parts: %s", map[bool]string{true: "with all", false: "without"}[optional], failure(err))}, nil
		}
		if !found.Engine {
			out.Message = "the guard accepts it; the connector describes no statement"
		}
	}
	return out, nil
}

// failure returns an error as one text.
func failure(err error) string {
	e := sdk.AsError(err, sdk.SourceHost)
	message := e.Msg
	if e.Pos.Line > 0 {
		message = fmt.Sprintf("line %d, column %d: %s", e.Pos.Line, e.Pos.Column, message)
	}
	if e.Hint != "" {
		message += ": " + e.Hint
	}
	return message
}
