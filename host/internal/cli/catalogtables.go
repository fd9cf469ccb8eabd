package cli

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/discover"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// tableDocument is a table in a list of them.
type tableDocument struct {
	TableRef       discover.TableRef `json:"tableRef"`
	Display        string            `json:"display"`
	Kind           sdk.TableKind     `json:"kind"`
	Comment        *string           `json:"comment"`
	EstimatedRows  *int64            `json:"estimatedRows"`
	EstimatedBytes *int64            `json:"estimatedBytes"`
	ColumnCount    int               `json:"columnCount"`
	Profiled       bool              `json:"profiled"`
}

// maxComment is how much of a comment a list shows.
const maxComment = 80

func (a *app) catalogTablesCommand() *cobra.Command {
	var id string
	var include []string
	cmd := connectionFlag(&cobra.Command{
		Use:   "tables [-c CONNECTION]",
		Short: "List the tables of a connection's last snapshot",
		Long: `Lists the tables of a connection's last snapshot in the order of their names. Numbers of
rows are the engine's estimates. A glob has the parts of a name, with dots between them:
"orders*" is about the tables of any schema, "sales.*" about all of one schema.`,
		Example: "  loam catalog tables -c warehouse --include 'sales.*' --include 'order*'",
		Args:    exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.onScanned(cmd, id, func(_ *Rooms, s *scanned) error {
				selected, err := s.selected(include)
				if err != nil {
					return err
				}
				if a.json {
					return a.tablesAsJSON(cmd.Context(), s, selected)
				}
				return a.printTables(cmd.Context(), s, selected)
			})
		},
	}, &id)
	cmd.Flags().StringArrayVar(&include, "include", nil, "only tables that match a glob; may be given several times")
	return cmd
}

// selected returns the positions of the tables that match a glob.
// Errors: KindNotFound when there are none.
func (s *scanned) selected(include []string) ([]int, error) {
	levels := 1
	for _, e := range s.image.Entries() {
		switch {
		case e.Catalog != "":
			levels = 3
		case e.Schema != "":
			levels = max(levels, 2)
		}
	}
	filter, err := sqlkit.NewFilter(include, nil, levels)
	if err != nil {
		return nil, err
	}
	var found []int
	for i, e := range s.image.Entries() {
		if filter.Match(e.TableRef) {
			found = append(found, i)
		}
	}
	if found == nil && include != nil {
		return nil, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "none of the %s of connection %s matches %q", text.Count(s.image.Len(), "table"), s.ID, include).
			WithHint("list them all: loam catalog tables -c %s", s.ID)
	}
	return found, nil
}

func (a *app) tablesAsJSON(ctx context.Context, s *scanned, selected []int) error {
	out, err := a.list(struct {
		ConnectionID any              `json:"connectionId"`
		Snapshot     snapshotDocument `json:"snapshot"`
	}{s.ID, newSnapshotDocument(s.image.Identity)}, "tables")
	if err != nil {
		return err
	}
	err = s.each(ctx, selected, func(t *catalog.Table, e catalog.Entry) error {
		return out.add(newTableDocument(t, e))
	})
	if err != nil {
		return err
	}
	return out.end()
}

func newTableDocument(t *catalog.Table, e catalog.Entry) tableDocument {
	return tableDocument{
		TableRef: wireRef(t.TableRef), Display: catalog.Display(t.TableRef), Kind: t.Kind, Comment: orNull(t.Comment),
		EstimatedRows: knownOrNull(t.RowEstimate), EstimatedBytes: knownOrNull(t.ByteEstimate),
		ColumnCount: len(t.Columns), Profiled: e.Profile != catalog.Hash{},
	}
}

func (a *app) printTables(ctx context.Context, s *scanned, selected []int) error {
	out := a.newTable([]string{"SCHEMA", "NAME", "KIND", "ROWS", "COLUMNS", "COMMENT"}, 3, 4)
	err := s.each(ctx, selected, func(t *catalog.Table, _ catalog.Entry) error {
		schema := t.Schema
		if t.Catalog != "" {
			schema = t.Catalog + "." + t.Schema
		}
		return out.row([]string{schema, t.Name, string(t.Kind), orUnknown(t.RowEstimate), strconv.Itoa(len(t.Columns)), cut(t.Comment, maxComment)})
	})
	if err != nil {
		return err
	}
	if err := out.flush(); err != nil {
		return err
	}
	a.say("%s of %s, as scanned %s", text.Count(len(selected), "table"), s.ID, text.Ago(s.image.ExtractedAt))
	return nil
}

// each reads tables one after the other.
func (s *scanned) each(ctx context.Context, selected []int, f func(*catalog.Table, catalog.Entry) error) error {
	for _, i := range selected {
		if err := ctx.Err(); err != nil {
			return err
		}
		t, err := s.image.At(i)
		if err != nil {
			return err
		}
		if err := f(t, s.image.Entry(i)); err != nil {
			return err
		}
	}
	return nil
}

func wireRef(ref sdk.TableRef) discover.TableRef {
	return discover.TableRef{Catalog: orNull(ref.Catalog), DB: orNull(ref.Schema), Name: ref.Name}
}

// orNull is a text, null where there is none.
func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// knownOrNull is a count, null where it is negative, which means unknown.
func knownOrNull(n int64) *int64 {
	if n < 0 {
		return nil
	}
	return &n
}
