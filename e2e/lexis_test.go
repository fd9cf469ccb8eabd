package e2e

import (
	"context"
	"database/sql"
	"math/rand/v2"
	"strings"
	"testing"

	_ "github.com/go-sql-driver/mysql"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/plugins/mysql"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/readonly"
)

// An engine's own reading of a text against the guard's: texts of quotes,
// comments, numbers and odd characters around a write. What the guard takes for
// one statement that reads must be one to the engine too.

// lexicalTexts is how many texts are tried; of them the guard accepts about one
// in ten.
const lexicalTexts = 60_000

var lexicalPieces = []string{
	"'", "'", "'", `"`, `"`, "`", "`", `\`, `\'`, "''", `""`, "``", "--", "-- ", "--\t", "#", "# ", "#!", "//", "/*", "/*", "*/", "*/",
	"/**/", "/*/", "$$", "$$", "$a$", "$a$", "$1$", "\n", "\n", "\r", "\r\n", " ", " ", " ", "\t", "\v", "\f", "\x01", "\x1a", ";",
	"(", ")", "[", "]", "{", "}", "E'", "N'", "n'", "x'", "b'", `X"`, "_latin1'", "_gbk'", "U&'", `U&"`, "@", "@@", "@a", ":=",
	"1e5", "1e", "1.", ".5", "0x41", "0x", "1", "a", "a ", "é", "\u00A0", "\u3000", "\u2028", "\u0085", "‘", "’", "“", "”", "−", "?", ":",
	"$1", "$a", "%", ",", ", ", " AS ", " AS a", ".", "a.", "*", "\u200B", "\uFEFF", "NULL", " UNION SELECT 1 ", " FROM a ", `\N`,
	"{d '", "1_0", "_", "||", "-", "+", "/", "!", "~", "|", "&", "^", "<", ">", "=", "::", "->", "😀", "\x7f", "a$$", "q'[", "x''",
}

// lexicalText makes one of them around a write.
func lexicalText(r *rand.Rand, writes []string) string {
	starts := []string{"SELECT 1", "SELECT ", "SELECT 1 AS a", "SELECT 1 ", "SELECT 'a' ", "SELECT a.b "}
	var b strings.Builder
	b.WriteString(starts[r.IntN(len(starts))])
	for range r.IntN(9) {
		b.WriteString(lexicalPieces[r.IntN(len(lexicalPieces))])
	}
	b.WriteString(writes[r.IntN(len(writes))])
	for range r.IntN(6) {
		b.WriteString(lexicalPieces[r.IntN(len(lexicalPieces))])
	}
	return b.String()
}

// checkLexis tries every text that the guard accepts with wrote, which reports
// whether the engine saw the write in it, and whether it ran the text.
func checkLexis(t *testing.T, d *dialect.Dialect, writes []string, wrote func(text string) (wrote, ran bool)) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	accepted, ran := 0, 0
	for range lexicalTexts {
		text := lexicalText(r, writes)
		if readonly.Check(text, d) != nil {
			continue
		}
		accepted++
		saw, ok := wrote(text)
		if saw {
			t.Errorf("the guard takes for a read what the engine takes for a write: %q", text)
		}
		if ok {
			ran++
		}
	}
	t.Logf("%d texts, %d accepted, of which the engine ran %d", lexicalTexts, accepted, ran)
	if accepted < lexicalTexts/100 || ran < accepted/10 {
		t.Errorf("of %d texts %d were accepted, and the engine ran %d: too few to say anything", lexicalTexts, accepted, ran)
	}
}

func TestMariaDBReadsTextsAsTheGuard(t *testing.T) {
	t.Parallel()
	heavy(t, "texts as MariaDB reads them")
	db := testserver.MariaDB(t).Database(t, "")
	pool, err := sql.Open("mysql", db.DSN(testserver.MariaDBOwner))
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	conn, err := pool.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	writes := []string{"INTO @m", " INTO @m", "INTO @m ", ";SET @m=1", "; SET @m = 1 ", " UNION SELECT 2 INTO @m ", " , 2 INTO @m, @n ", "INTO@m"}
	checkLexis(t, dialect.Pick(mysql.Dialects(), "MariaDB", db.Version), writes, func(text string) (wrote, ran bool) {
		ran = query(t.Context(), conn, text) == nil
		var m sql.NullString
		if err := conn.QueryRowContext(t.Context(), "SELECT @m").Scan(&m); err != nil {
			t.Fatalf("after %q: %v", text, err)
		}
		if m.Valid {
			if _, err := conn.ExecContext(t.Context(), "SET @m = NULL"); err != nil {
				t.Fatal(err)
			}
		}
		return m.Valid, ran
	})
}

// query runs a text and reads its rows.
func query(ctx context.Context, conn *sql.Conn, text string) error {
	rows, err := conn.QueryContext(ctx, text)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
	}
	return rows.Err()
}
