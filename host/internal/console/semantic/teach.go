package semantic

import (
	"context"
	"net/http"
	"strings"

	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/console/shown"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/sdk"
)

// teach hands what a person writes about a measure to the memory, whose run proposes changes as it does for a text of an
// agent: conflicts and checks included.
func (p *pages) teach(ctx context.Context, r *page.Request) (*page.Outcome, error) {
	typed := strings.TrimSpace(strings.ReplaceAll(r.Form.Get("text"), "\r\n", "\n"))
	var accepted memory.Accepted
	err := error(sdk.Errorf(sdk.KindUnsupported, sdk.SourceHost, "nothing can be taught here").WithHint("edit the file of the measure"))
	if p.Memory != nil {
		accepted, err = p.Memory.Accept(ctx, memory.Input{Content: typed, Connection: r.Path("connection"), Actor: r.Actor})
	}
	if err == nil {
		flash := &page.Flash{Text: "The text is worked on: this page shows what becomes of it."}
		if accepted.Duplicate {
			flash.Text = "This text was taught before: this is what became of it."
		}
		return &page.Outcome{To: strings.TrimPrefix(page.Link("run", string(accepted.RunID)), page.Root), Flash: flash}, nil
	}
	if sdk.KindOf(err) == sdk.KindInternal {
		return nil, err
	}
	v, d, failed := p.describe(ctx, r)
	if failed != nil {
		return nil, failed
	}
	d.Typed, d.Fault, v.Status = typed, shown.FaultOf(err, "", p.Redact), http.StatusUnprocessableEntity
	return &page.Outcome{View: v}, nil
}
