package guide

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/savedquery/library"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/text/markdown"
)

// maxNear is how many near measures a prompt shows.
const maxNear = 5

// number is a measure or an approved query.
type number struct {
	measure *member
	query   *library.Item
}

// Number writes the prompt check_number: how a measure or an approved query is defined, how far it was tested, and
// which measures are near and differ.
// Errors: those of choose, of the semantic layer and of the saved queries.
func (g *Guide) Number(ctx context.Context, name string) (string, error) {
	all, choices, err := g.numbers(ctx)
	if err != nil {
		return "", err
	}
	n, err := choose("number", name, choices)
	if err != nil {
		return "", err
	}
	var out sheet
	out.end("\nCompare the number with this definition: its filter, its time, its unit, and the rows that it counts. If another measure fits the question better, say which and why.\n")
	if n.query != nil {
		writeQuery(&out, n.query)
		return out.String(), nil
	}
	disputes, err := g.disputes(ctx)
	if err != nil {
		return "", err
	}
	m := n.measure
	out.section("", "# Check "+markdown.Code(m.name())+" of connection "+string(m.connection), "", "This is what people wrote and reviewed.")
	out.section("Definition", append([]string{m.line()}, m.conditions()...)...)
	out.section("Tests", m.tests()...)
	out.section("Disputed", disputeLines(markdown.Code(m.name()), disputes.OfMember(string(m.connection), m.Targets(m.id, m.Member.Name)...))...)
	out.section("Near measures", m.near(all)...)
	return out.String(), nil
}

// Numbers completes the name of a measure or an approved query.
// Errors: those of Number.
func (g *Guide) Numbers(ctx context.Context, prefix string) ([]string, error) {
	_, choices, err := g.numbers(ctx)
	if err != nil {
		return nil, err
	}
	return begin(choices, prefix), nil
}

func (g *Guide) numbers(ctx context.Context) (all []*definition, choices []choice[number], err error) {
	if all, err = g.definitions(ctx); err != nil {
		return nil, nil, err
	}
	for _, d := range all {
		for i := range d.Measures {
			m := &member{d, &d.Measures[i]}
			choices = append(choices, choice[number]{d.connection, append([]string{m.name(), d.Measures[i].Name}, m.Member.Synonyms...), number{measure: m}})
		}
	}
	saved, err := g.approved(ctx)
	if err != nil {
		return nil, nil, err
	}
	for i := range saved {
		choices = append(choices, choice[number]{saved[i].Connection, []string{saved[i].Name}, number{query: &saved[i]}})
	}
	return all, choices, nil
}

// conditions says what a measure depends on beside its formula.
func (m member) conditions() (lines []string) {
	one := m.measure()
	if one == nil {
		return nil
	}
	if t := m.time(); t != "" {
		lines = append(lines, "- Its time is "+markdown.Code(t)+".")
	}
	if home := m.model.Source(one.Home); one.Kind == model.Simple && home.ID != model.Metrics {
		var key []string
		for _, f := range home.Grain {
			if f.Dimension != 0 {
				key = append(key, m.model.Dimension(f.Dimension).Name)
			}
		}
		if len(key) > 0 {
			lines = append(lines, "- It reads "+markdown.Code(home.Name)+", which has one row per "+markdown.Code(strings.Join(key, ", "))+".")
		}
	}
	if one.Broken != "" {
		lines = append(lines, "- It cannot be used as it is defined: run loam sl validate.")
	}
	return lines
}

// tests says when the measure was tested, and how its declarations can be.
func (m member) tests() (lines []string) {
	if v := m.Verified; v != nil {
		at := v.At
		if t, err := time.Parse(time.RFC3339, at); err == nil {
			at = t.UTC().Format(time.DateOnly)
		}
		words := map[string]string{"runs": "It ran", "equal": "It gave the numbers of another measure", "empty": "It ran and found no rows"}[v.Level]
		if words == "" {
			words = "It was not run"
		}
		lines = append(lines, fmt.Sprintf("- %s on %s.", words, at))
	} else {
		lines = append(lines, "- No test of it is recorded.")
	}
	return append(lines, fmt.Sprintf("- %s tests the keys and joins that it depends on.", markdown.Code("loam sl validate -c "+string(m.connection)+" --data")))
}

// near lists measures of the connection that may be meant instead: of the same expression, or with a word of the name.
func (m member) near(all []*definition) (lines []string) {
	own := m.measure()
	words := strings.FieldsFunc(strings.ToLower(m.Member.Name), func(r rune) bool { return r == '_' || r == ' ' || r == '"' })
	type near struct {
		line  string
		score int
	}
	var found []near
	for _, d := range all {
		for i := range d.Measures {
			o := member{d, &d.Measures[i]}
			if d.connection != m.connection || o.name() == m.name() {
				continue
			}
			score := 0
			for _, w := range words {
				if hasWord(strings.ReplaceAll(strings.ToLower(o.Member.Name), "_", " "), w) {
					score++
				}
			}
			if other := o.measure(); own != nil && other != nil && own.Agg == other.Agg && own.Expr != nil && other.Expr != nil && own.Expr.Value == other.Expr.Value && own.Home == other.Home {
				score += len(words) + 1
			}
			if score > 0 {
				found = append(found, near{o.line(), score})
			}
		}
	}
	slices.SortStableFunc(found, func(a, b near) int { return b.score - a.score })
	if len(found) > 0 {
		lines = append(lines, "This one: "+markdown.Code(m.Expr)+". They differ:")
	}
	for _, n := range found[:min(len(found), maxNear)] {
		lines = append(lines, n.line)
	}
	return lines
}

// writeQuery writes an approved query.
func writeQuery(out *sheet, item *library.Item) {
	q := item.Query
	out.section("", "# Check the approved query "+markdown.Code(item.Name)+" of connection "+string(item.Connection), "", "This is what people wrote and reviewed.")
	out.section("Definition", queryLine(*item))
	if q.Description != "" {
		out.section("", clip(q.Description))
	}
	if q.Constraints != "" {
		out.section("", "Constraints: "+clip(q.Constraints))
	}
	out.section("SQL", markdown.Block("sql", q.SQL))
}
