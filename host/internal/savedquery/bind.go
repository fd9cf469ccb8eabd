package savedquery

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// Bound is a statement whose placeholders are written as an engine has them, and their values.
type Bound struct {
	SQL string
	// Params are the values of the placeholders of SQL, in their order.
	Params []sdk.Value
	// Values has the value of each parameter that SQL uses, as Accept returns it.
	Values map[string]any
}

// microseconds is the form of a timestamp without its offset, in UTC.
const microseconds = "2006-01-02 15:04:05.999999"

// decimalType is the precision and scale of a type's name.
var decimalType = text.Pattern(`\(([0-9]+), ?([0-9]+)\)`)

// Bind returns the statement of a query for the values of a caller. A value that is nil counts as not given; a parameter
// that is not given has its default. An optional part is kept if each of its parameters has a value. A value becomes a
// bound parameter, a list one for each element, and never a part of the text; a date, a timestamp and a decimal are cast
// to the engine's type.
// Errors: KindInvalid for a name that is not declared, a missing or unfit value, and those of the declarations;
// KindUnsupported for a dialect without bound parameters.
func (q *Query) Bind(t *Template, d *dialect.Dialect, given map[string]any) (*Bound, error) {
	if _, ok := marker(d, 1); !ok {
		return nil, sdk.Errorf(sdk.KindUnsupported, sdk.SourceConnector, "the dialect %s of this server has no bound parameters", d.Name).
			WithHint("write a statement without placeholders, or use a newer server")
	}
	values, err := q.values(t, given)
	if err != nil {
		return nil, err
	}
	b := &Bound{Values: map[string]any{}}
	b.SQL, err = t.Write(func(name string) bool { return values[name] != nil }, func(name string) (string, error) {
		p := q.Parameter(name)
		b.Values[name] = values[name]
		elements, listed := values[name].([]any)
		if !listed {
			elements = []any{values[name]}
		}
		all := make([]string, len(elements))
		for i, v := range elements {
			b.Params = append(b.Params, nil)
			at, _ := marker(d, len(b.Params))
			if all[i], b.Params[len(b.Params)-1], err = placed(p, d, at, v); err != nil {
				return "", err
			}
		}
		return strings.Join(all, ", "), nil
	})
	if err != nil {
		return nil, err
	}
	return b, nil
}

// values returns the value of each parameter that has one: the caller's, else the default.
func (q *Query) values(t *Template, given map[string]any) (map[string]any, error) {
	if err := q.matches(t); err != nil {
		return nil, err
	}
	for name := range given {
		if q.Parameter(name) == nil {
			err := invalid("the query has no parameter %s", strconv.Quote(name))
			if names := q.names(); len(names) > 0 {
				return nil, err.WithHint("its parameters: %s", strings.Join(names, ", "))
			}
			return nil, err.WithHint("leave parameters out: the query has none")
		}
	}
	values := map[string]any{}
	for i := range q.Parameters {
		p := &q.Parameters[i]
		value := given[p.Name]
		if value == nil {
			value = p.Default
		}
		if value == nil && p.Required {
			return nil, invalid("the parameter %s is required: %s", p.Name, p.Type).WithHint("give a value such as %s", p.shown())
		}
		if value == nil {
			continue
		}
		accepted, err := p.Accept(value)
		if err != nil {
			return nil, err
		}
		values[p.Name] = accepted
	}
	return values, nil
}

// names lists the declared parameters, sorted.
func (q *Query) names() []string {
	all := make([]string, len(q.Parameters))
	for i := range q.Parameters {
		all[i] = q.Parameters[i].Name
	}
	slices.Sort(all)
	return all
}

// marker returns the n-th placeholder of a dialect, from 1; false = it has none.
func marker(d *dialect.Dialect, n int) (string, bool) {
	prefix, ok := map[dialect.ParameterStyle]string{
		dialect.ParameterQuestion: "?", dialect.ParameterDollar: "$", dialect.ParameterAt: "@p", dialect.ParameterColon: ":",
	}[d.Parameter]
	if !ok || d.Parameter == dialect.ParameterQuestion {
		return prefix, ok
	}
	return prefix + strconv.Itoa(n), true
}

// placed returns the text and the value of one placeholder. Texts, integers, booleans and UUIDs are bound as they are:
// each engine compares them with its own columns. The others are cast, because engines do not all read a text as a date
// or a number.
// Errors: KindInvalid for a decimal with more digits than the engine's type.
func placed(p *Parameter, d *dialect.Dialect, marker string, value any) (string, sdk.Value, error) {
	bare, _ := value.(string)
	switch p.Type.Element() {
	case Date:
		return cast(d, sdk.TypeDate, marker), bare, nil
	case Timestamp:
		at, err := time.Parse(time.RFC3339, bare)
		if err != nil {
			return "", nil, p.unfit("of type timestamp")
		}
		bare = at.UTC().Format(microseconds)
		if zoned(d) {
			bare = strings.Replace(bare, " ", "T", 1) + "+00:00"
		}
		return cast(d, sdk.TypeTimestampTZ, marker), bare, nil
	case Decimal:
		sql, fits := widened(cast(d, sdk.TypeDecimal, marker), bare)
		if !fits {
			return "", nil, invalid("the parameter %s has more digits than this engine's decimals", p.Name).WithHint("give fewer digits")
		}
		return sql, bare, nil
	}
	return marker, value, nil
}

// zoned reports whether a dialect has a type of its own for timestamps with an offset.
func zoned(d *dialect.Dialect) bool {
	name := d.Types[sdk.TypeTimestampTZ.String()]
	return name != "" && name != d.Types[sdk.TypeTimestamp.String()] && name != d.Types[sdk.TypeText.String()]
}

// cast returns the conversion of a placeholder to a type; the placeholder itself where the dialect keeps the type as text
// or has none.
func cast(d *dialect.Dialect, to sdk.Type, marker string) string {
	native := d.Types[to.String()]
	if native == "" || native == d.Types[sdk.TypeText.String()] {
		return marker
	}
	args := map[string]string{"x": marker, "type": native}
	if sql, ok := d.Expand(dialect.CastTo(to.String()), args); ok {
		return sql
	}
	if sql, ok := d.Expand(dialect.Cast, args); ok {
		return sql
	}
	return marker
}

// widened returns a conversion to a decimal type with a scale that has room for all digits of a value; false = the
// precision has no such scale.
func widened(sql, value string) (string, bool) {
	at := decimalType().FindStringSubmatchIndex(sql)
	if at == nil {
		return sql, true
	}
	precision, errP := strconv.Atoi(sql[at[2]:at[3]])
	scale, errS := strconv.Atoi(sql[at[4]:at[5]])
	whole, fraction, _ := strings.Cut(strings.TrimLeft(value, "-0"), ".")
	fraction = strings.TrimRight(fraction, "0")
	if errP != nil || errS != nil || len(whole)+len(fraction) > precision {
		return "", false
	}
	scale = max(min(scale, precision-len(whole)), len(fraction))
	return sql[:at[4]] + strconv.Itoa(scale) + sql[at[5]:], true
}
