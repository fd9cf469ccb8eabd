package catalog

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/snapshot"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/host/internal/review"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

func (a *commands) relationshipsCommand() *cobra.Command {
	var id, status string
	cmd := command.ConnectionFlag(&cobra.Command{
		Use:   "relationships [-c CONNECTION]",
		Short: "List which columns refer to which, with what speaks for it",
		Long: `Lists foreign keys: declared ones of the warehouse, inferred ones, and those that a person
decided on. An inferred one with sufficient evidence is accepted; the others wait for a
person: loam catalog relationships accept or reject, with the id. Decisions are stored in
relationships/CONNECTION.json, which belongs under version control; they take effect at once
and survive every scan.`,
		Example: "  loam catalog relationships -c warehouse --status review",
		Args:    command.NoSuchCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !slices.Contains([]string{"", "accepted", "review", "rejected", "all"}, status) {
				return command.Usage(cmd, "unknown status %q: accepted, review, rejected or all", status)
			}
			return a.onScanned(cmd, id, func(services *Services, s *scanned) error { return a.listLinks(cmd, services, s, status) })
		},
	}, &id)
	cmd.Flags().StringVar(&status, "status", "", "accepted, review, rejected or all (default: all but the rejected ones)")
	cmd.AddCommand(
		a.decideCommand("accept", relationship.Accepted, "Accept a foreign key", `Accepts a foreign key: an inferred one by its id, or any other by its ends, whose tables and
columns must exist.`),
		a.decideCommand("reject", relationship.Rejected, "Reject a foreign key", `Rejects a foreign key, which is named by its id or its ends. It is not proposed again.`),
		a.decideCommand("forget", "", "Remove the decision about a foreign key", `Removes the decision about a relationship, which is named by its id or its ends: its
evidence counts again.`))
	return cmd
}

func (a *commands) listLinks(cmd *cobra.Command, services *Services, s *scanned, status string) error {
	all, err := services.Review.List(cmd.Context(), s.scope)
	if err != nil {
		return err
	}
	docs, rows := []LinkDocument{}, [][]string{}
	rejected := 0
	copies := map[string]int{} // by what was asked instead of them
	of := func(from sdk.TableRef, l review.Link) string {
		return string(l.Status) + " " + from.String() + " " + strings.Join(l.Columns, " ") + " " + strings.Join(l.ToColumns, " ")
	}
	for _, l := range all {
		if l.Evidence.Like != nil && l.Decision == nil {
			copies[of(*l.Evidence.Like, l)]++
		}
	}
	for _, l := range all {
		if l.Status == relationship.Rejected {
			rejected++
		}
		if status == string(l.Status) || status == "all" || status == "" && l.Status != relationship.Rejected {
			if docs = append(docs, newLinkDocument(l)); l.Evidence.Like == nil || l.Decision != nil {
				rows = append(rows, linkCells(l, copies[of(l.From, l)]))
			}
		}
	}
	if a.term.JSON {
		return a.term.Document(map[string]any{"connectionId": s.ID, "snapshot": snapshot.New(s.scope.Snapshot.Identity), "relationships": docs})
	}
	if err := a.term.NewTable(linkHeaders, 3).Rows(rows); err != nil {
		return err
	}
	if status == "" && rejected > 0 {
		a.term.Infof("%s not shown: --status rejected", text.Count(rejected, "rejected relationship"))
	}
	return nil
}

var linkHeaders = []string{"ID", "STATUS", "ORIGIN", "SCORE", "RELATIONSHIP", "EVIDENCE"}

// linkCells are those of a link, and of so many like it between copies of its table.
func linkCells(l review.Link, copies int) []string {
	about := aboutLink(l)
	if copies > 0 {
		about = fmt.Sprintf("and %d like it; %s", copies, about)
	}
	return []string{l.ID, string(l.Status), string(l.Origin), strconv.FormatFloat(l.Score, 'f', 2, 64), l.Text(), about}
}

// decideCommand is accept, reject and, without a status, forget.
func (a *commands) decideCommand(verb string, status relationship.Status, short, long string) *cobra.Command {
	var id, note string
	cmd := command.ConnectionFlag(&cobra.Command{
		Use:   verb + " [-c CONNECTION] RELATIONSHIP... | FROM(COLUMN,...) TO(COLUMN,...)",
		Short: short,
		Long:  long,
		Example: fmt.Sprintf(`  loam catalog relationships %[1]s -c warehouse 3fa2c81b07
  loam catalog relationships %[1]s -c warehouse 'sales.orders(buyer_ref)' 'sales.customers(id)'`, verb),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return command.Usage(cmd, "which one? Give ids, or the two ends of a link")
			}
			return a.onScanned(cmd, id, func(services *Services, s *scanned) error {
				done, err := services.Review.Decide(cmd.Context(), s.scope, args, review.Verdict{Status: status, Note: note, By: a.invocation.Actor()})
				if err != nil {
					return err
				}
				return a.decided(s, done, map[relationship.Status]string{
					relationship.Accepted: "accepted", relationship.Rejected: "rejected", "": "forgot the decision on",
				}[status])
			})
		},
	}, &id)
	if status != "" {
		cmd.Flags().StringVar(&note, "note", "", "the reason, for later readers")
	}
	return cmd
}

func (a *commands) decided(s *scanned, done []review.Link, verb string) error {
	docs := make([]LinkDocument, len(done))
	for i, l := range done {
		docs[i] = newLinkDocument(l)
		a.term.Infof("%s %s", verb, terminal.Escape(l.Text()))
	}
	if a.term.JSON {
		return a.term.Document(map[string]any{"connectionId": s.ID, "relationships": docs})
	}
	return nil
}
