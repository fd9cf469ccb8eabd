package query

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/semanticquery"
)

func (a *commands) semanticListCommand() *cobra.Command {
	var id string
	var all bool
	cmd := &cobra.Command{
		Use:   "list [-c CONNECTION] [WORD]...",
		Short: "List the sources that can be asked",
		Long: `Lists the sources in the files of semantic-layer, with the numbers of their dimensions,
measures, segments and joins, and the metrics that belong to no source. Every scanned table
is a source too, which --all lists. WORDs select by the name, the description or the names
of members. Without -c, the sources of all connections are listed. No connector is started.`,
		Example: `  loam sl list
  loam sl list --all -c warehouse
  loam sl list revenue`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.open(cmd.Context(), func(services *Services) error {
				return a.listSources(cmd.Context(), services, semanticquery.ListingsRequest{
					Connection: connection.ID(id), Text: strings.Join(args, " "), All: all, Limit: noLimit,
				})
			})
		},
	}
	cmd.Flags().StringVarP(&id, "connection", "c", "", "only this connection (default: all)")
	cmd.Flags().BoolVar(&all, "all", false, "scanned tables without a file too")
	return cmd
}

func (a *commands) listSources(ctx context.Context, services *Services, r semanticquery.ListingsRequest) error {
	answer, err := services.Semantic.Listings(ctx, r)
	if err != nil {
		return err
	}
	if a.term.JSON {
		return a.term.Document(answer)
	}
	if len(answer.Connections) == 0 {
		a.term.Infof("no connections yet; add one: loam connection add ID CONNECTOR key=value…")
		return nil
	}
	return a.printSources(answer.Connections, r)
}

func (a *commands) printSources(answers []*semanticquery.ListAnswer, r semanticquery.ListingsRequest) error {
	t := a.term.NewTable([]string{"CONNECTION", "SOURCE", "DIMENSIONS", "MEASURES", "SEGMENTS", "JOINS", "FROM", "ABOUT"}, 2, 3, 4, 5)
	found := 0
	for _, answer := range answers {
		found += len(answer.Sources) + len(answer.Metrics)
		names := map[string]int{}
		for _, s := range answer.Sources {
			names[s.Name]++
		}
		for _, s := range answer.Sources {
			name := s.Name
			if names[name] > 1 {
				name = s.Identity
			}
			if err := t.Row([]string{
				string(answer.Connection), name, strconv.Itoa(s.Dimensions), strconv.Itoa(s.Measures), strconv.Itoa(s.Segments), strconv.Itoa(s.Joins),
				origin(s), about(s.Broken, s.Description),
			}); err != nil {
				return err
			}
		}
		for _, m := range answer.Metrics {
			if err := t.Row([]string{string(answer.Connection), m.Name, "", "", "", "", "metric, " + m.Kind, about(m.Broken, m.Description)}); err != nil {
				return err
			}
		}
	}
	if found > 0 {
		if err := t.Flush(); err != nil {
			return err
		}
	}
	for _, answer := range answers {
		a.term.Notes(answer.Notes)
	}
	switch {
	case found == 0 && r.Text != "":
		a.term.Infof("nothing is called %q", terminal.Escape(r.Text))
	case found == 0 && !r.All:
		a.term.Infof("no file defines a source; every scanned table is one: loam sl list --all")
	case !r.All:
		a.term.Infof("scanned tables without a file: loam sl list --all")
	}
	return nil
}

// origin says where a source is from: its file, else the table that was scanned.
func origin(s semanticquery.SourceLine) string {
	if s.File != "" {
		return s.File
	}
	return "table " + s.Table
}

// about is a description, or why a thing cannot be used.
func about(broken string, description *string) string {
	switch {
	case broken != "":
		return terminal.Cut("BROKEN: "+broken, terminal.MaxAbout)
	case description != nil:
		return terminal.Cut(*description, terminal.MaxAbout)
	}
	return ""
}
