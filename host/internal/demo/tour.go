package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
		{"Run a query", "The first query starts the connector. Cents, three currencies, guests without a customer: real rows.", t.query},
		{"Try to write", "Refused before any connector sees it, with the place and the reason. (The connector would refuse as well.)", t.write},
		{"Cancel a query", "An endless query, taken back after half a second: it ends inside the engine, and the connection goes on.", t.cancel},
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

func (t *Tour) list(ctx context.Context, server *client.Client) error {
	result, err := t.call(ctx, server, "connection_list", map[string]any{})
	if err != nil {
		return err
	}
	var out struct {
		Connections []struct{ ID, Connector, DisplayName, Status string }
	}
	if err := decode(result, &out); err != nil {
		return err
	}
	if len(out.Connections) != 2 {
		return sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "connection_list knows %d connections instead of 2", len(out.Connections))
	}
	for _, c := range out.Connections {
		fmt.Fprintf(t.Out, "     %-6s %-8s %s (%s)\n", c.ID, c.Connector, c.DisplayName, c.Status)
	}
	return nil
}

const revenueSQL = `SELECT o.currency, count(DISTINCT o.id) AS orders, count(DISTINCT o.customer_id) AS customers,
       sum(i.quantity * i.unit_price_cents - i.discount_cents) / 100.0 AS revenue
FROM orders o JOIN order_items i ON i.order_id = o.id
WHERE o.status <> 'cancelled' GROUP BY o.currency ORDER BY revenue DESC`

func (t *Tour) query(ctx context.Context, server *client.Client) error {
	result, err := t.call(ctx, server, "sql_execution", map[string]any{"connectionId": "shop", "sql": revenueSQL})
	if err != nil {
		return err
	}
	var out struct {
		Headers   []string
		Rows      [][]json.RawMessage
		RowCount  int
		ElapsedMs float64
	}
	if err := decode(result, &out); err != nil {
		return err
	}
	if out.RowCount == 0 {
		return sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "the query returned no rows")
	}
	fmt.Fprintf(t.Out, "     %s\n", strings.Join(out.Headers, "  "))
	for _, row := range out.Rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = strings.Trim(string(cell), `"`)
		}
		fmt.Fprintf(t.Out, "     %s\n", strings.Join(cells, "  "))
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
		return sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "a DELETE was not refused")
	}
	for _, line := range strings.Split(answer(result), "\n") {
		fmt.Fprintf(t.Out, "     %s\n", line)
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
		return sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "the endless query ended with %v", err)
	}
	fmt.Fprintf(t.Out, "     cancelled after %v\n", patience)
	started := time.Now()
	result, err := t.call(ctx, server, "sql_execution", map[string]any{"connectionId": "shop", "sql": "SELECT count(*) FROM orders"})
	if err != nil {
		return err
	}
	if result.IsError {
		return sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "the query after it failed: %s", answer(result))
	}
	fmt.Fprintf(t.Out, "     the next query answered after %d ms\n", time.Since(started).Milliseconds())
	return nil
}

// call prints the call and makes it; a statement is shown on lines of its own.
func (t *Tour) call(ctx context.Context, server *client.Client, tool string, args map[string]any) (*mcp.CallToolResult, error) {
	fmt.Fprintf(t.Out, "   %s\n", t.Dim(strings.TrimSpace(fmt.Sprintf("→ %s %s", tool, text(args["connectionId"])))))
	for _, line := range strings.Split(text(args["sql"]), "\n") {
		if line != "" {
			fmt.Fprintf(t.Out, "       %s\n", t.Dim(line))
		}
	}
	var req mcp.CallToolRequest
	req.Params.Name, req.Params.Arguments = tool, args
	return server.CallTool(ctx, req)
}

// text is the text of an argument, "" where it is missing.
func text(argument any) string {
	s, _ := argument.(string)
	return s
}

func answer(result *mcp.CallToolResult) string {
	for _, c := range result.Content {
		if block, ok := c.(mcp.TextContent); ok {
			return block.Text
		}
	}
	return ""
}

func decode(result *mcp.CallToolResult, into any) error {
	if result.IsError {
		return sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "the call failed: %s", answer(result))
	}
	return json.Unmarshal([]byte(answer(result)), into)
}
