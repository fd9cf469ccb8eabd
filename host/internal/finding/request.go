package finding

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/statement"
)

// slRequest is a request to the semantic layer.
type slRequest struct {
	Connection string   `json:"connection_id"`
	Measures   []string `json:"measures"`
	Dimensions []string `json:"dimensions,omitempty"`
	Filters    []string `json:"filters,omitempty"`
}

// request returns the request for a measure that answers the statement; false = the statement
// has conditions or groups that a request has not.
func (a *asked) request(s *model.Source, m *model.Measure, filters []string) (json.RawMessage, bool) {
	r := slRequest{Connection: string(a.warehouse.ID), Measures: []string{s.Name + "." + m.Name}}
	for _, c := range a.where {
		if len(a.block.Groups) == 0 && slices.Contains(filters, c.canon) {
			continue // in a request with groups, those that the measure's own filter empties would be there too
		}
		text, ok := a.renamed(s, c.expr)
		if !ok {
			return nil, false
		}
		r.Filters = append(r.Filters, text)
	}
	for _, g := range a.block.Groups {
		name, ok := a.dimension(s, a.grouped(g))
		if !ok {
			return nil, false
		}
		r.Dimensions = append(r.Dimensions, name)
	}
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false) // it is read by people
	err := encoder.Encode(r)
	return bytes.TrimSpace(body.Bytes()), err == nil
}

// grouped returns the expression of a group, which may be written as the number or the name of
// an item.
func (a *asked) grouped(g *statement.Expr) *statement.Expr {
	if g.Kind == statement.Value && g.Literal.Kind == statement.Number {
		if n, err := strconv.Atoi(g.Literal.Text); err == nil && n >= 1 && n <= len(a.block.Items) {
			return a.block.Items[n-1].Expr
		}
	}
	if g.Kind == statement.Ref && g.Column == nil && len(g.Name) == 1 {
		for _, item := range a.block.Items {
			if strings.EqualFold(item.Alias.Text, g.Name[0].Text) {
				return item.Expr
			}
		}
	}
	return g
}

// dimension returns the reference of a column.
func (a *asked) dimension(s *model.Source, e *statement.Expr) (string, bool) {
	if e == nil || e.Kind != statement.Ref || e.Column == nil || e.Column.Nested || e.Column.Through || a.tables[e.Column.Table] == nil {
		return "", false
	}
	of := a.tables[e.Column.Table].source
	for i := range of.Dimensions {
		d := &of.Dimensions[i]
		if d.Column == e.Column.Name && d.Expr == nil && d.Broken == "" && d.Visibility == model.Public && a.reached(s, model.Ref{Source: of.ID}) != nil {
			return member(of.Name) + "." + member(d.Name), true
		}
	}
	return "", false
}

// member returns a name as a reference has it.
func member(name string) string {
	for i, c := range []byte(name) {
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
		}
	}
	return name
}

// renamed returns a condition with the references of the source in place of columns.
func (a *asked) renamed(s *model.Source, e *statement.Expr) (string, bool) {
	var b strings.Builder
	at := e.Start
	for _, ref := range refsOf(e) {
		name, ok := a.dimension(s, ref)
		if !ok || ref.Start < at {
			return "", false
		}
		b.WriteString(a.statement.Text[at:ref.Start])
		b.WriteString(name)
		at = ref.End
	}
	b.WriteString(a.statement.Text[at:e.End])
	return b.String(), true
}
