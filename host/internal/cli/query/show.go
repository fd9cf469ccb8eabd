package query

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/semantic/binding"
	"github.com/loam-data/loam/host/internal/semanticquery"
)

func (a *commands) semanticShowCommand() *cobra.Command {
	var id string
	var dimensions []string
	cmd := command.ConnectionFlag(&cobra.Command{
		Use:   "show [-c CONNECTION] SOURCE",
		Short: "Show what a source offers",
		Long: `Describes a source: its measures with their definitions, its dimensions, segments and joins,
the sources by whose dimensions its measures can be grouped, its problems, and a query that
works. SOURCE is a name of loam sl list, with its schema where that is needed; "metrics" are
the measures of no source. It returns the same as the tool sl_read_source, and for each part
the layer, file and line that define it, and the definitions that it overrides: a scanned
table, files of imported, files of _memory, a person's file. No connector is started.`,
		Example: "  loam sl show orders",
		Args:    command.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.open(cmd.Context(), func(services *Services) error {
				answer, err := services.Semantic.ReadSource(cmd.Context(), semanticquery.SourceRequest{
					Connection: connection.ID(id), Name: args[0], Dimensions: dimensions, MaxChars: noLimit, Origins: true,
				})
				if err != nil {
					return err
				}
				if a.term.JSON {
					return a.term.Document(answer)
				}
				try, err := example(cmd.Context(), services, answer)
				if err != nil {
					return err
				}
				return a.printSource(answer, try)
			})
		},
	}, &id)
	cmd.Flags().StringArrayVar(&dimensions, "dimension", nil, "only these dimensions; may be given several times")
	return cmd
}

func (a *commands) printSource(s *semanticquery.SourceAnswer, try string) error {
	bold, dim := a.term.Style(a.term.Out, "1"), a.term.Style(a.term.Out, "2")
	fmt.Fprintf(a.term.Out, "%s\n", bold(terminal.Escape(cmp.Or(s.Identity, s.Name))))
	for _, text := range []*string{&s.Broken, s.Description} {
		if text != nil && *text != "" {
			if text == &s.Broken {
				fmt.Fprintf(a.term.Out, "%s: ", a.severity(binding.SeverityError))
			}
			fmt.Fprintf(a.term.Out, "%s\n", terminal.EscapeText(*text))
		}
	}
	fmt.Fprintf(a.term.Out, "%s\n", dim(terminal.Escape(ground(s))))
	if s.SQL != "" {
		fmt.Fprintf(a.term.Out, "%s\n", terminal.EscapeText(s.SQL))
	}
	for _, part := range []func(*semanticquery.SourceAnswer) error{a.printMeasures, a.printDimensions, a.printSegments, a.printJoins} {
		if err := part(s); err != nil {
			return err
		}
	}
	a.printReachable(s)
	if err := a.printOrigins(s); err != nil {
		return err
	}
	if s.AIContext != nil && s.AIContext.Instructions != "" {
		fmt.Fprintf(a.term.Out, "\n%s %s\n", bold("To know:"), terminal.EscapeText(s.AIContext.Instructions))
	}
	for i, p := range s.Problems {
		if i == 0 {
			fmt.Fprintf(a.term.Out, "\n%s\n", bold("Problems"))
		}
		if err := a.printProblem(p); err != nil {
			return err
		}
	}
	if try != "" {
		fmt.Fprintf(a.term.Out, "\n%s %s\n", bold("Try:"), terminal.Escape(try))
	}
	a.term.Notes(s.Notes)
	return nil
}

// ground says what the rows of a source are and what tells them apart.
func ground(s *semanticquery.SourceAnswer) string {
	var parts []string
	if s.Table != "" {
		parts = append(parts, "table "+s.Table)
	}
	switch {
	case s.File != "" && s.Line > 0:
		parts = append(parts, s.File+":"+strconv.Itoa(s.Line))
	case s.File != "":
		parts = append(parts, s.File)
	default:
		parts = append(parts, "from a scan")
	}
	key := "no primary key is known"
	if len(s.PrimaryKey) > 0 {
		key = "primary key " + strings.Join(s.PrimaryKey, ", ")
	}
	if s.Table != "" || s.SQL != "" {
		parts = append(parts, key)
	}
	if s.DefaultTimeDimension != nil {
		parts = append(parts, "time ranges mean "+*s.DefaultTimeDimension)
	}
	return strings.Join(parts, "; ")
}

// printReachable lists what stands before the names of further dimensions.
func (a *commands) printReachable(s *semanticquery.SourceAnswer) {
	var all []string
	for _, r := range s.Reachable {
		all = append(all, cmp.Or(r.Reference, r.Source+" via "+strings.Join(r.Via, ", ")))
	}
	if len(all) == 0 {
		return
	}
	slices.Sort(all)
	if s.ReachableTruncated {
		all = append(all, "…")
	}
	fmt.Fprintf(a.term.Out, "\n%s %s\n", a.term.Style(a.term.Out, "1")("By dimensions of:"), terminal.Escape(strings.Join(all, ", ")))
}

// printOrigins says where the parts of a source are from that files define or change.
func (a *commands) printOrigins(s *semanticquery.SourceAnswer) error {
	var rows [][]string
	for _, o := range s.Origins {
		if o.File == "" {
			continue
		}
		var hidden []string
		for _, h := range o.Hides {
			hidden = append(hidden, origination(h))
		}
		rows = append(rows, []string{o.Kind, terminal.Cut(o.Name, terminal.MaxCellWidth), o.Layer, origination(o.Place), strings.Join(hidden, ", ")})
	}
	return a.term.Section([]string{"PART", "NAME", "LAYER", "FROM", "HIDES"}, rows)
}

// origination is a place as editors and people find it.
func origination(p semanticquery.Place) string {
	switch {
	case p.File == "":
		return "the scan"
	case p.Line == 0:
		return p.File
	}
	return p.File + ":" + strconv.Itoa(p.Line)
}
