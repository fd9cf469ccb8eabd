package search

import (
	"context"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/console/markdown"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/discover"
)

const (
	// fewValues is how many columns with a value a search of all kinds shows, manyValues one of values alone.
	fewValues  = 5
	manyValues = 60
)

// values are the columns with a sampled value.
type values struct {
	Matches []value `json:"matches"`
	// More counts the columns that are left out.
	More int `json:"more,omitempty"`
	// Misses say why connections have none; only a search of values alone shows them.
	Misses []miss   `json:"misses,omitempty"`
	Notes  []string `json:"notes,omitempty"`
}

// value is a column that has the value.
type value struct {
	Connection string `json:"connectionId"`
	Table      string `json:"table"`
	Column     string `json:"column"`
	Value      string `json:"value"`
	// Distinct is how many values the column has; nil = not known.
	Distinct *int64 `json:"distinct,omitempty"`
	Href     string `json:"href"`
}

// miss says why a connection has no match.
type miss struct {
	Connection string `json:"connectionId"`
	Why        string `json:"why"`
	// Withheld are columns whose values are not kept, with the reason.
	Withheld []string `json:"withheld,omitempty"`
	More     int      `json:"more,omitempty"`
}

// values searches the sampled values. Withheld ones are never shown: the index has none.
func (p *pages) values(ctx context.Context, data *results, id connection.ID) error {
	found, err := p.Discover.Values(ctx, discover.ValuesRequest{Values: []string{data.Query}, Connection: id})
	if err != nil {
		return err
	}
	alone := data.Kind == valueKind
	most := fewValues
	if alone {
		most = manyValues
	}
	data.Values = &values{Matches: []value{}}
	for i := range found.Results {
		of := &found.Results[i]
		shown := of.Matches[:min(len(of.Matches), most)]
		data.Values.More += of.Total - len(shown)
		for _, m := range shown {
			data.Values.Matches = append(data.Values.Matches, value{
				Connection: string(m.ConnectionID), Table: markdown.Line(m.SourceName, maxID), Column: markdown.Line(m.ColumnName, maxID),
				Value: markdown.Line(m.MatchedValue, maxValue), Distinct: m.Cardinality, Href: page.Link("catalog", string(m.ConnectionID), "table", m.SourceName),
			})
		}
		if alone {
			data.Values.miss(of.Misses)
		}
	}
	if !alone {
		return nil
	}
	for _, n := range found.Notes {
		data.Values.Notes = append(data.Values.Notes, markdown.Line(n, 400))
	}
	return nil
}

func (v *values) miss(all []discover.ValueMiss) {
	for _, m := range all {
		one := miss{Connection: string(m.ConnectionID), Why: missed(m.Reason)}
		for _, w := range m.Withheld {
			one.Withheld = append(one.Withheld, markdown.Line(w.SourceName+"."+w.ColumnName+": "+w.Reason, maxID))
		}
		one.More = max(0, m.WithheldTotal-len(m.Withheld))
		v.Misses = append(v.Misses, one)
	}
}

// missed says in words why a connection has no match.
func missed(reason string) string {
	switch reason {
	case "value_not_in_sample":
		return "not among the sampled values"
	case "no_profile_artifact":
		return "its values were never sampled"
	case "no_candidate_columns":
		return "no column's values are kept"
	case "withheld":
		return "may be in columns whose values are not kept"
	}
	return reason
}
