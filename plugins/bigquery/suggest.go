package bigquery

import (
	"context"
	"errors"
	"slices"
	"strings"

	"google.golang.org/api/iterator"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// suggest adds the place of a name that does not exist, and the names that may have
// been meant: those that the service proposes, or those of the same dataset.
func (s *Session) suggest(ctx context.Context, st *statement, e *sdk.Error) {
	if e.Kind != sdk.KindNotFound {
		return
	}
	kind, name := missing(e.Msg)
	if e.Pos.IsZero() && name != "" {
		e.Pos = st.Find(s.Dialect, name[strings.LastIndexAny(name, ".:")+1:])
	}
	if _, meant, found := strings.Cut(e.Msg, "Did you mean "); found {
		meant, _, _ = strings.Cut(meant, "?")
		e.Candidates, e.Hint = []string{meant}, "did you mean "+meant+"?"
		return
	}
	project, rest, _ := strings.Cut(name, ":")
	dataset, table, _ := strings.Cut(rest, ".")
	switch {
	case kind == "Table" && table != "":
		_ = sqlkit.Suggest(ctx, e, table, func(ctx context.Context) ([]string, error) { return s.tables(ctx, project, dataset) })
	case kind == "Unrecognized":
		_ = sqlkit.Suggest(ctx, e, name, func(ctx context.Context) ([]string, error) { return s.columns(ctx, st) })
	}
}

// missing reads "Not found: Table p:d.t was not found in …" and "Unrecognized name: n".
func missing(message string) (kind, name string) {
	if rest, ok := strings.CutPrefix(message, "Not found: "); ok {
		kind, rest, _ = strings.Cut(rest, " ")
		name, _, _ = strings.Cut(rest, " ")
		return kind, name
	}
	if rest, ok := strings.CutPrefix(message, "Unrecognized name: "); ok {
		name, _, _ = strings.Cut(rest, ";")
		return "Unrecognized", strings.TrimSpace(strings.Trim(name, "`"))
	}
	return "", ""
}

// tables lists the names in a dataset.
func (s *Session) tables(ctx context.Context, project, dataset string) (names []string, err error) {
	list := s.client.DatasetInProject(project, dataset).Tables(ctx)
	list.PageInfo().MaxSize = 1000
	for {
		t, err := list.Next()
		if errors.Is(err, iterator.Done) {
			return names, nil
		} else if err != nil {
			return nil, err
		}
		names = append(names, t.TableID)
	}
}

// columns lists those of the tables that a statement names and that are in the
// connection's dataset, or in one that it names, too.
func (s *Session) columns(ctx context.Context, st *statement) (names []string, err error) {
	mentioned := st.Names(s.Dialect)
	for _, dataset := range append([]string{s.cfg.Dataset}, s.cfg.Datasets...) {
		if dataset == "" || dataset != s.cfg.Dataset && !slices.Contains(mentioned, dataset) {
			continue
		}
		tables, err := s.tables(ctx, s.cfg.Project, dataset)
		if err != nil {
			return nil, err
		}
		for _, table := range tables {
			if !slices.Contains(mentioned, table) {
				continue
			}
			found, err := s.client.Dataset(dataset).Table(table).Metadata(ctx)
			if err != nil {
				continue // a suggestion less
			}
			for _, f := range found.Schema {
				names = append(names, f.Name)
			}
		}
	}
	return names, nil
}
