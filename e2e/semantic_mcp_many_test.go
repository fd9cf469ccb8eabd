package e2e

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// asked is a request and the rows that it may have, by what the files say at the
// moment; a refusal of broken definitions is one of them where broken is set.
type asked struct {
	request string
	rows    []string
	broken  bool
}

// mixed returns the requests of a client in one round. The last one has an answer
// that no other request has.
func mixed(client, round int) []asked {
	own := 1000*client + round
	return []asked{
		{`{"measures":["orders.revenue","orders.double"]}`, []string{`[[270,540]]`, `[[2700,5400]]`}, false},
		{
			`{"measures":["orders.revenue","items.units"],"dimensions":["customers.segment"],"order_by":["customers.segment"]}`,
			[]string{`[["retail",150,8],["wholesale",70,3],[null,50,3]]`, `[["retail",1500,8],["wholesale",700,3],[null,500,3]]`},
			false,
		},
		{`{"metrics":["items.units"],"group_by":["items.product"],"order_by":["-items.units"]}`, []string{`[["bread",10],["cake",4]]`}, false},
		{`{"measures":["tickets.ticket_count"]}`, []string{`[[3]]`}, true},
		{
			fmt.Sprintf(`{"measures":[{"expr":"sum(orders.id) * 1000000 + %d","name":"own_%d"}]}`, own, own),
			[]string{fmt.Sprintf(`[[%d]]`, 15_000_000+own)},
			false,
		},
	}
}

// Many clients ask at once while files are edited, broken and mended: every
// answer is that of one state of the files, and of the request that it is for.
func TestSemanticMCPServesManyWhileFilesChange(t *testing.T) {
	heavy(t, "many clients while files change")
	t.Parallel()
	const clients, rounds = 64, 4
	dir := bakeryProject(t)
	_, url := startHTTP(t, dir)
	servers := make([]*server, clients)
	for i := range servers {
		servers[i] = client(t, &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: &http.Transport{}}})
	}

	var asking, editing sync.WaitGroup
	done := make(chan struct{})
	edits := 0
	editing.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			orders, tickets := ordersFile([]string{"amount * 10", "amount"}[edits%2]), []string{"name: tickets\ntable: [\n", ticketsFile}[edits%2]
			if err := errors.Join(replaceFile(bakeryFile(dir, "orders.yaml"), orders), replaceFile(bakeryFile(dir, "tickets.yaml"), tickets)); err != nil {
				t.Error(err)
				return
			}
			edits++
		}
	})
	var mu sync.Mutex
	seen := map[string]int{}
	for i, s := range servers {
		asking.Go(func() {
			for round := range rounds {
				requests := mixed(i, round)
				for at := range requests {
					q := requests[(at+i)%len(requests)] // not all the same at the same time
					got, refusal := s.numbersOf(t.Context(), t, q.request)
					switch {
					case refusal != nil && (!q.broken || refusal.Details.Code != "broken_definition"):
						t.Errorf("client %d: %s: %s", i, q.request, refusal.text)
					case refusal == nil && !slices.Contains(q.rows, string(got.Rows)):
						t.Errorf("client %d: %s: %s, want one of %s", i, q.request, got.Rows, q.rows)
					}
					mu.Lock()
					if refusal != nil {
						seen["refused"]++
					} else {
						seen[string(got.Rows)]++
					}
					mu.Unlock()
				}
			}
		})
	}
	asking.Wait()
	close(done)
	editing.Wait()
	if edits == 0 {
		t.Error("nothing was edited")
	}
	t.Logf("%d clients, %d questions, %d edits: revenue once %d and tenfold %d times, refused %d times",
		clients, clients*rounds*len(mixed(0, 0)), 2*edits, seen[`[[270,540]]`], seen[`[[2700,5400]]`], seen["refused"])
}
