package conform

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
)

// LoadCases reads the cases in the files name.sql and name.json at the top of a
// folder, in the order of their names.
// Errors: plain errors that name the file, as for a test.
func LoadCases(folder fs.FS) ([]Case, error) {
	statements, err := fs.Glob(folder, "*.sql")
	if err != nil {
		return nil, err
	}
	answers, err := fs.Glob(folder, "*.json")
	if err != nil {
		return nil, err
	}
	orphans := map[string]bool{}
	for _, file := range answers {
		orphans[file] = true
	}
	var cases []Case
	for _, file := range statements {
		name := strings.TrimSuffix(file, ".sql")
		c, err := loadCase(folder, name)
		if err != nil {
			return nil, err
		}
		delete(orphans, name+".json")
		cases = append(cases, c)
	}
	for file := range orphans {
		return nil, fmt.Errorf("%s has no statement: %s.sql is missing", file, strings.TrimSuffix(file, ".json"))
	}
	if len(cases) == 0 {
		return nil, fmt.Errorf("no *.sql with cases found")
	}
	return cases, nil
}

func loadCase(folder fs.FS, name string) (Case, error) {
	sql, err := fs.ReadFile(folder, name+".sql")
	if err != nil {
		return Case{}, err
	}
	raw, err := fs.ReadFile(folder, name+".json")
	if err != nil {
		return Case{}, fmt.Errorf("%s.sql has no answer: %w", name, err)
	}
	var answer struct {
		Columns  []Column `json:"columns"`
		Rows     [][]any  `json:"rows"`
		AnyOrder bool     `json:"any_order"`
		Error    *Failure `json:"error"`
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&answer); err != nil {
		return Case{}, fmt.Errorf("%s.json: %w", name, err)
	}
	c := Case{
		Name: name, SQL: strings.TrimSpace(string(sql)),
		Columns: answer.Columns, Rows: answer.Rows, AnyOrder: answer.AnyOrder, Error: answer.Error,
	}
	if err := c.check(); err != nil {
		return Case{}, fmt.Errorf("%s.json: %w", name, err)
	}
	return c, nil
}

// check finds what no answer could satisfy.
func (c *Case) check() error {
	if c.Error != nil {
		if c.Columns != nil || c.Rows != nil {
			return fmt.Errorf("an error and rows cannot both be the answer")
		}
		return nil
	}
	if c.Columns == nil {
		return fmt.Errorf("columns or error is missing")
	}
	for _, column := range c.Columns {
		if typeNamed(column.Type) == 0 {
			return fmt.Errorf("column %q has the unknown type %q", column.Name, column.Type)
		}
	}
	for i, row := range c.Rows {
		if len(row) != len(c.Columns) {
			return fmt.Errorf("row %d has %d cells for %d columns", i+1, len(row), len(c.Columns))
		}
	}
	return nil
}
