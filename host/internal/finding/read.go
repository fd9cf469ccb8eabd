package finding

import (
	"context"
	"slices"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/statement"
)

// Reads returns the scanned tables that each of the statements of a connection reads. Nothing is run.
// Shape: one list for each statement, tables in the order of the text; nil = no table of it is known.
func (s *Service) Reads(ctx context.Context, id connection.ID, statements []string) [][]catalog.TableRead {
	all := make([][]catalog.TableRead, len(statements))
	w, err := s.Warehouses.Choose(ctx, id)
	if err != nil {
		return all
	}
	known, _ := w.Known(ctx) // without its connector there is no dialect
	d := known.Dialect()
	snapshot, err := s.Catalogs.Of(string(w.ID)).Latest()
	if err != nil || d == nil {
		return all
	}
	tables := newSchema(snapshot, d)
	reader := statement.New(d, tables)
	for i, sql := range statements {
		if ctx.Err() != nil {
			return all
		}
		tables.unknown = 0
		all[i] = tables.reads(reader.Read(sql))
	}
	return all
}

// reads returns the tables of a statement.
func (s *schema) reads(of *statement.Statement) (all []catalog.TableRead) {
	at := func(t *statement.Table) *catalog.TableRead {
		ref := s.tables[t.ID].TableRef
		i := slices.IndexFunc(all, func(r catalog.TableRead) bool { return r.Table == ref })
		if i < 0 {
			i, all = len(all), append(all, catalog.TableRead{Table: ref})
		}
		return &all[i]
	}
	for _, b := range of.Blocks {
		every := b.Reason != "" || slices.ContainsFunc(b.Items, func(i statement.Item) bool { return i.Expr != nil && i.Expr.Kind == statement.Star })
		for _, relation := range b.Relations {
			if relation.Table != nil {
				read := at(relation.Table)
				read.Any = read.Any || every
			}
		}
		for c := range b.Columns {
			if c.Table == nil {
				continue
			}
			if read := at(c.Table); !slices.Contains(read.Columns, c.Name) {
				read.Columns = append(read.Columns, c.Name)
			}
		}
	}
	return all
}
