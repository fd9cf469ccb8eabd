package clickhouse

import (
	"context"
	"fmt"
	"slices"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// scan writes the tables.
func (a *asking) scan(ctx context.Context, req sdk.ScanRequest, w sdk.ScanWriter) (sum sdk.ScanSummary, err error) {
	ctx, stop := sqlkit.WithTimeout(ctx, a.limit, 0)
	defer stop()
	ask := func(ctx context.Context, sql string, row func(sqlkit.Row) error) error {
		return a.session.ask(ctx, a.limit, sql, row)
	}
	has := map[string]bool{}
	err = ask(ctx, "SELECT table, name FROM system.columns WHERE database = 'system' AND table IN ('tables', 'columns')", func(r sqlkit.Row) error {
		has[r.Text(0)+"."+r.Text(1)] = true
		return nil
	})
	if err != nil {
		return sum, err
	}
	if err := a.session.warnUnseen(ctx, w); err != nil {
		return sum, err
	}
	return sqlkit.Scan(ctx, ask, a.session.catalog(has), req, w)
}

// warnUnseen warns about configured databases that the account does not see: the
// server does not say whether they are there.
func (s *Session) warnUnseen(ctx context.Context, w sdk.ScanWriter) error {
	if len(s.cfg.Schemas) == 0 {
		return nil
	}
	var seen []string
	err := s.ask(ctx, s.Limit(0), "SELECT name FROM system.databases", func(r sqlkit.Row) error {
		seen = append(seen, r.Text(0))
		return nil
	})
	if err != nil {
		return err
	}
	for _, schema := range s.cfg.Schemas {
		if slices.Contains(seen, schema) {
			continue
		}
		err := w.Warning(sdk.Warning{
			Object: schema, Code: fmt.Sprint(codeNoAccessDatabase),
			Message: "the account may not see this database, or it does not exist: its tables are left out",
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// nativeType maps a native type.
func nativeType(native string) sdk.Type {
	t, err := parseType(native)
	if err != nil {
		return sdk.TypeText // of a newer server: its values may be readable all the same
	}
	return logicalType(&t)
}

// completeColumn reads from the type what the catalogue has no column for.
func completeColumn(c *sdk.Column) {
	described, err := describe(c.Name, c.NativeType)
	if err != nil {
		return
	}
	c.Nullable, c.Precision, c.Scale = described.Nullable, described.Precision, described.Scale
}
