package firebird

import (
	"strings"
	"testing"

	"github.com/loam-data/loam/plugins/sqlite"
	"github.com/loam-data/loam/sdk"
)

// What Firebird refuses is refused, with a position, and the rest means the same to SQLite.
func TestGrammar(t *testing.T) {
	t.Parallel()
	stored := map[string]bool{"ACCOUNTS": true, "ID": true, "NAME": true, "update": true, "drop": true}
	g := grammar{dialectOf(&sqlite.Dialects()[0])}
	for sql, want := range map[string]string{
		"SELECT id FROM accounts ORDER BY id FETCH FIRST 2 ROWS ONLY":             "SELECT id FROM accounts ORDER BY id LIMIT 2 OFFSET 0",
		"SELECT id FROM accounts OFFSET 1 ROWS FETCH NEXT 2 ROWS ONLY":            "SELECT id FROM accounts LIMIT 2 OFFSET 1",
		"SELECT 1 AS n FROM rdb$database":                                         `SELECT 1 AS "N" FROM (SELECT 1)`,
		`SELECT "update" FROM "drop" -- LIMIT 1`:                                  `SELECT "update" FROM "drop" -- LIMIT 1`,
		"SELECT CAST(id AS VARCHAR(20)) FROM accounts a":                          "SELECT CAST(id AS VARCHAR(20)) FROM accounts a",
		"WITH x (a, b) AS (SELECT id, name FROM accounts) SELECT a, b FROM x":     "WITH x (a, b) AS (SELECT id, name FROM accounts) SELECT a, b FROM x",
		"SELECT id FROM accounts WHERE name IS NOT DISTINCT FROM 'FETCH FIRST'":   "SELECT id FROM accounts WHERE name IS NOT DISTINCT FROM 'FETCH FIRST'",
		`SELECT "a".id FROM (SELECT id FROM accounts) AS "a" WHERE "a".id IN (1)`: `SELECT "a".id FROM (SELECT id FROM accounts) AS "a" WHERE "a".id IN (1)`,
		"SELECT id FROM accounts LIMIT 1":                                         "!LIMIT",
		"SELECT 1":                                                                "!needs FROM",
		"SELECT id FROM accounts WHERE EXISTS (SELECT 1)":                         "!needs FROM",
		"SELECT 1 FROM accounts UNION ALL SELECT 2":                               "!needs FROM",
		"SELECT 1 IS NOT DISTINCT FROM 2":                                         "!needs FROM",
		"SELECT id AS a_name_of_more_than_thirty_one_b FROM accounts":             "!longer than 31",
		`SELECT id AS "a name of more than thirty-one b" FROM accounts`:           "!longer than 31",
		"SELECT CAST(id AS DECIMAL(19, 2)) FROM accounts":                         "!at most 18",
		"SELECT CAST(id AS TEXT) FROM accounts":                                   "!no type TEXT",
		"SELECT CAST(id AS VARCHAR) FROM accounts":                                "!needs a length",
		`SELECT "id" FROM accounts`:                                               "!Column unknown: id, there is ID",
		"SELECT update_ FROM (SELECT id AS \"update_\" FROM accounts) AS x":       "!Column unknown",
		"SELECT id::int FROM accounts":                                            "!Token unknown: ::",
		"SELECT id % 2 FROM accounts":                                             "!Token unknown: %",
		"SELECT id FROM accounts WHERE name GLOB 'a*'":                            "!Token unknown: GLOB",
		"SELECT id FROM accounts WHERE name IS 'a'":                               "!behind IS",
		"SELECT id FROM accounts EXCEPT SELECT id FROM accounts":                  "!Token unknown: EXCEPT",
		"VALUES (1)": "!Token unknown: VALUES",
		"SELECT id FROM accounts ORDER BY (SELECT 1 FROM rdb$database)": "!no key of an order",
		"SELECT id AS _x FROM accounts":                                 "!begins with no letter",
		"SELECT id AS day FROM accounts":                                "!Token unknown: DAY",
	} {
		got, err := g.translate(sql, stored)
		fault, refused := strings.CutPrefix(want, "!")
		switch e := sdk.AsError(err, ""); {
		case !refused && (err != nil || got != want):
			t.Errorf("%s\ngives %s, %v\nwant  %s", sql, got, err, want)
		case refused && (sdk.KindOf(err) != sdk.KindSyntax || !strings.Contains(e.Error(), fault) || e.Pos.IsZero()):
			t.Errorf("%s\ngives %s, %v\nwant a refusal with %q and its position", sql, got, err, fault)
		}
	}
}
