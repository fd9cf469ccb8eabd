package conform

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk"
)

// LoadCases reads the cases of a folder: one per pair of files name.sql and name.json, ordered by
// name. Subfolders and the files in except are ignored.
// Errors: errors without a kind that name the file; also for a file without its partner and for a
// folder without cases.
func LoadCases(folder fs.FS, except ...string) ([]Case, error) {
	statements, err := fs.Glob(folder, "*.sql")
	if err != nil {
		return nil, err
	}
	answers, err := fs.Glob(folder, "*.json")
	if err != nil {
		return nil, err
	}
	others := func(file string) bool { return slices.Contains(except, file) }
	statements, answers = slices.DeleteFunc(statements, others), slices.DeleteFunc(answers, others)
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
		Params   []any    `json:"params"`
		Error    *Failure `json:"error"`
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&answer); err != nil {
		return Case{}, fmt.Errorf("%s.json: %w", name, err)
	}
	params, err := parameters(answer.Params)
	if err != nil {
		return Case{}, fmt.Errorf("%s.json: params: %w", name, err)
	}
	c := Case{
		Name: name, Params: params, SQL: strings.TrimSpace(string(sql)),
		Columns: answer.Columns, Rows: answer.Rows, AnyOrder: answer.AnyOrder, Error: answer.Error,
	}
	if err := c.check(); err != nil {
		return Case{}, fmt.Errorf("%s.json: %w", name, err)
	}
	return c, nil
}

// parameters converts JSON values to statement parameters: whole numbers become int64, others float64.
func parameters(given []any) ([]sdk.Value, error) {
	var params []sdk.Value
	for _, v := range given {
		number, ok := v.(json.Number)
		if !ok {
			params = append(params, v)
			continue
		}
		if whole, err := number.Int64(); err == nil {
			params = append(params, whole)
			continue
		}
		double, err := number.Float64()
		if err != nil {
			return nil, err
		}
		params = append(params, double)
	}
	return params, nil
}

// check returns an error for a case that no answer can satisfy.
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
