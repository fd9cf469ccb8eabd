// Command loam-connector-firebird is the program of package firebird. With the argument admin and a
// file it runs the SQL on its standard input around the connector, as the checks of a connector want.
package main

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"os"
	"strings"

	_ "modernc.org/sqlite"

	"github.com/loam-data/loam/e2e/firebird"
	"github.com/loam-data/loam/sdk/serve"
)

func main() {
	if len(os.Args) != 3 || os.Args[1] != "admin" {
		serve.Main(firebird.Connector())
		return
	}
	if err := admin(context.Background(), os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func admin(ctx context.Context, path string) error {
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	defer db.Close() //nolint:errcheck // the program ends
	for statement := range strings.SplitSeq(string(text), ";\n") {
		if strings.TrimSpace(statement) == "" {
			continue
		}
		if err := show(ctx, db, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// show runs a statement and prints its rows.
func show(ctx context.Context, db *sql.DB, statement string) error {
	rows, err := db.QueryContext(ctx, statement)
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // rows.Err tells
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	values, into := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		fmt.Println(values...)
	}
	return rows.Err()
}
