package search

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/assemble"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/connection"
)

func (a *commands) searchTables(cmd *cobra.Command, f searchFlags, query string) error {
	return a.open(cmd.Context(), func(services *Services) error {
		answer, err := services.Assemble.Schema(cmd.Context(), assemble.SchemaRequest{
			Query: query, Connection: connection.ID(f.connection), Limit: f.limit, Cursor: f.cursor,
		})
		if err != nil {
			return err
		}
		return a.term.Answer(answer, func() error { return a.printTables(answer) })
	})
}

func (a *commands) printTables(answer *assemble.SchemaAnswer) error {
	rows := make([][]string, len(answer.Results))
	for i := range answer.Results {
		t := &answer.Results[i]
		columns := make([]string, len(t.MatchedColumns))
		for j, c := range t.MatchedColumns {
			columns[j] = c.Name
		}
		rows[i] = []string{
			t.Table, string(t.ConnectionID), countText(t.RowCount), strconv.FormatFloat(t.Score, 'f', 3, 64),
			strings.Join(columns, ", "), strings.Join(t.Joins, ", "), aboutText(t.Description, t.Trust),
		}
	}
	if len(rows) > 0 {
		if err := a.term.NewTable([]string{"TABLE", "CONNECTION", "ROWS", "SCORE", "COLUMNS", "JOINS", "ABOUT"}, 2, 3).Rows(rows); err != nil {
			return err
		}
	}
	a.term.Notes(answer.Notes)
	if answer.NextCursor != nil {
		a.term.Infof("%d of %d tables; the next ones: --cursor %s", len(answer.Results), answer.Total, *answer.NextCursor)
	}
	return nil
}

// countText is a number of rows for people; "-" = not known.
func countText(n *int64) string {
	if n == nil {
		return "-"
	}
	return strconv.FormatInt(*n, 10)
}

// aboutText is a description, after its trust where nobody vouches for it.
func aboutText(description, trust string) string {
	if trust == "agent" || trust == "imported" {
		description = fmt.Sprintf("(%s) %s", trust, description)
	}
	return terminal.Cut(description, terminal.MaxAbout)
}
