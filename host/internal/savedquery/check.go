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

// The checks of a query. Examine does all but CheckDryRun, which needs an engine.
const (
	CheckPlaceholders = "placeholders"
	CheckDeclarations = "declarations"
	CheckGuardAll     = "guard_with_optional_parts"
	CheckGuardNone    = "guard_without_optional_parts"
	CheckDryRun       = "dry_run"
)

// Check is the result of one check.
type Check struct {
	Check   string `json:"check"`
	OK      bool   `json:"ok"`
	Message string `json:"message"`
}

// Examine checks a query against a dialect, without an engine.
// Shape: one Check each, in the order of the constants. When the placeholders or the declarations fail, later checks are
// left out; the template is nil only when the placeholders cannot be read.
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

// matches compares placeholders with declarations.
// Errors: KindInvalid, with the position of the placeholder.
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

// Sample returns the statement with sample values as literals: those of the first example, else the defaults, else a
// value of the type; and with all optional parts or with none. The result is for checks and for engines to describe,
// never to run.
// Errors: KindInvalid; KindUnsupported for a value that the dialect cannot write.
func (q *Query) Sample(t *Template, d *dialect.Dialect, optional bool) (string, error) {
	return q.written(t, d, func(string) bool { return optional }, func(p *Parameter) (any, error) {
		value := p.sample()
		if len(q.Examples) > 0 && q.Examples[0][p.Name] != nil {
			value = q.Examples[0][p.Name]
		}
		value, err := p.Accept(value)
		if err != nil && p.Pattern != "" { // no matching text is known
			return samples[String], nil
		}
		return value, err
	})
}

// Literal returns the statement of Bind with literals instead of bound values. The result is for readers of
// statements, never to run.
// Errors: those of Sample.
func (q *Query) Literal(t *Template, d *dialect.Dialect, b *Bound) (string, error) {
	return q.written(t, d, func(name string) bool { _, has := b.Values[name]; return has }, func(p *Parameter) (any, error) {
		return b.Values[p.Name], nil
	})
}

// written writes the statement with the literals of values.
func (q *Query) written(t *Template, d *dialect.Dialect, given func(string) bool, valueOf func(*Parameter) (any, error)) (string, error) {
	printer := &expression.Printer{Dialect: d}
	return t.Write(given, func(name string) (string, error) {
		p := q.Parameter(name)
		if p == nil {
			return "", invalid("the placeholder %s is not declared", name).WithHint("add it to parameters")
		}
		value, err := valueOf(p)
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
