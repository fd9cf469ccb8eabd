package statement

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/semantic/plan"
)

// names are identifiers of one kind that are distinct in one place, in lower case.
type names map[string]bool

// unique returns the first of name, name_2, name_3, … that is neither among the
// names nor refused, and adds it.
func (w *writer) unique(in names, name string, refused func(string) bool) string {
	name = w.short(name)
	for i := 1; ; i++ {
		candidate := name
		if i > 1 {
			candidate = name + "_" + strconv.Itoa(i)
		}
		low := strings.ToLower(candidate)
		if !in[low] && (refused == nil || !refused(low)) {
			in[low] = true
			return candidate
		}
	}
}

// short cuts a name so that a number fits behind it.
func (w *writer) short(name string) string {
	most := w.d.MaxIdentifierBytes - len("_1000")
	if w.d.MaxIdentifierBytes == 0 || len(name) <= most {
		return name
	}
	for most > 0 && !utf8.RuneStart(name[most]) {
		most--
	}
	return name[:most]
}

// scope returns the aliases of one SELECT with all that is nested in it. None is
// called as a column of the result, for some engines look there first.
func (w *writer) scope() names { return names{} }

// fitting cuts the names of the result that the engine would cut or refuse.
func (w *writer) fitting(columns []plan.Column) []plan.Column {
	long := func(name string) bool { return w.d.MaxIdentifierBytes > 0 && len(name) > w.d.MaxIdentifierBytes }
	if !slices.ContainsFunc(columns, func(c plan.Column) bool { return long(c.Name) }) {
		return columns
	}
	all, in := slices.Clone(columns), names{}
	for _, c := range all {
		in[strings.ToLower(c.Name)] = true
	}
	for i := range all {
		if long(all[i].Name) {
			all[i].Name = w.unique(in, all[i].Name, nil)
		}
	}
	return all
}

func (w *writer) alias(in names, name string) string {
	return w.unique(in, name, func(low string) bool { return w.result[low] })
}

// table writes what a scan reads under an alias, which is left out where it is the
// table's own name.
func (w *writer) table(t plan.Table, alias string) string {
	if t.Query != "" {
		return "(" + t.Query + "\n) AS " + alias // a line comment may end it
	}
	parts := make([]string, len(t.Path))
	for i, p := range t.Path {
		parts[i] = w.quote(p)
	}
	text := strings.Join(parts, ".")
	if parts[len(parts)-1] == alias {
		return text
	}
	return text + " AS " + alias
}
