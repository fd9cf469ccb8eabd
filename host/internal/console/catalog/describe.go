package catalog

import (
	"context"
	"fmt"
	"strings"

	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/sdk"
)

// describe proposes a description of a table. What becomes of it is the memory's policy.
// Errors: KindInvalid for an empty text; those of memory.Service.EnhanceEntity.
func (p *pages) describe(ctx context.Context, r *page.Request) (*page.Outcome, error) {
	f, err := p.findTable(ctx, r)
	if err != nil {
		return nil, err
	}
	text := strings.ReplaceAll(r.Field("description"), "\r\n", "\n")
	if text == "" {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the description is empty").WithHint("write what a row of the table is")
	}
	out, err := p.Memory.EnhanceEntity(ctx, memory.Call{Actor: r.Actor, Connection: string(f.ID)},
		memory.Enhancement{Entity: f.display, Type: memory.EnhanceDescription, Values: []string{text}})
	if err != nil {
		return nil, err
	}
	flash := &page.Flash{Text: "The description is " + strings.ReplaceAll(out.Status, "_", " ")}
	if out.ChangeID != nil {
		flash.Text = fmt.Sprintf("Change %s, the description, is %s", *out.ChangeID, strings.ReplaceAll(out.Status, "_", " "))
	}
	if out.Reason != nil {
		flash.Details = append(flash.Details, cut(*out.Reason, maxTitle))
	}
	if out.Review != "" {
		flash.Details = append(flash.Details, cut(out.Review, maxTitle))
	}
	return &page.Outcome{Flash: flash}, nil
}
