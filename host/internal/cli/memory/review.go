package memory

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/host/internal/text"
)

func (a *commands) reviewCommand() *cobra.Command {
	cmd := a.reviewListCommand("review", "Review learned changes: list, show, approve, reject, edit, revert",
		"  loam review\n  loam review --state pending --kind measure\n  loam review --run 4ZQ5LJ2XH7KWM --state all --json")
	cmd.AddCommand(
		a.reviewListCommand("list", "List changes that wait for a person", "  loam review list --state pending"),
		a.reviewShowCommand(), a.approveCommand(), a.rejectCommand(), a.reviewEditCommand(), a.reviewRevertCommand(), a.muteCommand(), a.unmuteCommand(),
		a.reviewLogCommand())
	return cmd
}

// states are what --state takes.
var states = []string{"pending", "draft", "applied", "reverted", "rejected", "superseded", "all"}

type listFlags struct {
	request    memory.ChangesRequest
	run, since string
	muted      bool
	limit      int
}

func (a *commands) reviewListCommand(use, short, example string) *cobra.Command {
	var f listFlags
	cmd := &cobra.Command{
		Use:   use,
		Short: short,
		Long: `Lists changes, the latest first: those that wait for a person (pending), and those that were
applied without a review (draft). A pending change is applied when it is approved; a draft
is in effect already, and every answer that uses it is marked. Changes of muted actors are
left out.`,
		Example: example,
		Args:    command.NoSuchCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.read(cmd, time.Now()); err != nil {
				return err
			}
			return a.open(cmd.Context(), func(services *Services) error {
				answer, err := gather(cmd.Context(), services.Changes, f.request, f.limit)
				if err != nil {
					return err
				}
				return a.listChanges(answer)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.request.State, "state", "", strings.Join(states[:len(states)-1], ", ")+" or all (default: pending and draft)")
	flags.StringVar(&f.request.Kind, "kind", "", "only these kinds: page, alias, measure, segment, description, unit, values, synonyms, join, query, tag, source, skill")
	flags.StringVarP(&f.request.Connection, "connection", "c", "", "only changes of this connection")
	flags.StringVar(&f.run, "run", "", "only changes of this run")
	flags.StringVar(&f.request.Source, "source", "", "only changes from this source")
	flags.StringVar(&f.request.Actor, "actor", "", "only changes that this client or user proposed")
	flags.BoolVar(&f.muted, "muted", false, "also changes of muted actors")
	flags.StringVar(&f.since, "since", "", "only changes since this time: 90m, 7d, 2026-05-01 or 2026-05-01T12:00:00Z")
	flags.IntVarP(&f.limit, "limit", "n", 50, "most changes to list; 0 = all")
	return cmd
}

// kinds are what --kind takes.
var kinds = []change.Kind{
	"", change.Page, change.Alias, change.Measure, change.Segment, change.Description, change.Unit, change.Values, change.Synonyms, change.Join, change.Query,
	change.Tag, change.Source, change.Skill,
}

// read checks the flags.
func (f *listFlags) read(cmd *cobra.Command, now time.Time) (err error) {
	f.request.RunID = memory.RunID(f.run)
	switch {
	case f.limit < 0:
		return command.Usage(cmd, "--limit cannot be negative")
	case f.request.State != "" && !slices.Contains(states, f.request.State):
		return command.Usage(cmd, "unknown state %q: %s", f.request.State, strings.Join(states, ", "))
	case !slices.Contains(kinds, change.Kind(f.request.Kind)):
		return command.Usage(cmd, "there is no kind %q of changes", f.request.Kind)
	}
	f.request.HideMuted = !f.muted
	f.request.Open = f.request.State == ""
	if f.request.State == "all" {
		f.request.State = ""
	}
	f.request.Since, err = command.Since(cmd, f.since, now)
	return err
}

// mostAtOnce is how many changes one request may ask for.
const mostAtOnce = 1000

// gather lists up to limit changes, 0 = all.
func gather(ctx context.Context, from changes, request memory.ChangesRequest, limit int) (*memory.ChangesAnswer, error) {
	all := &memory.ChangesAnswer{Changes: []memory.ChangeLine{}}
	for {
		request.Limit = mostAtOnce
		if limit > 0 {
			request.Limit = min(mostAtOnce, limit-len(all.Changes))
		}
		page, err := from.Changes(ctx, request)
		if err != nil {
			return nil, err
		}
		all.Changes, all.Total, all.Hidden, all.NextCursor = append(all.Changes, page.Changes...), page.Total, page.Hidden, page.NextCursor
		if page.NextCursor == nil || limit > 0 && len(all.Changes) >= limit {
			return all, nil
		}
		request.Cursor = *page.NextCursor
	}
}

func (a *commands) listChanges(answer *memory.ChangesAnswer) error {
	if a.term.JSON {
		document := map[string]any{"changes": answer.Changes, "total": answer.Total}
		if answer.Hidden > 0 {
			document["hidden"] = answer.Hidden
		}
		return a.term.Document(document)
	}
	if len(answer.Changes) == 0 {
		a.term.Infof("no changes to show: nothing waits, or nothing fits")
		a.leftOut(answer)
		return nil
	}
	rows := make([][]string, len(answer.Changes))
	for i, c := range answer.Changes {
		rows[i] = []string{
			string(c.ID), c.State, string(c.Kind) + " " + c.Target, terminal.Cut(c.Says, terminal.MaxComment), c.By + ", " + text.Ago(c.At), whyShown(c),
		}
	}
	if err := a.term.Table([]string{"ID", "STATE", "WHAT", "SAYS", "FROM", "WHY"}, rows); err != nil {
		return err
	}
	if more := answer.Total - len(answer.Changes); more > 0 {
		a.term.Infof("%s more: --limit 0", text.Count(more, "change"))
	}
	a.leftOut(answer)
	return nil
}

// leftOut says how many changes of muted actors are not listed.
func (a *commands) leftOut(answer *memory.ChangesAnswer) {
	if answer.Hidden > 0 {
		a.term.Infof("%s of muted actors left out: --muted lists them", text.Count(answer.Hidden, "change"))
	}
}

// whyShown says why a change is on the list.
func whyShown(c memory.ChangeLine) string {
	if c.State == "draft" && len(c.Why) == 0 {
		return "unreviewed"
	}
	return whyText(c.Why)
}

func (a *commands) reviewLogCommand() *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:     "log",
		Short:   "Show who proposed, approved, rejected and reverted what",
		Long:    "Shows the log of changes, the latest event first: who did what to which change, and over which interface.",
		Example: "  loam review log --limit 200 --json",
		Args:    command.Exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if limit < 1 {
				return command.Usage(cmd, "--limit must be 1 at least")
			}
			return a.open(cmd.Context(), func(services *Services) error {
				events, err := services.Records.Log(cmd.Context(), limit)
				if err != nil {
					return err
				}
				return a.listEvents(events)
			})
		},
	}
	cmd.Flags().IntVarP(&limit, "limit", "n", 50, "most events to list")
	return cmd
}

func (a *commands) listEvents(events []memory.Event) error {
	if a.term.JSON {
		return a.term.Document(map[string]any{"events": append([]memory.Event{}, events...)})
	}
	if len(events) == 0 {
		a.term.Infof("nothing happened yet")
		return nil
	}
	rows := make([][]string, len(events))
	for i, e := range events {
		rows[i] = []string{text.Clock(e.At), e.By, e.Via, e.Verb, string(e.Change), string(e.RunID), terminal.Cut(e.Detail, terminal.MaxAbout)}
	}
	return a.term.Table([]string{"TIME", "WHO", "VIA", "DID", "CHANGE", "RUN", "DETAIL"}, rows)
}
