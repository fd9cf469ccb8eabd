package demo

import (
	"context"

	"github.com/mark3labs/mcp-go/client"
)

// unsettled is what the tour leaves to a person: a definition that contradicts the one that was approved, whose measure
// nobody reviewed, and a join of two numbers that are not the same.
var unsettled = []struct{ connection, text string }{
	{"shop", "Delivery income is the sum of shipping_cents / 100 in orders where status <> 'cancelled'. Source: support."},
	{"crm", "ticket.cust_no refers to subscription.sub_id."},
}

// leave tells Loam what it cannot decide, and lists what waits. When the tour is taken again, the texts are known, and
// what a person decided of them stays.
func (t *Tour) leave(ctx context.Context, server *client.Client) error {
	for _, u := range unsettled {
		if _, err := t.tell(ctx, server, u.connection, u.text); err != nil {
			return err
		}
	}
	_, err := t.command(ctx, true, "review", "list")
	return err
}
