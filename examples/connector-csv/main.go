// Command connector-csv is a Loam connector for a folder of CSV files: each is a
// table, and its first line names the columns.
package main

import (
	"cmp"
	"context"
	"database/sql/driver"
	_ "embed"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"unicode/utf8"

	"modernc.org/sqlite"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/serve"
	"github.com/loam-data/loam/sdk/sqlkit"
)

//go:embed dialect.json
var dialectJSON []byte
var dialects = sqlkit.Dialects(dialectJSON) // the files become tables of SQLite, so that is the SQL

var catalog = sqlkit.Catalog{
	Levels:  2,
	Tables:  `SELECT '', 'main', name, 'table', '', NULL, NULL, NULL FROM sqlite_schema ORDER BY name`,
	Columns: `SELECT '', 'main', t.name, c.name, c.type, 'YES', NULL, '', NULL FROM sqlite_schema t JOIN pragma_table_info(t.name) c ORDER BY t.name, c.cid`,
}

// A column has the first type that holds all its values; one digit more, and a REAL would lose it.
var typeNames, holds = []string{"INTEGER", "REAL", "TEXT"}, []*regexp.Regexp{
	regexp.MustCompile(`^(-?(0|[1-9]\d{0,14}))?$`), regexp.MustCompile(`^(-?(0|[1-9]\d{0,14}|(0|[1-9]\d{0,7})\.\d{1,7}))?$`), regexp.MustCompile(``),
}

type config struct {
	Folder string `json:"folder" doc:"The folder with the CSV files." required:"true" format:"path"`
}

func main() { serve.Main(connector()) }

func connector() *sdk.Connector {
	return &sdk.Connector{
		ID: "example/csv", Version: "0.1.0", DisplayName: "CSV files", License: "Apache-2.0", Dialects: dialects,
		Capabilities: sdk.Capabilities{ReadOnly: sdk.ReadOnlyEngine, ServerCancel: true, Params: true, MaxStreams: 1},
		Config:       sdk.ConfigOf[config](), Open: sqlkit.Lifecycle[config]{New: session}.Open,
	}
}

func session(c *config, req sdk.OpenRequest) (*sqlkit.Stages, error) {
	req.MaxOpen = 1 // each connection is a database
	return sqlkit.Driver{
		Connect: func(context.Context) (driver.Conn, error) { return (&sqlite.Driver{}).Open(":memory:") },
		// The files are copied into a database in memory, which then can only be read.
		Ready: func(ctx context.Context, conn driver.Conn) error {
			return errors.Join(load(ctx, conn.(driver.ExecerContext), os.DirFS(c.Folder)), lock(conn))
		},
		Dialect: &dialects[0], Catalog: catalog, Types: sqlkit.Types{"INTEGER": sdk.TypeInt64, "REAL": sdk.TypeFloat64, "TEXT": sdk.TypeText},
		Info:   sdk.ServerInfo{Product: "CSV files", Version: "1", ReadOnly: sdk.ReadOnlyEngine, ReadOnlyMechanism: "authorizer that allows only reads"},
		Errors: sqlkit.ByCode((*sqlite.Error).Code, map[int]sdk.Kind{18: sdk.KindLimit, 23: sdk.KindNotReadOnly}, sdk.KindInvalid),
	}.Stages(req), nil
}

func load(ctx context.Context, into driver.ExecerContext, folder fs.FS) error {
	files, err := fs.Glob(folder, "*.csv")
	if err != nil || len(files) == 0 {
		return sdk.Errorf(sdk.KindNotFound, sdk.SourceHost, "there is no *.csv").WithHint("point folder at a folder with CSV files")
	}
	for _, file := range files {
		if err := loadFile(ctx, into, folder, file); err != nil {
			return sdk.Errorf(sdk.KindInvalid, sdk.SourceWarehouse, "%s: %w", file, err).WithHint("correct the file")
		}
	}
	return nil
}

func loadFile(ctx context.Context, into driver.ExecerContext, folder fs.FS, file string) error {
	text, err := fs.ReadFile(folder, file)
	if err != nil || !utf8.Valid(text) {
		return cmp.Or(err, errors.New("the text is not UTF-8"))
	}
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(text), "\uFEFF"))).ReadAll()
	if err != nil || len(rows) == 0 {
		return err
	}
	columns, values := make([]string, len(rows[0])), make([]string, len(rows[0]))
	for i, name := range rows[0] {
		t := 0
		for _, row := range rows[1:] {
			for !holds[t].MatchString(row[i]) {
				t++
			}
		}
		columns[i] = dialects[0].QuoteIdentifier(name) + " " + typeNames[t]
		values[i] = fmt.Sprintf("nullif(value ->> %d, '')", i)
	}
	data, failed := json.Marshal(rows[1:])
	_, err = into.ExecContext(ctx, fmt.Sprintf("CREATE TABLE %[1]s (%[2]s); INSERT INTO %[1]s SELECT %[3]s FROM json_each(?)",
		dialects[0].QuoteIdentifier(strings.TrimSuffix(file, ".csv")), strings.Join(columns, ", "), strings.Join(values, ", ")), []driver.NamedValue{{Ordinal: 1, Value: string(data)}})
	return errors.Join(failed, err)
}

// lock is the boundary: SQLite asks what a statement may do before it runs.
func lock(conn driver.Conn) error {
	return conn.(sqlite.AuthorizerRegisterer).RegisterAuthorizer(func(a sqlite.AuthorizerActionCode, arg, _, _, _ string) sqlite.AuthorizerReturnCode {
		if a == sqlite.AuthSelect || a == sqlite.AuthRead || a == sqlite.AuthFunction || a == sqlite.AuthRecursive || a == sqlite.AuthPragma && arg == "table_info" {
			return sqlite.AuthorizerOK
		}
		return sqlite.AuthorizerDeny
	})
}
