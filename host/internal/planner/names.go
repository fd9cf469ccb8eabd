package planner

import (
	"strings"
	"unicode"

	"github.com/loam-data/loam/host/internal/assertion"
	"github.com/loam-data/loam/host/internal/semantic/model"
)

// names tells the reader of sentences what words name in the model of a text. It looks each word up once: sentences
// repeat their words, and readers try several readings of each.
type names struct {
	work    *work
	tables  map[string]*model.Source
	columns map[phrase]string
	owners  map[string]string
	values  map[string]*spoken
}

// phrase is words about a table, or a value of a column.
type phrase struct{ of, words string }

// names returns the names of the connection; nil = there is no model.
func (w *work) names() assertion.Lexicon {
	if w.v.Model == nil {
		return nil
	}
	return &names{work: w, tables: map[string]*model.Source{}, columns: map[phrase]string{}, owners: map[string]string{}, values: map[string]*spoken{}}
}

func (n *names) one(words string) *model.Source {
	s, known := n.tables[words]
	if !known {
		if found := orSpelled(words, n.work.lexicon.sources); len(found) == 1 {
			s = found[0]
		}
		n.tables[words] = s
	}
	return s
}

// orSpelled finds what words name, else what they name with umlauts spelled out: "glaeser".
func orSpelled[T any](words string, find func(string) []T) []T {
	if found := find(words); len(found) > 0 || !strings.ContainsAny(words, "äöüßÄÖÜ") {
		return found
	}
	return find(spelledOut.Replace(strings.ToLower(words)))
}

// Table implements assertion.Lexicon.
func (n *names) Table(words string) string {
	if s := n.one(words); s != nil {
		return s.Identity
	}
	if n.work.lexicon.strange(words) || strings.ContainsAny(words, " _.") {
		return ""
	}
	return n.work.lexicon.heads[n.work.lexicon.key(words)]
}

// Column implements assertion.Lexicon.
func (n *names) Column(table, words string) string {
	at := phrase{table, words}
	column, known := n.columns[at]
	if !known {
		column = n.column(at)
		n.columns[at] = column
	}
	return column
}

func (n *names) column(at phrase) string {
	s, words := n.one(at.of), at.words
	if s == nil {
		return ""
	}
	if d := dimension(s, words); d != nil {
		return d.Name
	}
	found := orSpelled(words, func(words string) []*model.Dimension { return n.work.lexicon.dimensionsCalled(s, words) })
	if len(found) != 1 || strings.Contains(words, "_") && !strings.EqualFold(found[0].Name, words) { // nearly the name
		return ""
	}
	return found[0].Name
}

// Owner implements assertion.Lexicon.
func (n *names) Owner(column string) string {
	owner, known := n.owners[column]
	if !known {
		found := orSpelled(column, func(words string) []thing { return n.work.lexicon.mentioned(words, aDimension) })
		for _, it := range found {
			s := n.work.v.Model.Source(it.source)
			if dimension(s, it.name) == nil || owner != "" && owner != s.Identity {
				owner = ""
				break
			}
			owner = s.Identity
		}
		n.owners[column] = owner
	}
	return owner
}

// Value implements assertion.Lexicon.
func (n *names) Value(table, words string) (column, value string) {
	found := n.spoken(table).values[plain(words)]
	return found.of, found.words
}

// Flag implements assertion.Lexicon.
func (n *names) Flag(table, words string) string { return n.spoken(table).flags[plain(words)] }

// plain is how words for a value are compared: without regard to case, to umlauts and to what separates them.
func plain(words string) string {
	if strings.ContainsAny(words, "äöüßÄÖÜ") {
		words = spelledOut.Replace(strings.ToLower(words)) // "aufgelöst" of aufgeloest
	}
	if !strings.ContainsAny(words, " _-") {
		return strings.ToLower(words)
	}
	return strings.ToLower(strings.Join(strings.FieldsFunc(words, func(r rune) bool { return r == ' ' || r == '_' || r == '-' }), " "))
}

// spoken are the values and the flags of one table, by their plain words; those of several columns are none.
type spoken struct {
	values map[string]phrase
	flags  map[string]string
}

func (n *names) spoken(table string) *spoken {
	if known := n.values[table]; known != nil {
		return known
	}
	all := &spoken{values: map[string]phrase{}, flags: map[string]string{}}
	n.values[table] = all
	s := n.one(table)
	if s == nil {
		return all
	}
	f := &filter{work: n.work, s: s}
	for i := range s.Dimensions {
		d := &s.Dimensions[i]
		if d.Visibility != model.Public || d.Broken != "" || isPeriod(d) {
			continue
		}
		if d.Type == model.Boolean {
			for _, name := range []string{d.Name, flagged(d.Name)} {
				column := d.Name
				if other, twice := all.flags[plain(name)]; twice && other != d.Name {
					column = ""
				}
				all.flags[plain(name)] = column
			}
			continue
		}
		known, _ := f.work.values(s, d)
		for _, value := range known {
			at := phrase{d.Name, value}
			if other, twice := all.values[plain(value)]; twice && other != at {
				at = phrase{}
			}
			all.values[plain(value)] = at
		}
	}
	return all
}

// flagged is what a column says of rows: "test" for is_test and isTest, "aborted" for aborted_yn.
func flagged(column string) string {
	low := strings.ToLower(column)
	for _, mark := range []string{"is", "has", "was", "ist", "hat"} {
		rest, marked := strings.CutPrefix(low, mark+"_")
		if at := len(mark); !marked && len(column) > at && strings.HasPrefix(column, mark) && unicode.IsUpper(rune(column[at])) {
			rest, marked = low[at:], true
		}
		if marked {
			low = rest
			break
		}
	}
	for _, mark := range []string{"_flag", "_flg", "_yn", "_jn", "_ind", "_kz"} {
		if rest, marked := strings.CutSuffix(low, mark); marked {
			return rest
		}
	}
	return low
}
