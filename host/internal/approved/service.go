// Package approved lists the saved queries that a person reviewed, runs them with bound parameters, and checks the files
// of all saved queries.
package approved

import (
	"context"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/finding"
	"github.com/loam-data/loam/host/internal/history"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/host/internal/savedquery"
	"github.com/loam-data/loam/host/internal/savedquery/library"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/host/internal/warehouse"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// Config has the dependencies of a Service. All fields are required.
type Config struct {
	Warehouses *warehouse.Set
	Queries    *library.Library
	Query      querier
	// Findings compares a statement with what the project knows.
	Findings func(ctx context.Context, id connection.ID, sql string, d *dialect.Dialect) []finding.Finding
	// Usage returns the recorded runs of saved queries; ok is false when none are recorded.
	Usage func(context.Context, []history.SavedQuery) (uses map[history.SavedQuery]history.Usage, ok bool, err error)
}

// A querier checks and runs statements; *query.Service implements it.
type querier interface {
	Run(context.Context, query.Request, query.Sink) (query.Summary, error)
	Examine(context.Context, query.Request) (query.Examination, error)
}

// Service lists and runs saved queries.
// Concurrency: its methods may be called concurrently.
type Service struct{ Config }

// New returns a Service.
func New(c Config) *Service { return &Service{c} }

// open returns the files of the connections that the caller may use, sorted by connection and name. connection "" = all of
// them, and the files whose path is not that of a saved query.
// Errors: those of connection.Registry.Get and of library.Library.Items.
func (s *Service) open(ctx context.Context, id connection.ID) ([]library.Item, error) {
	registry, err := s.Warehouses.Connections(ctx)
	if err != nil {
		return nil, err
	}
	if id != "" {
		if _, err := registry.Get(id); err != nil {
			return nil, err
		}
	}
	all, err := s.Queries.Items(ctx)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(all), func(i library.Item) bool {
		if i.Connection == "" {
			return id != ""
		}
		_, err := registry.Get(i.Connection)
		return err != nil || id != "" && i.Connection != id
	}), nil
}

// find returns the file of a query. id "" = the connection of the only query with this name.
// Errors: KindNotFound with similar names; KindInvalid for a name on several connections, and for a broken file.
func (s *Service) find(ctx context.Context, name string, id connection.ID) (*library.Item, error) {
	items, err := s.open(ctx, id)
	if err != nil {
		return nil, err
	}
	var found []*library.Item
	var names, connections []string
	for i := range items {
		item := &items[i]
		if item.Connection != "" && item.Name == name {
			found, connections = append(found, item), append(connections, string(item.Connection))
		}
		if reviewed(item) {
			names = append(names, item.Name)
		}
	}
	switch {
	case len(found) == 0:
		err := sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "there is no saved query %q", name)
		if err.Candidates = sqlkit.Nearest(name, names); len(err.Candidates) > 0 {
			return nil, err.WithHint("did you mean %s?", strings.Join(err.Candidates, ", "))
		}
		if len(names) == 0 {
			return nil, err.WithHint("no query is reviewed yet: recommend_query proposes one, sql_execution runs other statements")
		}
		return nil, err.WithHint("call list_approved_queries (loam queries list) for the names")
	case len(found) > 1:
		err := sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%s have a query %s", text.Count(len(found), "connection"), name).
			WithHint("name one of them (connectionId; -c on the command line): %s", strings.Join(connections, ", "))
		err.Candidates, err.Err = connections, connection.ErrUnnamed
		return nil, err
	case found[0].Problem != nil:
		e := sdk.AsError(found[0].Problem, sdk.SourceHost)
		err := sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "the file of the query %s cannot be used: %s", name, e.Msg).WithHint("ask a person to mend %s: %s", file(found[0]), e.Hint)
		err.Pos = e.Pos
		return nil, err
	}
	return found[0], nil
}

// reviewed reports whether agents may run a query.
func reviewed(i *library.Item) bool { return i.Problem == nil && i.Query.Reviewed }

// file returns the path of a query's file in the project.
func file(i *library.Item) string {
	if i.Connection == "" {
		return "queries/" + i.Name
	}
	return "queries/" + string(i.Connection) + "/" + i.Name + ".sql"
}

// template returns the template of a query in a dialect.
// Errors: those of savedquery.Read, with the query's name.
func template(i *library.Item, d *dialect.Dialect) (*savedquery.Template, error) {
	t, err := savedquery.Read(i.Query.SQL, d)
	if err != nil {
		e := sdk.AsError(err, sdk.SourceHost)
		broken := sdk.Errorf(e.Kind, sdk.SourceHost, "the query %s cannot be used: %s", i.Name, e.Msg).WithHint("ask a person to mend %s: %s", file(i), e.Hint)
		broken.Pos = e.Pos
		return nil, broken
	}
	return t, nil
}
