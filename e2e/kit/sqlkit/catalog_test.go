package sqlkit_test

import (
	"context"
	"database/sql/driver"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

const standardSchema = `
CREATE SCHEMA sales;
CREATE TABLE sales.parent (a integer, b text, PRIMARY KEY (b, a));
CREATE TABLE sales.child (
	id bigint PRIMARY KEY, x text NOT NULL, y integer DEFAULT 7, price numeric(10,2), odd inet,
	CONSTRAINT up FOREIGN KEY (x, y) REFERENCES sales.parent (b, a), UNIQUE (odd)
);
CREATE VIEW sales.cheap AS SELECT id FROM sales.child`

func TestInformationSchema(t *testing.T) {
	t.Parallel()
	database := testserver.Postgres(t).Database(t, standardSchema)
	s := sqlkit.Driver{
		Connect: func(context.Context) (driver.Conn, error) {
			return stdlib.GetDefaultDriver().Open(database.DSN(testserver.PostgresOwner))
		},
		Catalog: sqlkit.InformationSchema(sqlkit.Types{"BIGINT": sdk.TypeInt64, "INTEGER": sdk.TypeInt64, "NUMERIC": sdk.TypeDecimal}),
	}.Session(sdk.OpenRequest{})
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	var w tables
	sum, err := s.Scan(t.Context(), sdk.ScanRequest{Include: []string{"sales.*"}}, &w)
	if err != nil {
		t.Fatal(err)
	}
	if !sum.Complete || sum.Tables != 3 {
		t.Errorf("summary %+v", sum)
	}
	named := func(name string) sdk.TableRef {
		return sdk.TableRef{Catalog: database.Name, Schema: "sales", Name: name}
	}
	want := []*sdk.Table{
		{TableRef: named("cheap"), Kind: sdk.TableView, Columns: []sdk.Column{
			{Name: "id", Type: sdk.TypeInt64, NativeType: "bigint", Nullable: true},
		}},
		{
			TableRef: named("child"), Kind: sdk.TableBase, Columns: []sdk.Column{
				{Name: "id", Type: sdk.TypeInt64, NativeType: "bigint"},
				{Name: "x", Type: sdk.TypeText, NativeType: "text"},
				{Name: "y", Type: sdk.TypeInt64, NativeType: "integer", Nullable: true, Default: "7"},
				{Name: "price", Type: sdk.TypeDecimal, NativeType: "numeric(10,2)", Nullable: true, Precision: 10, Scale: 2},
				{Name: "odd", Type: sdk.TypeText, NativeType: "inet", Nullable: true},
			},
			Keys: []sdk.Key{
				{Kind: sdk.KeyUnique, Name: "child_odd_key", Columns: []string{"odd"}, Enforced: true},
				{Kind: sdk.KeyPrimary, Name: "child_pkey", Columns: []string{"id"}, Enforced: true},
				{
					Kind: sdk.KeyForeign, Name: "up", Columns: []string{"x", "y"}, Enforced: true,
					Ref: named("parent"), RefColumns: []string{"b", "a"},
				},
			},
		},
		{
			TableRef: named("parent"), Kind: sdk.TableBase, Columns: []sdk.Column{
				{Name: "a", Type: sdk.TypeInt64, NativeType: "integer"},
				{Name: "b", Type: sdk.TypeText, NativeType: "text"},
			},
			Keys: []sdk.Key{{Kind: sdk.KeyPrimary, Name: "parent_pkey", Columns: []string{"b", "a"}, Enforced: true}},
		},
	}
	ignore := cmpopts.IgnoreFields(sdk.Table{}, "Fingerprint", "RowEstimate", "ByteEstimate")
	if diff := cmp.Diff(want, w.got, ignore); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
