package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/loam-data/loam/sdk"
)

// Tour walks through real calls: it starts Executable as an MCP server over
// stdio on the project in Dir, the way a client does, and prints what it asks
// and what comes back.
type Tour struct {
	Executable string
	Dir        string
	Out        io.Writer
	// Bold and Dim decorate text for a terminal; identity otherwise.
	Bold, Dim func(string) string
}

type stop struct {
	title string
	why   string
	walk  func(context.Context, *client.Client) error
}

// Run takes the tour. Errors: a stop that did not go as it should, with its
// title; the server is ended in any case.
func (t *Tour) Run(ctx context.Context) error {
	server, err := client.NewStdioMCPClient(t.Executable, nil, "mcp", "stdio", "--project-dir", t.Dir, "--quiet")
	if err != nil {
		return sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "start the MCP server: %w", err)
	}
	err = t.visit(ctx, server)
	if closing := server.Close(); closing != nil {
		// A busy machine may need longer than the client library's patience: every
		// stop was made, so this is worth a word and no failure.
		fmt.Fprintf(t.Out, "%s\n\n", t.Dim("the server did not end by itself: "+closing.Error()))
	}
	return err
}

func (t *Tour) visit(ctx context.Context, server *client.Client) error {
	started := time.Now()
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	hello.Params.ClientInfo = mcp.Implementation{Name: "loam-demo", Version: "1"}
	if _, err := server.Initialize(ctx, hello); err != nil {
		return sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "initialize: %w", err)
	}
	fmt.Fprintf(t.Out, "%s\n\n", t.Dim(fmt.Sprintf("loam mcp stdio answered initialize after %d ms; no connector is running yet", time.Since(started).Milliseconds())))
	stops := []stop{
		{"List the connections", "What is there? Answered from the project file; nothing is started.", t.list},
		{"Scan them", "Tables, keys, profiles of the columns, and the relationships that crm does not declare. The running server sees it at once.", t.scan},
		{"Discover", "No table knows turnover or clients. The glossary does: it leads to the pages and the tables that are meant.", t.discover},
		{"Inspect", "A table of crm, whose keys nobody declared: what refers to what was inferred and checked against the data.", t.inspect},
		{"Look values up", "Which columns hold a literal? Answered from the sampled values, without a query.", t.dictionary},
		{"Read a source", "What orders offers: measures that somebody approved, and where its joins lead.", t.source},
		{"Ask for measures", "Revenue and refunds by currency, once with a join and once with sl_query. They differ. The first query starts the connector.", t.measure},
		{"Be refused", "An order has two regions, its customer a third. What could mean several things is no guess: the choices come back.", t.refusal},
		{"Teach it", "A sentence that names its columns becomes a page and a measure, found and asked for at once. Loam compiled it and ran it before.", t.teach},
		{"Review", "Both are drafts of an agent. A person approves the page and takes the measure back, file and all.", t.review},
		{"Leave something to decide", "Another team counts the same income otherwise, somebody guesses a join, and a card number may be one of two kinds of cards. What was approved stays; the rest is for a person, here or with loam console.", t.leave},
		{"Run a query", "Cents, three currencies, guests without a customer: real rows.", t.query},
		{"Try to write", "Refused before any connector sees it, with the place and the reason. (The connector would refuse as well.)", t.write},
		{"Cancel a query", "An endless query, taken back after half a second: it ends inside the engine, and the connection goes on.", t.cancel},
		{"Set up a client", "What Claude Code would be told: where the server is, and how to work with it. Nothing is written in a dry run.", t.setup},
	}
	for i, s := range stops {
		fmt.Fprintf(t.Out, "%s\n%s\n", t.Bold(fmt.Sprintf("%d. %s", i+1, s.title)), s.why)
		if err := s.walk(ctx, server); err != nil {
			return fmt.Errorf("%s: %w", s.title, err)
		}
		fmt.Fprintln(t.Out)
	}
	return nil
}

const revenueSQL = `SELECT o.currency, count(DISTINCT o.id) AS orders, count(DISTINCT o.customer_id) AS customers,
       sum(i.quantity * i.unit_price_cents - i.discount_cents) / 100.0 AS revenue
FROM orders o JOIN order_items i ON i.order_id = o.id
WHERE o.status <> 'cancelled' GROUP BY o.currency ORDER BY revenue DESC`

func (t *Tour) query(ctx context.Context, server *client.Client) error {
	var out struct {
		Headers  []string
		Rows     [][]json.RawMessage
		RowCount int
	}
	if err := t.ask(ctx, server, "sql_execution", map[string]any{"connectionId": "shop", "sql": revenueSQL}, &out); err != nil {
		return err
	}
	if out.RowCount != 3 {
		return wrong("the query returned %d rows instead of one for each currency", out.RowCount)
	}
	t.print("%s", strings.Join(out.Headers, "  "))
	for _, row := range out.Rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = strings.Trim(string(cell), `"`)
		}
		t.print("%s", strings.Join(cells, "  "))
	}
	return nil
}

func (t *Tour) write(ctx context.Context, server *client.Client) error {
	result, err := t.call(ctx, server, "sql_execution", map[string]any{
		"connectionId": "shop",
		"sql":          "WITH gone AS (SELECT id FROM orders) DELETE FROM orders WHERE id IN (SELECT id FROM gone)",
	})
	if err != nil {
		return err
	}
	if !result.IsError {
		return wrong("a DELETE was not refused")
	}
	for _, line := range strings.Split(answer(result), "\n") {
		t.print("%s", line)
	}
	return nil
}

const endlessSQL = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"

func (t *Tour) cancel(ctx context.Context, server *client.Client) error {
	const patience = 500 * time.Millisecond
	short, stop := context.WithTimeout(ctx, patience)
	defer stop()
	_, err := t.call(short, server, "sql_execution", map[string]any{"connectionId": "shop", "sql": endlessSQL})
	if !errors.Is(err, context.DeadlineExceeded) {
		return wrong("the endless query ended with %v", err)
	}
	t.print("cancelled after %v", patience)
	started := time.Now()
	result, err := t.call(ctx, server, "sql_execution", map[string]any{"connectionId": "shop", "sql": "SELECT count(*) FROM orders"})
	if err != nil {
		return err
	}
	if result.IsError {
		return wrong("the query after it failed: %s", answer(result))
	}
	t.print("the next query answered after %d ms", time.Since(started).Milliseconds())
	return nil
}

// call prints the call and makes it; a statement is shown on lines of its own.
func (t *Tour) call(ctx context.Context, server *client.Client, tool string, args map[string]any) (*mcp.CallToolResult, error) {
	rest := maps.Clone(args)
	delete(rest, "sql")
	shown, err := json.Marshal(rest)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(t.Out, "   %s\n", t.Dim("→ "+tool+" "+string(shown)))
	statement, _ := args["sql"].(string)
	for _, line := range strings.Split(statement, "\n") {
		if line != "" {
			fmt.Fprintf(t.Out, "       %s\n", t.Dim(line))
		}
	}
	var req mcp.CallToolRequest
	req.Params.Name, req.Params.Arguments = tool, args
	return server.CallTool(ctx, req)
}

// ask makes a call and decodes its answer.
func (t *Tour) ask(ctx context.Context, server *client.Client, tool string, args map[string]any, into any) error {
	result, err := t.call(ctx, server, tool, args)
	if err != nil {
		return err
	}
	if result.IsError {
		return wrong("%s failed: %s", tool, answer(result))
	}
	content, err := json.Marshal(result.StructuredContent)
	if err != nil {
		return err
	}
	return json.Unmarshal(content, into)
}

// wrong is an answer that a tour must not get.
func wrong(format string, args ...any) error {
	return sdk.Errorf(sdk.KindInternal, sdk.SourceHost, format, args...)
}

func (t *Tour) print(format string, args ...any) {
	fmt.Fprintln(t.Out, strings.TrimRight(fmt.Sprintf("     "+format, args...), " "))
}

func answer(result *mcp.CallToolResult) string {
	for _, c := range result.Content {
		if block, ok := c.(mcp.TextContent); ok {
			return block.Text
		}
	}
	return ""
}
