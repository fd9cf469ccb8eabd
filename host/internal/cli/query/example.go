package query

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semanticquery"
	"github.com/loam-data/loam/host/internal/text"
)

// example is a query that runs: a plain measure by what most breaks it down; ""
// where none is found.
func example(ctx context.Context, services *Services, s *semanticquery.SourceAnswer) (string, error) {
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
	query := "loam sl query -c " + string(s.Connection) + " -m " + text.ShellWord(measure)
	if by != "" {
		request["dimensions"] = []string{by}
		query += " -b " + text.ShellWord(by)
	}
	body, err := json.Marshal(request)
	if err != nil {
		return "", err
	}
	if _, err := services.Semantic.Compile(ctx, semanticquery.Request{Connection: s.Connection, Body: body}); err != nil {
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
