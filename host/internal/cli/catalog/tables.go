package catalog

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/snapshot"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/discover"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// TableDocument is a table in a list of them.
type TableDocument struct {
	TableRef       catalog.TableRef `json:"tableRef"`
	Display        string           `json:"display"`
	Kind           sdk.TableKind    `json:"kind"`
	Comment        *string          `json:"comment"`
	EstimatedRows  *int64           `json:"estimatedRows"`
	EstimatedBytes *int64           `json:"estimatedBytes"`
	ColumnCount    int              `json:"columnCount"`
	Profiled       bool             `json:"profiled"`
}

func (a *commands) catalogTablesCommand() *cobra.Command {
	var id string
	var include []string
	var copies bool
	cmd := command.ConnectionFlag(&cobra.Command{
		Use:   "tables [-c CONNECTION]",
		Short: "List the tables of a connection's last snapshot",
		Long: `Lists the tables of a connection's last snapshot in the order of their names. Numbers of
rows are the engine's estimates. A glob has the parts of a name, with dots between them:
"orders*" matches tables of any schema, "sales.*" all tables of one schema. Tables of the
same columns whose names differ in digits alone, as orders_20240101, are copies: the
newest is listed for all, unless --copies asks for each. --json lists each.`,
		Example: "  loam catalog tables -c warehouse --include 'sales.*' --include 'order*'",
		Args:    command.Exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.onScanned(cmd, id, func(_ *Services, s *scanned) error {
				selected, err := s.selected(include)
				if err != nil {
					return err
				}
				if a.term.JSON {
					return a.tablesAsJSON(cmd.Context(), s, selected)
				}
				if copies {
					return a.printTables(cmd.Context(), s, selected, nil)
				}
				heads, like, err := discover.Fold(s.scope.Snapshot, selected)
				if err != nil {
					return err
				}
				return a.printTables(cmd.Context(), s, heads, like)
			})
		},
	}, &id)
	cmd.Flags().StringArrayVar(&include, "include", nil, "only tables that match a glob; may be given several times")
	cmd.Flags().BoolVar(&copies, "copies", false, "list each copy of a table")
	return cmd
}

// selected returns the positions of the tables that match a glob.
// Errors: KindNotFound when there are none.
func (s *scanned) selected(include []string) ([]int, error) {
	levels := 1
	for _, e := range s.scope.Snapshot.Entries() {
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
	for i, e := range s.scope.Snapshot.Entries() {
		if filter.Match(e.TableRef) {
			found = append(found, i)
		}
	}
	if found == nil && include != nil {
		return nil, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "none of the %s of connection %s matches %q", text.Count(s.scope.Snapshot.Len(), "table"), s.ID, include).
			WithHint("list them all: loam catalog tables -c %s", s.ID)
	}
	return found, nil
}

func (a *commands) tablesAsJSON(ctx context.Context, s *scanned, selected []int) error {
	out, err := a.term.List(struct {
		ConnectionID any               `json:"connectionId"`
		Snapshot     snapshot.Document `json:"snapshot"`
	}{s.ID, snapshot.New(s.scope.Snapshot.Identity)}, "tables")
	if err != nil {
		return err
	}
	err = s.each(ctx, selected, func(_ int, t *catalog.Table, e catalog.Entry) error {
		return out.Add(newTableDocument(t, e))
	})
	if err != nil {
		return err
	}
	return out.End(nil)
}

func newTableDocument(t *catalog.Table, e catalog.Entry) TableDocument {
	return TableDocument{
		TableRef: catalog.RefOf(t.TableRef), Display: catalog.Display(t.TableRef), Kind: t.Kind, Comment: terminal.OrNull(t.Comment),
		EstimatedRows: terminal.KnownOrNull(t.RowEstimate), EstimatedBytes: terminal.KnownOrNull(t.ByteEstimate),
		ColumnCount: len(t.Columns), Profiled: e.Profile != catalog.Hash{},
	}
}

// printTables lists tables, each with how many like it are not listed.
func (a *commands) printTables(ctx context.Context, s *scanned, selected []int, like map[int]int) error {
	total := len(selected)
	out := a.term.NewTable([]string{"SCHEMA", "NAME", "KIND", "ROWS", "COLUMNS", "COMMENT"}, 3, 4)
	err := s.each(ctx, selected, func(i int, t *catalog.Table, _ catalog.Entry) error {
		schema := t.Schema
		if t.Catalog != "" {
			schema = t.Catalog + "." + t.Schema
		}
		comment := terminal.Cut(t.Comment, terminal.MaxComment)
		if n := like[i]; n > 0 {
			total += n
			comment = strings.TrimSuffix(fmt.Sprintf("and %d like it; %s", n, comment), "; ")
		}
		return out.Row([]string{schema, t.Name, string(t.Kind), terminal.OrUnknown(t.RowEstimate), strconv.Itoa(len(t.Columns)), comment})
	})
	if err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	a.term.Infof("%s of %s, as scanned %s", text.Count(total, "table"), s.ID, text.Ago(s.scope.Snapshot.ExtractedAt))
	return nil
}

// each reads tables one after the other.
func (s *scanned) each(ctx context.Context, selected []int, f func(int, *catalog.Table, catalog.Entry) error) error {
	for _, i := range selected {
		if err := ctx.Err(); err != nil {
			return err
		}
		t, err := s.scope.Snapshot.At(i)
		if err != nil {
			return err
		}
		if err := f(i, t, s.scope.Snapshot.Entry(i)); err != nil {
			return err
		}
	}
	return nil
}
