package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/client"
)

// source reads what one source offers.
func (t *Tour) source(ctx context.Context, server *client.Client) error {
	var out struct {
		Name     string
		Measures []struct{ Name, Description, Format string }
		Joins    []struct{ To, Role string }
	}
	if err := t.ask(ctx, server, "sl_read_source", map[string]any{"connectionId": "shop", "source": "orders"}, &out); err != nil {
		return err
	}
	var measures, joins []string
	for _, m := range out.Measures {
		measures = append(measures, m.Name)
		if m.Description != "" {
			t.print("%-16s %s", m.Name, m.Description)
		}
	}
	for _, j := range out.Joins {
		name := j.Role
		if name == "" {
			name = j.To
		}
		joins = append(joins, name)
	}
	t.print("joins: %s", strings.Join(joins, ", "))
	for _, want := range []string{"order_count", "buyers", "shipping"} {
		if !slices.Contains(measures, want) {
			return wrong("orders has the measures %q and not %s", measures, want)
		}
	}
	for _, want := range []string{"customers", "bill_region", "ship_region", "exchange_rates"} {
		if !slices.Contains(joins, want) {
			return wrong("orders joins %q and not %s", joins, want)
		}
	}
	return nil
}

// naiveSQL is what one writes in a hurry: an order with two lines and a refund
// counts the refund twice, and one with two refunds counts its lines twice.
const naiveSQL = `SELECT o.currency, sum(i.quantity * i.unit_price_cents - i.discount_cents) / 100.0 AS revenue, sum(f.amount_cents) / 100.0 AS refunded
FROM orders o JOIN order_items i ON i.order_id = o.id LEFT JOIN refunds f ON f.order_id = o.id
WHERE o.status <> 'cancelled' GROUP BY o.currency ORDER BY o.currency`

// What the two ways to ask must answer. The sums of the sample are whole cents.
var (
	naiveRows = []string{"CHF 160573.74 4405.47", "EUR 660689.15 21597.56", "GBP 172710.33 6418.00"}
	rightRows = []string{"CHF 160573.74 1802.12", "EUR 658714.64 9770.72", "GBP 172274.08 2719.83"}
)

// measure asks for revenue and refunds, with a join and with the semantic layer.
func (t *Tour) measure(ctx context.Context, server *client.Client) error {
	naive, err := t.currencies(ctx, server, "sql_execution", map[string]any{"connectionId": "shop", "sql": naiveSQL})
	if err != nil {
		return err
	}
	right, err := t.currencies(ctx, server, "sl_query", map[string]any{
		"connection_id": "shop",
		"measures":      []any{"order_items.revenue", "refunds.refunded", "refund_rate"},
		"dimensions":    []any{"orders.currency"},
	})
	if err != nil {
		return err
	}
	if !slices.Equal(naive, naiveRows) || !slices.Equal(right, rightRows) {
		return wrong("the join has %q instead of %q, sl_query has %q instead of %q", naive, naiveRows, right, rightRows)
	}
	t.print("%s", "sl_query is right. In the join a refund counts once for every line of its order: 21,597.56 euros instead of 9,770.72;")
	t.print("%s", "and lines count once for every refund. sl_query adds up each table by itself and puts the sums side by side.")
	return nil
}

// currencies asks for one row per currency and returns its first three cells,
// amounts with their cents.
func (t *Tour) currencies(ctx context.Context, server *client.Client, tool string, args map[string]any) ([]string, error) {
	var out struct {
		Headers []string
		Rows    [][]any
	}
	if err := t.ask(ctx, server, tool, args, &out); err != nil {
		return nil, err
	}
	t.print("%s", strings.Join(out.Headers, "  "))
	var rows []string
	for _, row := range out.Rows {
		if len(row) < 3 {
			return nil, wrong("%s returned rows of %d columns", tool, len(row))
		}
		cells := []string{fmt.Sprint(row[0])}
		for _, cell := range row[1:3] {
			cells = append(cells, fmt.Sprintf("%.2f", cell))
		}
		rows = append(rows, strings.Join(cells, " "))
		for _, cell := range row[3:] {
			cells = append(cells, fmt.Sprintf("%.4f", cell))
		}
		t.print("%s", strings.Join(cells, "  "))
	}
	return rows, nil
}

// refusal asks what could mean three things.
func (t *Tour) refusal(ctx context.Context, server *client.Client) error {
	result, err := t.call(ctx, server, "sl_query", map[string]any{
		"connection_id": "shop", "measures": []any{"orders.order_count"}, "dimensions": []any{"regions.name"},
	})
	if err != nil {
		return err
	}
	if !result.IsError {
		return wrong("orders by regions.name was answered, by whichever of three regions")
	}
	text := answer(result)
	for line := range strings.Lines(text) {
		t.print("%s", strings.TrimRight(line, "\n"))
	}
	var out struct{ Details struct{ Candidates []string } }
	body, err := json.Marshal(result.StructuredContent)
	if err == nil {
		err = json.Unmarshal(body, &out)
	}
	if err != nil {
		return wrong("a refusal that cannot be read: %w", err)
	}
	for _, want := range []string{"bill_region.name", "ship_region.name", "customers.regions.name"} {
		if !slices.Contains(out.Details.Candidates, want) {
			return wrong("the refusal offers %q and not %s", out.Details.Candidates, want)
		}
	}
	return nil
}
