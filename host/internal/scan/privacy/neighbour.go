package privacy

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk"
)

const (
	// maxKinds is how many different names a column has that says what its
	// neighbour's value is.
	maxKinds = 300
	maxKind  = 64 // bytes of one
)

// namers and valuers are how the two columns of a table of names and values are
// called: attribute and value, meta_key and meta_value.
var (
	namers  = set(`key attr attribute attribut atributo property prop name field setting param parameter option variable tag meta type kind typ art merkmal eigenschaft feld schlüssel einstellung champ propriété propriedad propiedad clé clave campo tipo code question`)
	valuers = set(`value val wert inhalt content data datum text valeur contenu valor contenido dato string str answer antwort`)
)

// byNeighbour says of columns of values of many kinds, each named in a column
// beside it, that some of these names are telling: attr = 'password'.
func byNeighbour(columns []*column) map[int]string {
	reasons := map[int]string{}
	for i, names := range columns {
		what, several := names.kinds()
		if what == "" {
			continue
		}
		isNamer := names.called(namers)
		for j, values := range columns {
			if j == i || !values.mixed() {
				continue
			}
			if isNamer && values.called(valuers) || several && (isNamer || values.called(valuers) || len(columns) <= narrow) {
				reasons[j] = "its table keeps values of many kinds, and " + names.stats.Column + " names " + what + " among them"
			}
		}
	}
	return reasons
}

// narrow is how many columns a table has at most whose columns of names and values
// are told without telling names of their own.
const narrow = 5

func (c *column) called(list vocabulary) bool {
	return len(c.words) > 0 && list.has(c.words[len(c.words)-1])
}

// mixed reports whether a column may hold values of many kinds.
func (c *column) mixed() bool {
	return !c.key && (c.typ == sdk.TypeText || c.typ == sdk.TypeJSON || c.typ == sdk.TypeUnspecified)
}

// kinds returns what one of a column's values names that is personal or secret, if
// they are names of things at all; several says that a secret or papers or two
// different matters are.
func (c *column) kinds() (what string, several bool) {
	s := c.stats
	if c.typ != sdk.TypeText || len(s.Values) < 2 || len(s.Values) > maxKinds {
		return "", false
	}
	if rows := s.Rows - s.Nulls; s.Distinct > 20 && rows > 0 && 2*s.Distinct > rows { // a text of its own in each row
		return "", false
	}
	for _, v := range s.Values {
		if v == "" || len(v) > maxKind || strings.ContainsAny(v, "@=!?;{}") {
			continue
		}
		found := named(c.split(v), nil, sdk.TypeText)
		switch {
		case found == "":
		case what == "":
			what, several = found, slices.Contains([]string{"a password", "a secret", "an account or card", "a number of a person's papers"}, found)
		case found != what:
			several = true
		}
	}
	return what, several
}
