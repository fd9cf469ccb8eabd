package oracle

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/request"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// File is a file of the model as it is written.
type File struct{ Path, Text string }

// Case is a model, its rows and a request.
type Case struct {
	Files   []File
	Tables  []*model.Table
	Data    Data
	Request request.Request
}

// Model builds the model of a case.
func (c *Case) Model(d *dialect.Dialect) *model.Model {
	in := model.Input{Dialect: d, Tables: c.Tables}
	for _, f := range c.Files {
		in.Files = append(in.Files, model.Parse(f.Path, []byte(f.Text)))
	}
	m := model.Build(in)
	return m.WithRepeats(c.repeats(m))
}

// repeats is what a scan sees of the columns that joins lead by.
func (c *Case) repeats(m *model.Model) model.Repeats {
	all := model.Repeats{}
	for ref, columns := range m.JoinedBy() {
		t := c.Data[ref.Name]
		if t == nil {
			continue
		}
		for _, name := range columns {
			at, seen := slices.Index(t.Columns, name), map[string]bool{}
			if at < 0 {
				continue // it is computed, or the table is another than the file says
			}
			for _, row := range t.Rows {
				key := FormatRow(row[at : at+1])
				if row[at] != nil && seen[key] {
					all[ref] = append(all[ref], name)
					break
				}
				seen[key] = true
			}
		}
	}
	return all
}

// ParseRequest reads a request in any form that one may be asked in.
func ParseRequest(text []byte) (request.Request, error) {
	r, _, err := request.Normalise(text)
	return r, err
}

// FormatRequest writes a request in its normal form.
func FormatRequest(r request.Request) string {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		panic(err) // texts and numbers only
	}
	return string(text)
}

var columnTypes = map[string]sdk.Type{
	"int": sdk.TypeInt64, "float": sdk.TypeFloat64, "decimal": sdk.TypeDecimal, "text": sdk.TypeText, "bool": sdk.TypeBool,
	"date": sdk.TypeDate, "timestamp": sdk.TypeTimestamp, "timestamptz": sdk.TypeTimestampTZ,
}

// FormatTables writes tables: a line with the name and the columns, "!" behind
// those of the primary key, ">customers.id" behind those of an enforced key, which
// are never NULL, "?customers.id" behind those of another; and a line per row. An empty line ends a table.
func FormatTables(tables []*model.Table, data Data) string {
	var b strings.Builder
	for _, t := range tables {
		b.WriteString(t.Ref.Name)
		for _, c := range t.Columns {
			b.WriteString(" " + c.Name + ":" + typeName(c.Type))
			if slices.Contains(t.PrimaryKey, c.Name) {
				b.WriteString("!")
			}
			b.WriteString(formatReference(t, c.Name))
		}
		b.WriteString("\n")
		for _, r := range data[t.Ref.Name].Rows {
			b.WriteString(FormatRow(r) + "\n")
		}
		b.WriteString("\n")
	}
	return b.String()
}

func typeName(t sdk.Type) string {
	for name, have := range columnTypes {
		if have == t {
			return name
		}
	}
	panic("no column of a case has the type " + t.String())
}

// FormatRow writes values between bars.
func FormatRow(values []any) string {
	texts := make([]string, len(values))
	for i, v := range values {
		switch v := v.(type) {
		case nil:
			texts[i] = "NULL"
		case float64:
			texts[i] = strconv.FormatFloat(v, 'g', -1, 64)
		default:
			texts[i] = fmt.Sprint(v)
		}
	}
	return strings.Join(texts, " | ")
}

// ParseTables reads what FormatTables writes.
func ParseTables(text string) (tables []*model.Table, data Data, err error) {
	data = Data{}
	var t *model.Table
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
			t = nil
		case t == nil:
			if t, err = parseHeader(line); err != nil {
				return nil, nil, err
			}
			tables = append(tables, t)
			rows := &Table{}
			for _, c := range t.Columns {
				rows.Columns = append(rows.Columns, c.Name)
			}
			data[t.Ref.Name] = rows
		default:
			row, err := parseRow(t, line)
			if err != nil {
				return nil, nil, err
			}
			data[t.Ref.Name].Rows = append(data[t.Ref.Name].Rows, row)
		}
	}
	return tables, data, nil
}

func parseHeader(line string) (*model.Table, error) {
	words := strings.Fields(line)
	t := &model.Table{Ref: sdk.TableRef{Name: words[0]}}
	for _, w := range words[1:] {
		name, typ, _ := strings.Cut(w, ":")
		typ, to, refers := cutReference(typ)
		typ, key := strings.CutSuffix(typ, "!")
		logical, ok := columnTypes[typ]
		if !ok {
			return nil, fmt.Errorf("%s: there is no type %s", line, typ)
		}
		t.Columns = append(t.Columns, model.Column{Name: name, Type: logical, NotNull: refers == ">"})
		if refers != "" {
			parseReference(t, name, to, refers == ">")
		}
		if key {
			t.PrimaryKey = append(t.PrimaryKey, name)
		}
	}
	return t, nil
}

func parseRow(t *model.Table, line string) ([]any, error) {
	texts := strings.Split(line, "|")
	if len(texts) != len(t.Columns) {
		return nil, fmt.Errorf("%s has %d columns, not %d: %s", t.Ref.Name, len(t.Columns), len(texts), line)
	}
	row := make([]any, len(texts))
	for i, s := range texts {
		v, err := parseValue(t.Columns[i].Type, strings.TrimSpace(s))
		if err != nil {
			return nil, err
		}
		row[i] = v
	}
	return row, nil
}

func parseValue(t sdk.Type, s string) (any, error) {
	switch {
	case s == "NULL":
		return nil, nil
	case t == sdk.TypeInt64 || t == sdk.TypeFloat64 || t == sdk.TypeDecimal:
		return strconv.ParseFloat(s, 64)
	case t == sdk.TypeBool:
		return strconv.ParseBool(s)
	}
	return s, nil
}
