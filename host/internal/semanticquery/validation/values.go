package validation

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/loam-data/loam/host/internal/scan/privacy"
	"github.com/loam-data/loam/host/internal/semantic/binding"
	"github.com/loam-data/loam/host/internal/semantic/claim"
	"github.com/loam-data/loam/host/internal/semantic/compile"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/request"
)

// maxMissing is how many values are looked for that a list lacks.
const maxMissing = 20

// maxExamples is how many of them a check names.
const maxExamples = 5

// valuesTasks compares lists of values with the data: filters on what a list lacks
// are refused.
func (v *validation) valuesTasks(s *model.Source, w *withheld) (all []*task) {
	if s.Broken != "" {
		return nil
	}
	for i := range s.Dimensions {
		d := &s.Dimensions[i]
		if len(d.Values) == 0 || d.Broken != "" || d.Visibility == model.Hidden {
			continue
		}
		ref := v.reference(s, d.Name)
		r := request.Request{
			Dimensions: []request.Dimension{{Field: ref}},
			Filters:    []request.Filter{{Field: ref, Op: request.OpNotIn, Values: listed(d)}, {Field: ref, Op: request.OpIsNotNull}},
			Limit:      maxMissing + 1,
		}
		t := &task{label: "the values of " + s.Name + "." + d.Name, blank: Check{
			Kind: CheckValues, Source: s.Name, Columns: []string{d.Name}, File: binding.File(v.warehouse.ID, s.File), Line: int(d.Pos.Line),
		}}
		show := w.showable(s.ID, []model.Field{{Dimension: d.ID}})
		t.ask = func(ctx context.Context) ([]Check, error) {
			q, err := compile.Compile(v.state.Model, v.dialect, r, compile.Options{Now: v.config.Now(), Ended: ctx.Err})
			if err != nil {
				return nil, err
			}
			t.blank.SQL = q.SQL
			check, err := v.askValues(ctx, t.blank, show)
			return []Check{check}, err
		}
		all = append(all, t)
	}
	return all
}

// listed are a dimension's values as a filter has them.
func listed(d *model.Dimension) (all []any) {
	for _, text := range d.Values {
		switch {
		case d.Type == model.Number:
			all = append(all, json.Number(text))
		case d.Type == model.Boolean:
			all = append(all, strings.EqualFold(text, "true"))
		default:
			all = append(all, text)
		}
	}
	return all
}

func (v *validation) askValues(ctx context.Context, c Check, show bool) (Check, error) {
	err := v.query(ctx, &c, maxMissing+1, func(cells [][]byte) error {
		c.Violations++
		if text := claim.Text(cells[0]); show && len(c.Examples) < maxExamples && privacy.Sensitive(text) == "" {
			c.Examples = append(c.Examples, text)
		}
		return nil
	})
	if err != nil {
		return c, err
	}
	name := c.Source + "." + c.Columns[0]
	if c.Violations == 0 {
		c.Status, c.Message = CheckOK, "The list of values of "+name+" is complete."
		return c, nil
	}
	many := plural(int(c.Violations), "value")
	if c.Violations > maxMissing {
		many = fmt.Sprintf("more than %d values", maxMissing)
	}
	c.Status, c.Severity = CheckViolated, binding.SeverityWarning
	c.Message = fmt.Sprintf("The data has %s of %s that its list of values lacks: filters on them are refused. Add them to values, or leave values out.", many, name)
	return c, nil
}
