package savedquery

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/readonly"
)

// The checks of a query.
const (
	CheckPlaceholders = "placeholders"
	CheckDeclarations = "declarations"
	CheckGuardAll     = "guard_with_optional_parts"
	CheckGuardNone    = "guard_without_optional_parts"
	CheckDryRun       = "dry_run"
)

// Check is what one check found.
type Check struct {
	Check   string `json:"check"`
	OK      bool   `json:"ok"`
	Message string `json:"message"`
}

// Examine checks a query against a dialect, as far as that needs no engine.
// Shape: the template is nil when the placeholders cannot be read; later checks are left out then.
func Examine(q *Query, d *dialect.Dialect) ([]Check, *Template) {
	t, err := Read(q.SQL, d)
	if err != nil {
		return []Check{failed(CheckPlaceholders, err)}, nil
	}
	checks := []Check{{CheckPlaceholders, true, fmt.Sprintf("%d found outside comments, literals and quoted names", len(t.Placeholders))}}
	if err := q.matches(t); err != nil {
		return append(checks, failed(CheckDeclarations, err)), t
	}
	checks = append(checks, Check{CheckDeclarations, true, "each placeholder is declared, and each declaration has a placeholder"})
	for _, c := range []struct {
		name string
		all  bool
	}{{CheckGuardAll, true}, {CheckGuardNone, false}} {
		sql, err := q.Sample(t, d, c.all)
		if err == nil {
			err = readonly.Check(sql, d)
		}
		if err != nil {
			checks = append(checks, failed(c.name, err))
			continue
		}
		checks = append(checks, Check{c.name, true, "one statement that reads"})
	}
	return checks, t
}

func failed(name string, err error) Check {
	e := sdk.AsError(err, sdk.SourceCaller)
	message := e.Msg
	if e.Pos.Line > 0 {
		message = fmt.Sprintf("line %d, column %d: %s", e.Pos.Line, e.Pos.Column, message)
	}
	if e.Hint != "" {
		message += ": " + e.Hint
	}
	return Check{name, false, message}
}

// matches compares placeholders and declarations.
// Errors: KindInvalid.
func (q *Query) matches(t *Template) error {
	names := t.Names()
	for i := range q.Parameters {
		if p := &q.Parameters[i]; !slices.Contains(names, p.Name) {
			return invalid("the parameter %s is declared and has no placeholder", p.Name).WithHint("write {{%s}} where it is used, or leave it out of parameters", p.Name)
		}
	}
	for _, at := range t.Placeholders {
		p := q.Parameter(at.Name)
		var err *sdk.Error
		switch {
		case p == nil:
			err = invalid("the placeholder %s is not declared", at.Name).WithHint("add %s to parameters with its type", at.Name)
		case p.Type.List() && !at.Listed:
			err = invalid("the list %s stands outside IN ( )", at.Name).WithHint("write IN ({{%s}})", at.Name)
		case !at.Optional && !p.Required && p.Default == nil:
			err = invalid("%s is not required, has no default, and stands outside an optional part", at.Name).
				WithHint("set required: true or a default, or put the part between [[ and ]]")
		default:
			continue
		}
		err.Pos = at.Pos
		return err
	}
	return nil
}

// Sample returns the statement with values of the first example, the defaults, or ones of the type, with all optional
// parts or with none. It is for engines that describe a statement and never for running one: values are
// literals of the dialect.
// Errors: KindUnsupported for a value that the dialect cannot write.
func (q *Query) Sample(t *Template, d *dialect.Dialect, optional bool) (string, error) {
	printer := &expression.Printer{Dialect: d}
	return t.Write(func(string) bool { return optional }, func(name string) (string, error) {
		p := q.Parameter(name)
		if p == nil {
			return "", invalid("the placeholder %s is not declared", name).WithHint("add it to parameters")
		}
		value := p.sample()
		if len(q.Examples) > 0 && q.Examples[0][name] != nil {
			value = q.Examples[0][name]
		}
		value, err := p.Accept(value)
		if err != nil && p.Pattern != "" { // no text is known that matches
			value, err = samples[String], nil
		}
		if err != nil {
			return "", err
		}
		nodes, ok := literals(p.Type, value)
		if !ok {
			return "", invalid("no value of %s can be written", name).WithHint("give an example")
		}
		texts := make([]string, len(nodes))
		for i, n := range nodes {
			if texts[i], err = printer.Value(n); err != nil {
				return "", err
			}
		}
		return strings.Join(texts, ", "), nil
	})
}
