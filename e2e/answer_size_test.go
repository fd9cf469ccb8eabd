package e2e

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// sizedCall is one call of an agent, and what its answer took before answers were
// compact: the text block and structuredContent apart, for a client shows its model
// one of them.
type sizedCall struct {
	question, tool, args string
	text, structured     taken
}

// taken is the length of a text in bytes and in estimated tokens.
type taken struct{ bytes, tokens int }

func (t *taken) add(o taken) { t.bytes, t.tokens = t.bytes+o.bytes, t.tokens+o.tokens }

// recording is twelve calls on the sample project, to which a table of 220 columns was
// added. The figures are those of commit ab7d589.
var recording = []sizedCall{
	{question: "Which warehouses are there?", tool: "connection_list", args: `{}`, text: taken{1486, 520}, structured: taken{1486, 520}},
	{question: "What is there about revenue by segment?", tool: "discover_data", args: `{"query":"revenue by customer segment"}`, text: taken{1931, 642}, structured: taken{1941, 650}},
	{question: "What does one table hold?", tool: "entity_details", args: `{"connectionId":"shop","entities":["orders"]}`, text: taken{2333, 799}, structured: taken{2333, 799}},
	{question: "What do four tables hold?", tool: "entity_details", args: `{"connectionId":"shop","entities":["customers","order_items","products","refunds"]}`, text: taken{6278, 2176}, structured: taken{6278, 2176}},
	{question: "What does a table of 220 columns hold?", tool: "entity_details", args: `{"connectionId":"wide","entities":["readings"]}`, text: taken{36339, 12021}, structured: taken{36339, 12021}},
	{question: "What are three of its columns?", tool: "entity_details", args: `{"connectionId":"wide","entities":[{"table":"readings","columns":["id","measure_7","taken_at"]}]}`, text: taken{862, 307}, structured: taken{862, 307}},
	{question: "What is a misspelt table?", tool: "entity_details", args: `{"connectionId":"shop","entities":["ordrs"]}`, text: taken{245, 80}, structured: taken{245, 79}},
	{question: "Where is a value, and one that is nowhere?", tool: "dictionary_search", args: `{"values":["shipped","nobody's value"]}`, text: taken{1660, 571}, structured: taken{1660, 574}},
	{question: "What can be asked of orders?", tool: "sl_read_source", args: `{"connectionId":"shop","source":"orders"}`, text: taken{3146, 1139}, structured: taken{3156, 1145}},
	{question: "How many orders by status?", tool: "sl_query", args: `{"connectionId":"shop","measures":["orders.order_count"],"dimensions":["orders.status"]}`, text: taken{389, 142}, structured: taken{389, 142}},
	{question: "A hundred rows", tool: "sql_execution", args: `{"connectionId":"shop","sql":"SELECT * FROM orders ORDER BY 1 LIMIT 100"}`, text: taken{7189, 3801}, structured: taken{7189, 3801}},
	{question: "A count", tool: "sql_execution", args: `{"connectionId":"shop","sql":"SELECT count(*) AS n FROM orders WHERE status = 'shipped'"}`, text: taken{78, 30}, structured: taken{78, 30}},
}

// TestAnswerSizes measures what the answers to recorded calls take. docs/benchmarks.md
// has the table that it logs.
func TestAnswerSizes(t *testing.T) {
	heavy(t, "answers of every size")
	t.Parallel()
	s := stdioServer(t, wideProject(t))
	var before, after [2]taken
	t.Log("| question | tool | text before | text after | structured before | structured after |")
	for _, r := range recording {
		var args map[string]any
		unmarshal(t, []byte(r.args), &args)
		result, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: r.tool, Arguments: args})
		if err != nil || result.IsError {
			t.Fatalf("%s: %v %+v", r.tool, err, result)
		}
		structured, err := json.Marshal(result.StructuredContent)
		if err != nil {
			t.Fatal(err)
		}
		text, content := measured(result.Content[0].(*mcp.TextContent).Text), measured(string(structured))
		t.Logf("| %s | %s | %d (%d) | %d (%d) | %d (%d) | %d (%d) |", r.question, r.tool,
			r.text.bytes, r.text.tokens, text.bytes, text.tokens, r.structured.bytes, r.structured.tokens, content.bytes, content.tokens)
		before[0].add(r.text)
		before[1].add(r.structured)
		after[0].add(text)
		after[1].add(content)
	}
	t.Logf("before %+v, after %+v", before, after)
	for i, what := range []string{"text", "structured content"} {
		if after[i].bytes > before[i].bytes/2 || after[i].tokens > before[i].tokens/2 {
			t.Errorf("%s: %+v, want at most half of %+v", what, after[i], before[i])
		}
	}
}

// A statement that finds nothing, or a table that is not there, is answered with what the
// catalog knows.
func TestStatementsThatFindNothing(t *testing.T) {
	heavy(t, "answers of every size")
	t.Parallel()
	s := stdioServer(t, wideProject(t))
	for sql, want := range map[string]string{
		"SELECT count(*) FROM orders WHERE status = 'Shipped'": "note: main.orders.status has no value 'Shipped'.",
		"SELECT count(*) FROM orders WHERE status = 'shipped'": "3390",
		"SELECT * FROM ordrs": "Did you mean: orders?", // the engine knows
		"SELECT * FROM order": "Did you mean: main.orders?",
	} {
		result, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "sql_execution", Arguments: map[string]any{"connectionId": "shop", "sql": sql}})
		if err != nil {
			t.Fatal(err)
		}
		if text := result.Content[0].(*mcp.TextContent).Text; !strings.Contains(text, want) || strings.Contains(text, "has no value") != strings.Contains(want, "has no value") {
			t.Errorf("%s: %s", sql, text)
		}
	}
}

// wideProject is the sample project with a connection to a table of 220 columns.
func wideProject(t *testing.T) string {
	t.Helper()
	source, err := sample()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "demo")
	if err := os.CopyFS(dir, os.DirFS(source)); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "data", "wide.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	columns, values := []string{"id INTEGER PRIMARY KEY", "taken_at TIMESTAMP NOT NULL", "state TEXT"},
		[]string{"n", "datetime('2024-01-01', n || ' hours')", "substr('newoldbad', 1 + 3 * (n % 3), 3)"}
	for i := len(columns); i < 220; i++ {
		columns = append(columns, fmt.Sprintf("measure_%d REAL", i))
		values = append(values, fmt.Sprintf("(n * %d %% 1000) / 10.0", i))
	}
	for _, statement := range []string{
		"CREATE TABLE readings (" + strings.Join(columns, ", ") + ")",
		"INSERT INTO readings WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 500) SELECT " + strings.Join(values, ", ") + " FROM c",
	} {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "loam.yaml")
	yaml, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const connections = "connections:\n"
	writeFile(t, path, strings.Replace(string(yaml), connections, connections+"  wide:\n    connector: sqlite\n    config: {path: data/wide.db}\n", 1))
	scan(t, dir, "wide")
	return dir
}

func measured(text string) taken { return taken{len(text), tokens(text)} }

// tokens estimates the tokens of a text: one for each six letters of a word, each three
// digits and each two signs that follow each other; blanks go with what follows them.
func tokens(text string) (n int) {
	sizes := map[rune]int{'a': 6, '0': 3, '.': 2}
	kind, run := ' ', 0
	end := func() {
		if size := sizes[kind]; size > 0 {
			n += (run + size - 1) / size
		}
	}
	for _, r := range text {
		is := '.'
		switch {
		case unicode.IsLetter(r):
			is = 'a'
		case unicode.IsDigit(r):
			is = '0'
		case unicode.IsSpace(r):
			is = ' '
		}
		if is != kind {
			end()
			kind, run = is, 0
		}
		run++
	}
	end()
	return n
}
