package clickhouse

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// profile says how a table is profiled. A large one is sampled by its sampling key
// or, where it has none, by a random number per row.
func (a *asking) profile(ctx context.Context, req *sdk.ProfileRequest, _ sdk.ProfileWriter) (sqlkit.Profiling, error) {
	p := &profiled{s: a.session, limit: a.limit, database: cmp.Or(req.Table.Schema, a.session.Info.Database), table: req.Table.Name}
	if err := p.find(ctx); err != nil {
		return sqlkit.Profiling{}, err
	}
	return p.profiling(), nil
}

// profiled is a table on its way to a profile.
type profiled struct {
	s               *Session
	limit           time.Duration
	database, table string
	quoted          string
	samplingKey     string
	columns         []sqlkit.ProfiledColumn
	names           []string // of the columns, quoted
}

// find looks up the columns that can be read.
func (p *profiled) find(ctx context.Context) error {
	d := p.s.Dialect
	p.quoted = d.QuoteIdentifier(p.database) + "." + d.QuoteIdentifier(p.table)
	whole := "SELECT * FROM " + p.quoted
	tokens, err := d.Tokens(whole, nil)
	if err != nil {
		return err
	}
	if err := p.s.reaches(ctx, whole, tokens); err != nil {
		return err
	}
	of := " WHERE database = " + d.QuoteString(p.database) + " AND "
	err = p.s.ask(ctx, p.limit, "SELECT name, type FROM system.columns"+of+"table = "+d.QuoteString(p.table)+" AND default_kind != 'EPHEMERAL'", func(r sqlkit.Row) error {
		c, err := p.column(r.Text(0), r.Text(1))
		p.columns = append(p.columns, c)
		p.names = append(p.names, d.QuoteIdentifier(r.Text(0)))
		return err
	})
	if err != nil {
		return err
	}
	err = p.s.ask(ctx, p.limit, "SELECT sampling_key FROM system.tables"+of+"name = "+d.QuoteString(p.table), func(r sqlkit.Row) error {
		p.samplingKey = r.Text(0)
		return nil
	})
	if err != nil || len(p.columns) > 0 {
		return err
	}
	return p.absent(ctx)
}

// absent has the server say what is wrong with the table.
func (p *profiled) absent(ctx context.Context) error {
	q := &query{sql: "SELECT * FROM " + p.quoted + " LIMIT 0", block: func(*block) error { return nil }}
	err := p.s.run(ctx, p.limit, nil, q)
	if e, ok := errors.AsType[*sdk.Error](err); ok && e.Kind == sdk.KindNotFound {
		missing := sqlkit.NoTable(sdk.TableRef{Schema: p.database, Name: p.table})
		e.Msg, e.Hint = missing.Msg, missing.Hint
	}
	return err
}

// tables lists the tables of the database that a name is in.
func (s *Session) tables(ctx context.Context, of sdk.TableRef) ([]string, error) {
	database := s.Dialect.QuoteString(cmp.Or(of.Schema, s.Info.Database))
	return s.names("SELECT name FROM system.tables WHERE database = " + database + " ORDER BY name")(ctx)
}

// column describes one column. What the server cannot group is grouped by its
// text, and what cannot be shown is shown as the hexadecimal digits of its bytes.
func (p *profiled) column(name, native string) (sqlkit.ProfiledColumn, error) {
	t, err := parseType(native)
	if err != nil {
		return sqlkit.ProfiledColumn{}, err
	}
	quoted := p.s.Dialect.QuoteIdentifier(name)
	c := sqlkit.ProfiledColumn{Name: name, Quoted: quoted, Type: logicalType(&t)}
	if _, err := newColumn(&t); err != nil {
		c.Value, c.NoKey = "hex("+quoted+")", true
		c.Quoted = c.Value + " AS " + quoted
		return c, nil //nolint:nilerr // that the type cannot be shown is all that it says
	}
	switch c.Type {
	case sdk.TypeText:
		if t.plain().name == "String" { // the others are short
			c.Size = "toInt64(lengthUTF8(loam_v))"
		}
	case sdk.TypeNestedJSON, sdk.TypeJSON, sdk.TypeGeoWKT:
		c.Value, c.Size, c.NoKey = "toString("+quoted+")", "toInt64(length(loam_v))", true
		switch t.plain().name {
		case "Variant", "Dynamic", "Geometry": // NULL is a value of theirs, which count() counts
		default:
			c.Shown = "any(" + quoted + ")"
		}
	case sdk.TypeFloat64, sdk.TypeBool, sdk.TypeInterval:
		c.NoKey = true
	}
	return c, nil
}

func (p *profiled) profiling() sqlkit.Profiling {
	return sqlkit.Profiling{
		Table: p.quoted, Columns: p.columns, Random: "rand()",
		Counted: "toInt64(count())", Choice: p.choice, Values: p.values, Run: p.run,
	}
}

// choice names the columns: * leaves out those that are computed.
func (p *profiled) choice(total, rows int64) string {
	share := float64(rows) / float64(total)
	if p.samplingKey != "" {
		return fmt.Sprintf("%s SAMPLE %.9f", p.quoted, share)
	}
	const whole = 1 << 32 // rand() is of 32 bits
	return fmt.Sprintf("(SELECT %s FROM %s WHERE rand() < %d)", strings.Join(p.names, ", "), p.quoted, int64(share*whole))
}

// windowed is the first version with window functions; modern says why it counts.
const windowed = modern

// values groups in one pass over the choice. The names of the aliases are such
// that no column has them: an alias goes before a column here. What is grouped by
// its text is shown as one of those values.
func (p *profiled) values(c *sqlkit.ProfiledColumn, from string) string {
	shown, more := "loam_v", ""
	if c.Shown != "" {
		shown, more = "loam_s", c.Shown+" AS loam_s, "
	}
	groups := fmt.Sprintf("SELECT %s AS loam_v, %stoInt64(count()) AS loam_n FROM %s GROUP BY loam_v", cmp.Or(c.Value, c.Quoted), more, from)
	if !p.s.newer(windowed) {
		return "SELECT loam_g.1, loam_g.2, loam_all, loam_nulls FROM (" +
			"SELECT groupArray(loam_p) AS loam_list, toInt64(sum(loam_p.2)) AS loam_all, toInt64(sumIf(loam_p.2, isNull(loam_p.1))) AS loam_nulls FROM (" +
			"SELECT (" + shown + ", loam_n) AS loam_p FROM (" + groups + ") ORDER BY loam_v)) ARRAY JOIN loam_list AS loam_g"
	}
	size := ""
	if c.Size != "" {
		long := fmt.Sprintf("%s > %d", c.Size, sqlkit.MaxListedBytes)
		shown = "if(" + long + ", defaultValueOfArgumentType(" + shown + "), " + shown + ")"
		size = ", if(" + long + ", " + c.Size + ", NULL)"
	}
	return "SELECT " + shown + ", loam_n, toInt64(sum(loam_n) OVER ()), toInt64(sumIf(loam_n, isNull(loam_v)) OVER ())" + size +
		" FROM (" + groups + ") ORDER BY loam_v"
}

// run runs a query of a profile and writes its result, as Execute does.
func (p *profiled) run(ctx context.Context, sql string, w *sdk.RowWriter) error {
	r := &result{w: w, id: queryID("")}
	q := &query{id: r.id, sql: sql, block: r.block}
	err := p.s.run(ctx, p.limit, nil, q)
	if err == nil && !r.started {
		err = p.s.run(ctx, p.limit, nil, &query{sql: sql, header: true, block: r.block})
	}
	return err
}
