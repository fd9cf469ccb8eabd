package reach

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// Exceptions are the objects that a connection allows, whatever they use.
// Concurrency: read-only.
type Exceptions struct{ names []string }

// NewExceptions returns the exceptions of allow_functions. An entry is a name ("f"), a name with
// its schema ("public.f"), one overload ("public.f(integer)"), or a prefix of qualified names
// ("public.st_*").
func NewExceptions(names []string) *Exceptions { return &Exceptions{names} }

// match reports whether an object is allowed. Names are compared exactly, or with fold without case.
func (e *Exceptions) match(o Object, fold bool) bool {
	return slices.ContainsFunc(e.names, func(name string) bool { return matches(name, o, fold) })
}

func matches(name string, o Object, fold bool) bool {
	equal := func(a, b string) bool { return a == b || fold && strings.EqualFold(a, b) }
	qualified := o.qualified()
	if prefix, ok := strings.CutSuffix(name, "*"); ok && prefix != "" {
		return len(qualified) >= len(prefix) && equal(prefix, qualified[:len(prefix)])
	}
	return equal(name, o.Name) || equal(name, qualified) || equal(name, qualified+"("+o.Args+")")
}

// Unmatched returns a warning for each exception that names none of the objects. fold compares
// names without case.
func (e *Exceptions) Unmatched(objects []Object, fold bool) []sdk.Diagnostic {
	var found []sdk.Diagnostic
	for _, name := range e.names {
		if !slices.ContainsFunc(objects, func(o Object) bool { return matches(name, o, fold) }) {
			found = append(found, Unmatched(AllowFunctions, name, allowable(objects, strings.Contains(name, "."))))
		}
	}
	return found
}

// Unmatched returns the warning for an entry of the configuration key that names no object; names
// are the existing ones, for suggestions.
func Unmatched(key, name string, names []string) sdk.Diagnostic {
	d := sdk.Diagnostic{Severity: sdk.SeverityWarning, Path: key, Summary: key + " names " + name + ", which is not there"}
	if nearest := sqlkit.Nearest(name, names); len(nearest) > 0 {
		d.Detail = "did you mean " + strings.Join(nearest, " or ") + "?"
		d.Summary += "; " + d.Detail
	}
	return d
}

// Unmatched returns a warning for each exception that names no object of the graph.
func (m *Map) Unmatched() []sdk.Diagnostic {
	return m.exceptions.Unmatched(m.objects, m.d.Folding == dialect.FoldInsensitive)
}

// allowable returns the names by which exceptions can name objects, sorted and without duplicates.
func allowable(objects []Object, qualified bool) []string {
	names := make([]string, 0, len(objects))
	for _, o := range objects {
		switch {
		case o.Kind.use() == unnamed || o.Kind.use() == symbol:
		case qualified:
			names = append(names, o.qualified())
		default:
			names = append(names, o.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
