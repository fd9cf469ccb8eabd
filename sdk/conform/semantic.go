package conform

import (
	"context"
	"fmt"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// Request asks the connector request number n of a semantic layer, which a host compiles
// for a dialect, and compares the rows with those that it knows of another way.
// Errors: what keeps the request from an answer, the connector's errors as they are.
type Request func(ctx context.Context, n int, d *dialect.Dialect, ask Ask) (Asked, error)

// Ask runs a statement on the connector and returns its columns and its whole rows, with
// cells as sdk.Vector.Value returns them.
type Ask func(ctx context.Context, sql string) ([]sdk.Column, [][]any, error)

// Asked is a request and its answer.
type Asked struct {
	Request string // as JSON
	// Differs says how the rows differ, "" = not at all; Wanted and Got are the rows.
	Differs, Wanted, Got string
	// Refused says why the host compiles no statement: the dialect lacks what the request
	// needs. That is no fault.
	Refused string
}

// parts is into how many checks the requests go, so that each has its own bound of time.
const parts = 10

// semanticChecks ask the requests, each check its share of them.
func semanticChecks(t *Target) []check {
	checks := make([]check, parts)
	for i := range checks {
		checks[i] = check{fmt.Sprintf("requests_%d", i+1), func(p *probe) { p.asksRequests(i*t.Requests/parts, (i+1)*t.Requests/parts) }}
	}
	return checks
}

// asksRequests asks the requests from one number to before another.
func (p *probe) asksRequests(from, to int) {
	p.require(p.run.target.Request != nil, "Request")
	d, session := p.dialectOfServer(), p.shareSession()
	ask := func(ctx context.Context, sql string) ([]sdk.Column, [][]any, error) {
		a, err := p.execute(ctx, session, sdk.ExecuteRequest{SQL: sql})
		return a.columns, a.rows, err
	}
	refused := 0
	p.within(patience, "the requests", func() {
		for n := from; n < to && p.ctx.Err() == nil; n++ {
			asked, err := p.run.target.Request(p.ctx, n, d, ask)
			switch {
			case err != nil:
				p.watchError(err)
				p.errorf("request %s: %v", asked.Request, err)
			case asked.Differs != "":
				p.note(Finding{Text: fmt.Sprintf("request %s: %s", asked.Request, asked.Differs), Wanted: asked.Wanted, Got: asked.Got})
			case asked.Refused != "":
				refused++
				p.remark("request %s is refused: %s", asked.Request, asked.Refused)
			}
		}
	})
	if refused == to-from && refused > 0 {
		p.errorf("every request is refused")
	}
}
