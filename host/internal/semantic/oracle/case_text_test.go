package oracle

import (
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// Source returns the case as text: a txtar archive with model/…yaml, tables and request,
// which ParseCase reads back.
func (c *Case) Source() string {
	a := &txtar.Archive{}
	add := func(name, text string) {
		a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(strings.TrimRight(text, "\n") + "\n")})
	}
	for _, f := range c.Files {
		add("model/"+f.Path, f.Text)
	}
	add("tables", FormatTables(c.Tables, c.Data))
	add("request", FormatRequest(c.Request))
	return string(txtar.Format(a))
}

// ParseCase reads a case. Errors: of what is not as Source writes it.
func ParseCase(text string) (*Case, error) {
	c := &Case{}
	for _, f := range txtar.Parse([]byte(text)).Files {
		var err error
		switch path, isModel := strings.CutPrefix(f.Name, "model/"); {
		case isModel:
			c.Files = append(c.Files, File{path, string(f.Data)})
		case f.Name == "tables":
			c.Tables, c.Data, err = ParseTables(string(f.Data))
		case f.Name == "request":
			c.Request, err = ParseRequest(f.Data)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return c, nil
}
