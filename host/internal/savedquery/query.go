// Package savedquery reads, writes and checks saved queries: SQL files with a block comment in front that
// declares the title, the parameters and the output in YAML. The package is pure: it opens no file and
// runs no statement.
package savedquery

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// Type is the type of a parameter.
type Type string

// The types. Each element of a list becomes a bound parameter; a list may only be used inside IN ( ).
const (
	String    Type = "string"
	Integer   Type = "integer"
	Decimal   Type = "decimal"
	Boolean   Type = "boolean"
	Date      Type = "date"
	Timestamp Type = "timestamp"
	UUID      Type = "uuid"
	Strings   Type = "string[]"
	Integers  Type = "integer[]"
)

var types = []Type{String, Integer, Decimal, Boolean, Date, Timestamp, UUID, Strings, Integers}

// Element returns the element type of a list, and any other type itself.
func (t Type) Element() Type {
	switch t {
	case Strings:
		return String
	case Integers:
		return Integer
	}
	return t
}

// List reports whether the type is a list.
func (t Type) List() bool { return t != t.Element() }

// Query is a saved query.
type Query struct {
	Title       string           `yaml:"title,omitempty"`
	Description string           `yaml:"description,omitempty"`
	Parameters  []Parameter      `yaml:"parameters,omitempty"`
	Output      []Column         `yaml:"output,omitempty"`
	Constraints string           `yaml:"constraints,omitempty"`
	Examples    []map[string]any `yaml:"examples,omitempty"`
	Tags        []string         `yaml:"tags,omitempty"`
	Reviewed    bool             `yaml:"reviewed"`
	// SQL is the text below the comment, without blank lines around it.
	SQL string `yaml:"-"`
}

// Parameter is a declared parameter. Default, Values, Minimum and Maximum are values that Accept accepts; nil = none.
// Minimum and Maximum are inclusive.
type Parameter struct {
	Name        string `yaml:"name" json:"name"`
	Type        Type   `yaml:"type" json:"type"`
	Description string `yaml:"description,omitempty" json:"description,omitempty"`
	Required    bool   `yaml:"required,omitempty" json:"required,omitempty"`
	Default     any    `yaml:"default,omitempty" json:"default,omitempty"`
	Values      []any  `yaml:"values,omitempty" json:"values,omitempty"`
	Minimum     any    `yaml:"minimum,omitempty" json:"minimum,omitempty"`
	Maximum     any    `yaml:"maximum,omitempty" json:"maximum,omitempty"`
	Pattern     string `yaml:"pattern,omitempty" json:"pattern,omitempty"` // RE2; must match the whole text
}

// Column is a declared column of the result.
type Column struct {
	Name string `yaml:"name" json:"name"`
	Type string `yaml:"type,omitempty" json:"type,omitempty"`
}

const (
	// MaxName is the longest name of a query, in bytes.
	MaxName = 80
	// MaxFile is the largest file and maxHeader its largest comment, in bytes.
	MaxFile, maxHeader = 256 << 10, 64 << 10
	// maxParameters bounds the declared parameters of a query.
	maxParameters = 100
	// maxColumns bounds its declared columns.
	maxColumns = 500
	// maxNesting bounds the levels of the YAML in the comment.
	maxNesting = 20
)

var (
	queryName     = text.Pattern(`^[a-z0-9]+(?:[-_][a-z0-9]+)*$`)
	parameterName = text.Pattern(`^[A-Za-z_][A-Za-z0-9_]{0,62}$`)
)

// CheckName returns an error for an invalid name of a saved query. Errors: KindInvalid.
func CheckName(name string) error {
	if len(name) > MaxName || !queryName().MatchString(name) {
		return invalid("the name is no slug of at most %d characters", MaxName).WithHint("use small letters, digits and dashes, such as top-hosts-by-revenue")
	}
	return nil
}

// validate checks the declarations and the examples. Errors: KindInvalid.
func (q *Query) validate() error {
	if len(q.Parameters) > maxParameters {
		return invalid("%d parameters are declared; the limit is %d", len(q.Parameters), maxParameters).WithHint("declare fewer parameters")
	}
	if len(q.Output) > maxColumns {
		return invalid("%d columns of the output are declared; the limit is %d", len(q.Output), maxColumns).WithHint("declare fewer columns")
	}
	seen := map[string]bool{}
	for i := range q.Parameters {
		p := &q.Parameters[i]
		switch {
		case !parameterName().MatchString(p.Name):
			return invalid("%q is no name of a parameter", p.Name).WithHint("use letters, digits and underscores")
		case seen[p.Name]:
			return invalid("the parameter %s is declared twice", p.Name).WithHint("declare it once")
		}
		seen[p.Name] = true
		if err := p.validate(); err != nil {
			return err
		}
	}
	for _, example := range q.Examples {
		if err := q.accepts(example); err != nil {
			return err
		}
	}
	return nil
}

// accepts checks an example: its values, and that no required parameter is missing.
func (q *Query) accepts(example map[string]any) error {
	for name, value := range example {
		p := q.Parameter(name)
		if p == nil {
			return invalid("the example has %s, which is no declared parameter", name).WithHint("declare it under parameters, or leave it out of the example")
		}
		if _, err := p.Accept(value); err != nil {
			return err
		}
	}
	for _, p := range q.Parameters {
		if _, given := example[p.Name]; p.Required && p.Default == nil && !given {
			return invalid("the example lacks %s, which is required", p.Name).WithHint("add %s to the example", p.Name)
		}
	}
	return nil
}

// Parameter returns the declared parameter with a name; nil = there is none.
func (q *Query) Parameter(name string) *Parameter {
	at := slices.IndexFunc(q.Parameters, func(p Parameter) bool { return p.Name == name })
	if at < 0 {
		return nil
	}
	return &q.Parameters[at]
}

func invalid(format string, args ...any) *sdk.Error {
	return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, format, args...)
}

// Declare sets Parameters and Output from decoded JSON; an empty list leaves the field unchanged. It does not validate
// them. Errors: KindInvalid for an unknown key or a wrong type.
func (q *Query) Declare(parameters, output []any) error {
	for _, d := range []struct {
		what string
		from []any
		into any
	}{{"parameters", parameters, &q.Parameters}, {"output", output, &q.Output}} {
		if len(d.from) == 0 {
			continue
		}
		text, err := json.Marshal(d.from)
		if err != nil {
			return err
		}
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(d.into); err != nil {
			return invalid("%s cannot be read: %w", d.what, err).WithHint("use name, type, description, required, default, values, minimum, maximum and pattern; of output name and type")
		}
	}
	return nil
}
