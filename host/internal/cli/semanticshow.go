package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semanticquery"
)

func (a *app) semanticShowCommand() *cobra.Command {
	var id string
	var dimensions []string
	cmd := connectionFlag(&cobra.Command{
		Use:   "show [-c CONNECTION] SOURCE",
		Short: "Show what a source offers",
		Long: `Shows what a source offers: its measures and what each of them means, its dimensions,
segments and joins, the sources that its measures can be broken down by, what is wrong with
it, and a query that runs. SOURCE is a name of loam sl list, with its schema where that is
needed; "metrics" are the measures of no source. It answers what sl_read_source answers an
agent. No connector is started.`,
		Example: "  loam sl show orders",
		Args:    exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withRooms(cmd.Context(), func(rooms *Rooms) error {
				c, err := a.chooseScanned(cmd.Context(), rooms, id)
				if err != nil {
					return err
				}
				answer, err := rooms.Semantic.ReadSource(cmd.Context(), semanticquery.SourceRequest{
					Connection: c.ID, Name: args[0], Dimensions: dimensions, MaxChars: noLimit,
				})
				if err != nil {
					return err
				}
				if a.json {
					return a.document(answer)
				}
				try, err := example(cmd.Context(), rooms, answer)
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

func (a *app) printSource(s *semanticquery.SourceAnswer, try string) error {
	bold, dim := a.style(a.out, "1"), a.style(a.out, "2")
	fmt.Fprintf(a.out, "%s\n", bold(shown(cmp.Or(s.Identity, s.Name))))
	for _, text := range []*string{&s.Broken, s.Description} {
		if text != nil && *text != "" {
			if text == &s.Broken {
				fmt.Fprintf(a.out, "%s: ", a.severity(semanticquery.SeverityError))
			}
			fmt.Fprintf(a.out, "%s\n", shownText(*text))
		}
	}
	fmt.Fprintf(a.out, "%s\n", dim(shown(ground(s))))
	if s.SQL != "" {
		fmt.Fprintf(a.out, "%s\n", shownText(s.SQL))
	}
	for _, part := range []func(*semanticquery.SourceAnswer) error{a.printMeasures, a.printDimensions, a.printSegments, a.printJoins} {
		if err := part(s); err != nil {
			return err
		}
	}
	a.printReachable(s)
	if s.AIContext != nil && s.AIContext.Instructions != "" {
		fmt.Fprintf(a.out, "\n%s %s\n", bold("To know:"), shownText(s.AIContext.Instructions))
	}
	for i, p := range s.Problems {
		if i == 0 {
			fmt.Fprintf(a.out, "\n%s\n", bold("Problems"))
		}
		if err := a.printProblem(p); err != nil {
			return err
		}
	}
	if try != "" {
		fmt.Fprintf(a.out, "\n%s %s\n", bold("Try:"), shown(try))
	}
	a.notes(s.Notes)
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

// section prints a table under an empty line, or nothing.
func (a *app) section(headers []string, rows [][]string) error {
	if len(rows) == 0 {
		return nil
	}
	fmt.Fprintln(a.out)
	return a.table(headers, rows)
}

// described is what is said of a member, or why it cannot be used.
func described(d semanticquery.Described) string {
	if d.Broken != "" {
		return cut("BROKEN: "+d.Broken, maxAbout)
	}
	var parts []string
	for _, text := range []string{d.Label, d.Description} {
		if text != "" {
			parts = append(parts, text)
		}
	}
	if len(d.Synonyms) > 0 {
		parts = append(parts, "also: "+strings.Join(d.Synonyms, ", "))
	}
	if d.Internal {
		parts = append(parts, "internal")
	}
	return cut(strings.Join(parts, "; "), maxAbout)
}

func (a *app) printMeasures(s *semanticquery.SourceAnswer) error {
	rows := make([][]string, len(s.Measures))
	for i, m := range s.Measures {
		rows[i] = []string{m.Name, cmp.Or(m.Unit, m.Format), cut(meaning(m), maxMeaning), described(m.Described)}
	}
	return a.section([]string{"MEASURE", "UNIT", "IS", "ABOUT"}, rows)
}

// maxMeaning is how much of a definition a table shows.
const maxMeaning = 200

// meaning says in words what a measure is.
func meaning(m semanticquery.Measure) string {
	var b strings.Builder
	switch model.MeasureKind(m.Kind) {
	case model.Ratio:
		b.WriteString(m.Numerator + " / " + m.Denominator)
	case model.Derived:
		b.WriteString(m.Expr)
	case model.Cumulative:
		b.WriteString(m.Measure + " over " + m.Window)
		if m.GrainToDate != "" {
			b.Reset()
			b.WriteString(m.Measure + " since the " + m.GrainToDate + " began")
		}
	case model.TimeShift:
		b.WriteString(m.Measure + ", " + m.Offset + " earlier")
	case model.Share:
		b.WriteString(m.Measure + " as a part of its total")
		if len(m.Within) > 0 {
			b.WriteString(" within " + strings.Join(m.Within, ", "))
		}
	case model.Nested:
		b.WriteString(m.Agg + " over " + strings.Join(m.Per, ", ") + " of " + m.Measure)
	default:
		b.WriteString(aggregate(m))
	}
	if m.NonAdditive != nil {
		fmt.Fprintf(&b, ", at the %s %s", m.NonAdditive.Pick, m.NonAdditive.Dimension)
		if len(m.NonAdditive.Per) > 0 {
			b.WriteString(" per " + strings.Join(m.NonAdditive.Per, ", "))
		}
	}
	if m.Filter != "" {
		b.WriteString(", where " + m.Filter)
	}
	if len(m.Segments) > 0 {
		b.WriteString(", in " + strings.Join(m.Segments, ", "))
	}
	if m.Home != "" {
		b.WriteString(", over rows of " + m.Home)
	}
	if m.Default != nil {
		b.WriteString(", " + strconv.FormatFloat(*m.Default, 'g', -1, 64) + " for none")
	}
	return b.String()
}

// aggregate is a simple measure without its conditions.
func aggregate(m semanticquery.Measure) string {
	switch {
	case m.Agg == "":
		return m.Expr // in the engine's own SQL
	case m.Expr == "" && m.Agg == string(expression.Count):
		return "count of rows"
	case m.Expr == "":
		return m.Agg // broken
	case m.Parameter != "":
		return m.Agg + " " + m.Parameter + " of " + m.Expr
	}
	return m.Agg + " of " + m.Expr
}

func (a *app) printDimensions(s *semanticquery.SourceAnswer) error {
	rows := make([][]string, len(s.Dimensions))
	for i, d := range s.Dimensions {
		rows[i] = []string{d.Name, d.Type, cut(cmp.Or(d.Expr, strings.Join(d.Values, ", ")), maxMeaning), described(d.Described)}
	}
	return a.section([]string{"DIMENSION", "TYPE", "IS", "ABOUT"}, rows)
}

func (a *app) printSegments(s *semanticquery.SourceAnswer) error {
	rows := make([][]string, len(s.Segments))
	for i, d := range s.Segments {
		rows[i] = []string{d.Name, cut(d.Expr, maxMeaning), described(d.Described)}
	}
	return a.section([]string{"SEGMENT", "IS", "ABOUT"}, rows)
}

func (a *app) printJoins(s *semanticquery.SourceAnswer) error {
	rows := make([][]string, len(s.Joins))
	for i, j := range s.Joins {
		to := j.To
		if j.Name != j.To {
			to = j.Name + " (" + j.To + ")"
		}
		var marks []string
		for _, m := range []struct {
			holds bool
			word  string
		}{{j.Inferred, "inferred"}, {j.Reversed, "declared there"}, {j.Description != "", j.Description}} {
			if m.holds {
				marks = append(marks, m.word)
			}
		}
		rows[i] = []string{to, j.Relationship, cut(j.On, maxMeaning), described(semanticquery.Described{Description: strings.Join(marks, "; "), Broken: j.Broken})}
	}
	return a.section([]string{"JOIN", "LEADS", "ON", "ABOUT"}, rows)
}

// printReachable lists what stands before the names of further dimensions.
func (a *app) printReachable(s *semanticquery.SourceAnswer) {
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
	fmt.Fprintf(a.out, "\n%s %s\n", a.style(a.out, "1")("By dimensions of:"), shown(strings.Join(all, ", ")))
}

// example is a query that runs: a plain measure by what most breaks it down; ""
// where none is found.
func example(ctx context.Context, rooms *Rooms, s *semanticquery.SourceAnswer) (string, error) {
	plain := func(m semanticquery.Measure) bool {
		return m.Broken == "" && !m.Internal && m.Kind == string(model.Simple)
	}
	at := -1
	for _, better := range []func(semanticquery.Measure) bool{
		func(m semanticquery.Measure) bool { return m.Agg == "sum" },
		func(m semanticquery.Measure) bool { return m.Name != model.RowCount },
		func(semanticquery.Measure) bool { return true },
	} {
		if at < 0 {
			at = slices.IndexFunc(s.Measures, func(m semanticquery.Measure) bool { return plain(m) && better(m) })
		}
	}
	if at < 0 || s.Broken != "" {
		return "", nil
	}
	measure, by := (&expression.Name{Parts: []string{s.Name, s.Measures[at].Name}}).String(), exampleDimension(s)
	request := map[string][]string{"measures": {measure}}
	query := "loam sl query -c " + string(s.Connection) + " -m " + shellQuoted(measure)
	if by != "" {
		request["dimensions"] = []string{by}
		query += " -b " + shellQuoted(by)
	}
	body, err := json.Marshal(request)
	if err != nil {
		return "", err
	}
	if _, err := rooms.Semantic.Compile(ctx, semanticquery.Request{Connection: s.Connection, Body: body}); err != nil {
		return "", ctx.Err() // it is offered only if it runs
	}
	return query, nil
}

// exampleDimension is a text or a flag that tells groups apart, else a month.
func exampleDimension(s *semanticquery.SourceAnswer) string {
	month := ""
	for _, d := range s.Dimensions {
		name := (&expression.Name{Parts: []string{s.Name, d.Name}}).String()
		switch {
		case d.Broken != "" || d.Internal || slices.Contains(s.PrimaryKey, d.Name):
		case d.Type == "string" || d.Type == "boolean":
			return name
		case d.Type == "time" && month == "" && slices.Contains(d.Granularities, "month"):
			month = name + ".month"
		}
	}
	return month
}
