package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// rows is an answer without the form that a server gives it: a map of the cells
// by column for each row, in JSON.
type rows []map[string]json.RawMessage

// differ says how the rows of two servers are different; "" = they are not.
func (r rows) differ(other rows) string {
	if len(r) != len(other) {
		return fmt.Sprintf("%d rows and %d", len(r), len(other))
	}
	for i, row := range r {
		if len(row) != len(other[i]) {
			return fmt.Sprintf("row %d: %d cells and %d", i+1, len(row), len(other[i]))
		}
		for name, cell := range row {
			if !bytes.Equal(cell, other[i][name]) {
				return fmt.Sprintf("row %d, %s: %s and %s", i+1, name, cell, other[i][name])
			}
		}
	}
	return ""
}

// texts are the texts of a tool's result.
func texts(result json.RawMessage) ([]string, error) {
	var r struct {
		Content []struct{ Text string }
	}
	if err := json.Unmarshal(result, &r); err != nil {
		return nil, err
	}
	if len(r.Content) == 0 {
		return nil, fmt.Errorf("no content in %.200s", result)
	}
	var all []string
	for _, c := range r.Content {
		all = append(all, c.Text)
	}
	return all, nil
}

// table reads what the product answers: its text is CSV, its structured content JSON.
func table(result json.RawMessage) (rows, error) {
	var t struct {
		StructuredContent struct {
			Headers []string
			Rows    [][]json.RawMessage
		}
	}
	if err := json.Unmarshal(result, &t); err != nil {
		return nil, err
	}
	if t.StructuredContent.Headers == nil {
		return nil, fmt.Errorf("no structured content in %.200s", result)
	}
	var out rows
	for _, cells := range t.StructuredContent.Rows {
		row := map[string]json.RawMessage{}
		for i, cell := range cells {
			row[t.StructuredContent.Headers[i]] = cell
		}
		out = append(out, row)
	}
	return out, nil
}

// statements reads what dbhub answers: a document for each statement.
func statements(result json.RawMessage) (rows, error) {
	all, err := texts(result)
	if err != nil {
		return nil, err
	}
	var d struct {
		Data struct{ Statements []struct{ Rows rows } }
	}
	if err := json.Unmarshal([]byte(all[0]), &d); err != nil {
		return nil, err
	}
	if len(d.Data.Statements) != 1 {
		return nil, fmt.Errorf("%d statements in %.200s", len(d.Data.Statements), all[0])
	}
	return d.Data.Statements[0].Rows, nil
}

// documents reads what MCP Toolbox answers: a text for each row.
func documents(result json.RawMessage) (rows, error) {
	all, err := texts(result)
	if err != nil {
		return nil, err
	}
	var out rows
	for text := range slices.Values(all) {
		row := map[string]json.RawMessage{}
		if err := json.Unmarshal([]byte(text), &row); err != nil {
			return nil, err
		}
		out = append(out, row)
	}
	return out, nil
}
