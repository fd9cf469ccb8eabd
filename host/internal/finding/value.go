package finding

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/statement"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/sqlkit"
)

const (
	// maxShown bounds the values that a suggestion lists, maxWord a value in characters.
	maxShown = 8
	maxWord  = 60
)

// values compares the literals of a statement with the types and the values of the columns.
func (r *reading) values() {
	for _, b := range r.statement.Blocks {
		for i := range b.Conditions {
			c := &b.Conditions[i]
			t, column := r.schema.column(c.Column)
			if t == nil || r.full() || r.mismatch(c, t, column) {
				continue
			}
			switch c.Operator {
			case "=", "<>", "IN", "<=>":
				r.absent(c, t, column)
			}
		}
	}
}

// absent reports the literals that are not among the values of their column.
func (r *reading) absent(c *statement.Condition, t *table, column *sdk.Column) {
	if column.Type != sdk.TypeInt64 && !isText(column) {
		return
	}
	var values *values
	for _, v := range c.Values {
		if r.full() {
			return
		}
		if !v.Sure || v.Kind != statement.String && v.Kind != statement.Number || column.Type == sdk.TypeText && v.Kind == statement.Number {
			continue
		}
		if values == nil {
			if values = t.values(column.Name, r.warehouse.Scan); values == nil || column.Type == sdk.TypeInt64 && !values.repeated {
				return
			}
		}
		written := strings.TrimRight(v.Text, " ")
		if column.Type == sdk.TypeInt64 {
			if written = integer(v.Text); written == "" {
				continue
			}
		}
		if values.exact[written] || r.mayEqual(values, written) {
			continue
		}
		r.add(Finding{
			Code:       ValueNotFound,
			Message:    fmt.Sprintf("%s has no value %s.", t.name(column.Name), literal(v)),
			Evidence:   fmt.Sprintf("The scan of %s found all %s of the column.", t.scanned(), counted(len(values.all), "value")),
			Suggestion: nearest(values.all, written),
		}, v.At)
	}
}

// textTypes are parts of the names of types whose values are compared as they are written.
var textTypes = []string{"char", "text", "string", "clob", "enum"}

// isText reports whether a column has texts: the logical type is also that of native types
// without one, which have several spellings of a value.
func isText(c *sdk.Column) bool {
	native := strings.ToLower(c.NativeType)
	return c.Type == sdk.TypeText && slices.ContainsFunc(textTypes, func(part string) bool { return strings.Contains(native, part) })
}

// mayEqual reports whether the engine may take a text for one of the values that differs from
// it in case or accents. A statement that returned nothing shows that it did not.
func (r *reading) mayEqual(values *values, written string) bool {
	return !r.empty && !caseMatters(r.schema.dialect) && values.like(written)
}

// caseMatters reports whether an engine compares texts with case: whether its plain LIKE does.
func caseMatters(d *dialect.Dialect) bool {
	like := d.Forms[dialect.Like]
	return like != "" && !strings.Contains(strings.ToUpper(like), "COLLATE")
}

// plain returns a text without case and accents.
func plain(s string) string {
	var b strings.Builder
	for _, c := range norm.NFKD.String(strings.ReplaceAll(strings.ToLower(s), "ß", "ss")) {
		if !unicode.Is(unicode.Mn, c) {
			b.WriteRune(c)
		}
	}
	return b.String()
}

// integer returns a literal as an integer without leading zeros; "" = it is none.
func integer(text string) string {
	text = strings.TrimSpace(text)
	sign := ""
	if rest, negative := strings.CutPrefix(text, "-"); negative {
		sign, text = "-", rest
	}
	if text == "" || strings.Trim(text, "0123456789") != "" {
		return ""
	}
	if text = strings.TrimLeft(text, "0"); text == "" {
		return "0"
	}
	return sign + text
}

// nearest suggests values for one that does not exist.
func nearest(values []string, written string) string {
	for _, v := range values {
		if strings.EqualFold(v, written) {
			return "Write " + quote(v) + "."
		}
	}
	near := sqlkit.Nearest(strings.ToLower(written), values)
	if one := beginning(values, written); len(near) == 0 && one != "" {
		near = []string{one}
	}
	if len(near) > 0 {
		return "Write " + list(near, "or") + "."
	}
	shown := values[:min(maxShown, len(values))]
	if len(shown) < len(values) {
		return fmt.Sprintf("Its %d values begin with %s.", len(values), list(shown, "and"))
	}
	return "Its values are " + list(shown, "and") + "."
}

// leastBeginning is how many characters a misspelt value must have in common with the only
// value that begins alike.
const leastBeginning = 2

// beginning returns the only value that begins with half of a text: paid for payed, shipped for
// shipment; "" = none, or several.
func beginning(values []string, written string) (found string) {
	word := []rune(strings.ToLower(written))
	for _, v := range values {
		n := 0
		for _, c := range strings.ToLower(v) {
			if n == len(word) || word[n] != c {
				break
			}
			n++
		}
		if n < leastBeginning || 2*n < len(word)-1 {
			continue
		}
		if found != "" {
			return ""
		}
		found = v
	}
	return found
}

// list returns values as a part of a sentence.
func list(values []string, last string) string {
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = quote(v)
	}
	if n := len(quoted); n > 1 {
		return strings.Join(quoted[:n-1], ", ") + " " + last + " " + quoted[n-1]
	}
	return quoted[0]
}

// quote returns a value for a sentence, on one line.
func quote(v string) string {
	v = strings.Map(refusal.Visible, strings.ToValidUTF8(v, "·"))
	if short := []rune(v); len(short) > maxWord {
		v = string(short[:maxWord]) + "…"
	}
	return "'" + strings.ReplaceAll(v, "'", "''") + "'"
}

// literal returns a literal of a statement for a sentence.
func literal(v statement.Literal) string {
	if v.Kind == statement.String {
		return quote(v.Text)
	}
	return v.Text
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
