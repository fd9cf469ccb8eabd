package demo

import (
	"bytes"
	"context"

	"github.com/mark3labs/mcp-go/client"
)

// unsettled is what the tour leaves to a person: a definition that contradicts the one that was approved, whose measure
// nobody reviewed, and a join of two numbers that are not the same.
var unsettled = []struct{ connection, text string }{
	{"shop", "Delivery income is the sum of shipping_cents / 100 in orders where status <> 'cancelled'. Source: support."},
	{"crm", "ticket.cust_no refers to subscription.sub_id."},
}

// leave tells Loam what it cannot decide, and lists what waits, with the joins of which the scan found several. When the
// tour is taken again, the texts are known, and what a person decided stays.
func (t *Tour) leave(ctx context.Context, server *client.Client) error {
	for _, u := range unsettled {
		if _, err := t.tell(ctx, server, u.connection, u.text); err != nil {
			return err
		}
	}
	if _, err := t.command(ctx, true, "review", "list"); err != nil {
		return err
	}
	joins, err := t.command(ctx, true, "catalog", "relationships", "-c", "crm", "--status", "all")
	if err == nil && !bytes.Contains(joins, []byte("main.card_use(card_no)")) {
		return wrong("the scan of crm found no join of the cards")
	}
	return err
}
