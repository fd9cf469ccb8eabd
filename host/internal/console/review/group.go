// Package review shows what was learned and lets people decide: the inbox, a change, a run, and what a revert would do.
// It decides nothing itself: the memory does, with the actor of the request.
package review

import (
	"context"
	"embed"

	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/job"
	"github.com/loam-data/loam/host/internal/memory"
)

//go:embed template/*.html
var templates embed.FS

// Services are the use cases behind the pages. All fields are required.
type Services struct {
	Memory *memory.Service
	Jobs   jobs
}

// jobs are runs of all kinds; *job.Service is one.
type jobs interface {
	Report(ctx context.Context, f job.Follow) (job.Status, error)
	Replay(ctx context.Context, by job.Caller, id string) (job.Status, error)
}

// The section of the navigation, and the address of the page that takes lists of changes.
const (
	section   = "inbox"
	inboxPath = ""
)

// Pages returns the pages.
func Pages(s Services) page.Group {
	return page.Group{Templates: templates, Pages: []page.Page{
		{
			Path: inboxPath, Section: section, Template: "review.inbox", Show: s.inbox,
			Actions: map[string]page.Action{
				"ask": {Do: s.ask}, "approve": {Do: s.approveAll}, "reject": {Do: s.rejectAll}, "revert": {Do: s.revertAll}, "reopen": {Do: s.reopenAll},
				"mute": {Do: s.mute}, "unmute": {Do: s.unmute},
			},
		},
		{
			Path: "change/{id}", Section: section, Template: "review.change", Show: s.change,
			Actions: map[string]page.Action{
				"approve": {Do: s.approve}, "reject": {Do: s.reject}, "revert": {Do: s.revert}, "reopen": {Do: s.reopen},
				"save": {Do: s.save}, "save-approve": {Do: s.saveAndApprove},
				"numbers": {Do: s.compareNumbers, Query: true},
			},
		},
		{
			Path: "run/{id}", Section: section, Template: "review.run", Show: s.run,
			Actions: map[string]page.Action{"retry": {Do: s.retry}},
		},
		{Path: "revert", Section: section, Template: "review.revert", Show: s.outlook},
	}}
}
