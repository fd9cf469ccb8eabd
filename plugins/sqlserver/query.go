package sqlserver

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// parse looks at the text for what the server's plan does not show: USE is executed
// while a plan is made.
func (s *Session) parse(sql string) (*sqlkit.Statement, error) {
	st, err := sqlkit.Parse(sql, s.Dialect)
	if err != nil {
		return nil, err
	}
	if !st.Starts("SELECT", "WITH", "(") {
		return nil, st.NotQuery(0, "SELECT or WITH")
	}
	return st, nil
}

// batch is a text as it is sent: the driver takes a single word for the name of a
// procedure, and runs it.
func batch(sql string) string { return " " + sql }

// declared puts declarations in front of a statement, whose parameters the server
// does not know while it plans.
func declared(declarations, sql string) string {
	if declarations == "" {
		return batch(sql)
	}
	return "DECLARE " + declarations + "; " + sql
}

// declarations returns those of parameters, as the driver types them.
func declarations(params []sdk.Value) string {
	var list []string
	for i, v := range params {
		native := "nvarchar(max)"
		switch v.(type) {
		case bool:
			native = "bit"
		case int64:
			native = "bigint"
		case float64:
			native = "float"
		case []byte:
			native = "varbinary(max)"
		}
		list = append(list, "@p"+strconv.Itoa(i+1)+" "+native)
	}
	return strings.Join(list, ", ")
}

// markers is how many parameters a statement has: the highest number of @p1, @p2, …
func markers(st *sqlkit.Statement) int {
	most := 0
	for _, marker := range st.Parameters() {
		if n, err := strconv.Atoi(strings.TrimPrefix(strings.ToLower(marker), "@p")); err == nil {
			most = max(most, n)
		}
	}
	return most
}

// check has the server accept a statement as a read, without running it.
// Errors: KindNotReadOnly, KindDenied without a right to see plans, and what the
// server finds wrong with the statement.
func (r *reading) check(ctx context.Context, st *sqlkit.Statement, params []sdk.Value) error {
	if err := sqlkit.CheckParameters(markers(st), len(params)); err != nil {
		return err
	}
	_, err := r.verdict(ctx, st, declarations(params))
	return err
}

// verdict returns the plan of a statement that only reads, or nil where the account
// may not see plans and may do nothing but read.
func (r *reading) verdict(ctx context.Context, st *sqlkit.Statement, declarations string) (*plan, error) {
	r.abroad = true
	if !r.s.account.planner {
		if r.s.account.reader {
			return nil, nil
		}
		return nil, sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "the account may write and may not see plans, by which the server tells a statement that only reads").
			WithHint("%s, or use an account that can only read", r.s.grantShowplan())
	}
	p, err := r.plan(ctx, declared(declarations, st.SQL))
	if err != nil {
		return nil, r.s.placed(st, err)
	}
	if why := p.refusal(); why != "" {
		return nil, st.Refuse(0, "%s", why).WithHint("send one SELECT statement that reads tables of this server")
	}
	r.abroad = p.abroad
	return p, nil
}

// errNoPlan says that the server answered with something else.
var errNoPlan = errors.New("the server sent no plan")

// plan has the server plan a text and execute nothing of it.
func (r *reading) plan(ctx context.Context, text string) (p *plan, err error) {
	r.Conn.planning = true
	if err := r.Exec(ctx, "SET SHOWPLAN_XML ON"); err != nil {
		return nil, err
	}
	err = r.Direct(ctx, text, func(rows driver.Rows) error {
		if len(rows.Columns()) != 1 {
			return errNoPlan
		}
		row := make(sqlkit.Row, 1)
		if err := rows.Next(row); errors.Is(err, io.EOF) {
			return errNoPlan
		} else if err != nil {
			return err
		}
		if p, err = readPlan(row.Text(0), r.s.Info.Database); err != nil {
			return err
		}
		if err := rows.Next(row); !errors.Is(err, io.EOF) {
			return errors.Join(errNoPlan, err)
		}
		if more, ok := rows.(driver.RowsNextResultSet); ok && more.HasNextResultSet() {
			return errNoPlan
		}
		return nil
	})
	if over := r.Running(); broken(err) || over != nil {
		return nil, errors.Join(err, over)
	}
	off := r.Exec(ctx, "SET SHOWPLAN_XML OFF")
	r.Conn.planning = off != nil
	if err = errors.Join(err, off); err != nil && nativeError(err) == nil {
		return nil, sdk.Errorf(sdk.KindInternal, sdk.SourceWarehouse, "the statement is not run, because its plan is missing: %w", err).
			WithHint("report the server's version: %s", r.s.Info.Version)
	}
	return p, err
}

// settings fix what results and waiting depend on, whatever the account's and the
// server's own are.
const settings = "SET LANGUAGE us_english; SET DATEFIRST 7; SET ROWCOUNT 0; SET LOCK_TIMEOUT 10000; SET DEADLOCK_PRIORITY LOW; SET TRANSACTION ISOLATION LEVEL %s; BEGIN TRANSACTION"

// begin begins a transaction, which conn.end rolls back.
func (r *reading) begin(ctx context.Context) error {
	level := "READ COMMITTED"
	if r.s.account.snapshots && !r.abroad {
		level = "SNAPSHOT"
	}
	r.Conn.open = true
	return r.Exec(ctx, fmt.Sprintf(settings, level))
}

// execute runs a statement that was checked and writes its result.
func (r *reading) execute(ctx context.Context, st *sqlkit.Statement, req *sdk.ExecuteRequest, w *sdk.RowWriter) error {
	if err := r.begin(ctx); err != nil {
		return err
	}
	return r.s.placed(st, r.Prepared(ctx, batch(st.SQL), req.Params, func(rows driver.Rows) error { return copyRows(ctx, rows, w) }))
}

// explain explains a statement that was checked.
func (r *reading) explain(ctx context.Context, st *sqlkit.Statement, params []sdk.Value, e *sdk.Explanation) error {
	p, err := r.verdict(ctx, st, declarations(params))
	if err != nil {
		return err
	}
	if p == nil {
		return sdk.Errorf(sdk.KindDenied, sdk.SourceWarehouse, "the account may not see plans").WithHint("%s", r.s.grantShowplan())
	}
	e.Format, e.Text, e.EstimatedRows = "xml", p.xml, p.rows
	return nil
}

// validate has the server describe a statement's result and plan it. The server
// finds types for its parameters.
func (r *reading) validate(ctx context.Context, st *sqlkit.Statement, v *sdk.Validation) error {
	var parameters []string
	if markers(st) > 0 {
		err := r.described(ctx, "sys.sp_describe_undeclared_parameters", []sdk.Value{st.SQL}, func(at map[string]string) error {
			parameters = append(parameters, at["name"]+" "+at["suggested_system_type_name"])
			return nil
		})
		if err != nil {
			return r.s.placed(st, err)
		}
	}
	declarations := strings.Join(parameters, ", ")
	p, err := r.verdict(ctx, st, declarations)
	if err != nil {
		return err
	}
	if p != nil {
		v.StatementType = p.kinds[0]
	}
	return r.s.placed(st, r.described(ctx, "sys.sp_describe_first_result_set", []sdk.Value{st.SQL, declarations}, func(at map[string]string) error {
		if yes(at["is_hidden"]) {
			return nil
		}
		c := types.Column(at["name"], at["system_type_name"])
		c.Nullable = yes(at["is_nullable"])
		finish(&c)
		v.Columns = append(v.Columns, c)
		return nil
	}))
}

// described runs one of the server's procedures that describe a statement, and
// hands over its rows by the names of their columns.
func (r *reading) described(ctx context.Context, procedure string, params []sdk.Value, row func(at map[string]string) error) error {
	return r.Prepared(ctx, procedure, params, func(rows driver.Rows) error { return sqlkit.EachNamed(ctx, rows, row) })
}
