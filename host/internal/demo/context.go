package demo

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/client"
)

// connections asks for the connections and checks that both are there.
func (t *Tour) connections(ctx context.Context, server *client.Client) (all []listed, err error) {
	var out struct{ Connections []listed }
	if err := t.ask(ctx, server, "connection_list", map[string]any{}, &out); err != nil {
		return nil, err
	}
	if len(out.Connections) != 2 {
		return nil, wrong("connection_list knows %d connections instead of 2", len(out.Connections))
	}
	return out.Connections, nil
}

// listed is a connection as connection_list has it.
type listed struct {
	ID, Name, Dialect, Status, ScannedAt string
	Tables                               int
}

func (t *Tour) list(ctx context.Context, server *client.Client) error {
	all, err := t.connections(ctx, server)
	for _, c := range all {
		t.print("%-6s %-8s %s (%s)", c.ID, c.Dialect, c.Name, c.Status)
	}
	return err
}

// scan runs the program as a person would, beside the server, which answers
// from the snapshots at once.
func (t *Tour) scan(ctx context.Context, server *client.Client) error {
	t.print("%s", t.Dim("$ loam scan"))
	text, err := t.command(ctx, false, "scan", "--json")
	if err != nil {
		return err
	}
	var out struct{ Connections []scanned }
	if err := json.Unmarshal(text, &out); err != nil {
		return wrong("loam scan: %w", err)
	}
	tables := map[string]int{}
	for _, c := range out.Connections {
		tables[c.ConnectionID] = c.Snapshot.Tables
		t.print("%s: %d tables, %d profiles made and %d kept, %d relationships declared and %d inferred, in %d ms", c.ConnectionID,
			c.Snapshot.Tables, c.Profiles.Made, c.Profiles.Kept, c.Relationships.Declared, c.Relationships.Accepted, c.ElapsedMs)
	}
	all, err := t.connections(ctx, server)
	for _, c := range all {
		if c.Status != "ready" || c.ScannedAt == "" || c.Tables != tables[c.ID] {
			return wrong("after the scan connection %s is %s with %d tables of %q", c.ID, c.Status, c.Tables, c.ScannedAt)
		}
		t.print("%-6s %s, %d tables, %s", c.ID, c.Status, c.Tables, c.ScannedAt)
	}
	return err
}

// scanned is what became of the scan of a connection.
type scanned struct {
	ConnectionID string
	Snapshot     struct {
		Tables int
	}
	Profiles      struct{ Made, Kept int }
	Relationships struct{ Declared, Accepted int }
	ElapsedMs     int64
}

// question calls revenue and customers by other names than the schema does: the
// glossary knows them.
const question = "turnover of clients"

func (t *Tour) discover(ctx context.Context, server *client.Client) error {
	if err := t.find(ctx, server, map[string]any{"query": question, "limit": 5}, "wiki revenue", "wiki customers"); err != nil {
		return err
	}
	args := map[string]any{"query": question, "kinds": []any{"table", "column"}, "connectionId": "shop", "limit": 5}
	if err := t.find(ctx, server, args, "table main.customers", "column main.orders.customer_id"); err != nil {
		return err
	}
	var page struct {
		Title, Summary, Body string
		Links                []string
	}
	if err := t.ask(ctx, server, "wiki_read", map[string]any{"key": "revenue"}, &page); err != nil {
		return err
	}
	if !strings.Contains(page.Body, "cancelled") || !slices.Contains(page.Links, "money") {
		return wrong("wiki_read returned another page: %.200s", page.Body)
	}
	t.print("%s: %s", page.Title, page.Summary)
	return nil
}

// find asks discover_data and checks that it found what it should.
func (t *Tour) find(ctx context.Context, server *client.Client, args map[string]any, wanted ...string) error {
	var out struct {
		Refs []struct{ Kind, ID, MatchedOn, ConnectionID string }
	}
	if err := t.ask(ctx, server, "discover_data", args, &out); err != nil {
		return err
	}
	found := map[string]bool{}
	for _, r := range out.Refs {
		found[r.Kind+" "+r.ID] = true
		t.print("%-12s %-28s %-5s matched on %s", r.Kind, r.ID, r.ConnectionID, r.MatchedOn)
	}
	for _, want := range wanted {
		if !found[want] {
			return wrong("discover_data did not find %s", want)
		}
	}
	return nil
}

func (t *Tour) inspect(ctx context.Context, server *client.Client) error {
	var out struct {
		Entities []struct {
			Display        string
			Columns, Joins []string
		}
		Errors []struct{ Message string }
	}
	args := map[string]any{"connectionId": "crm", "entities": []any{map[string]any{"table": "subscription"}}}
	if err := t.ask(ctx, server, "entity_details", args, &out); err != nil {
		return err
	}
	if len(out.Entities) != 1 || len(out.Errors) != 0 {
		return wrong("entity_details has %d entities and the errors %v", len(out.Entities), out.Errors)
	}
	e, inferred := out.Entities[0], false
	for _, c := range e.Columns {
		t.print("%s", c)
	}
	for _, j := range e.Joins {
		if strings.Contains(j, "declared") {
			return wrong("%s declares no keys, but has the join %s", e.Display, j)
		}
		inferred = inferred || strings.HasPrefix(j, "plan_code -> main.plan.") && strings.Contains(j, "inferred")
		t.print("%s", j)
	}
	if !inferred {
		return wrong("that subscription.plan_code refers to plan was not inferred")
	}
	return nil
}

func (t *Tour) dictionary(ctx context.Context, server *client.Client) error {
	var out struct {
		Results []struct {
			Value   string
			Matches []string
		}
		Misses []struct {
			ConnectionID, Reason string
			Values               []string
		}
	}
	if err := t.ask(ctx, server, "dictionary_search", map[string]any{"values": []any{"zürich", "parcel"}}, &out); err != nil {
		return err
	}
	var found strings.Builder
	for _, r := range out.Results {
		for _, m := range r.Matches {
			found.WriteString(m + "\n")
			t.print("%-8s is in %s", r.Value, m)
		}
	}
	for _, m := range out.Misses {
		t.print("%-8s %s: %s", strings.Join(m.Values, ", "), m.ConnectionID, m.Reason)
	}
	for _, want := range []string{"shop: main.regions.name = Zürich", "crm: main.ticket.subject = Where is my parcel?"} {
		if !strings.Contains(found.String(), want) {
			return wrong("dictionary_search did not find %s in %s", want, found.String())
		}
	}
	return nil
}
