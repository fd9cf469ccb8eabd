package review

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// Verdict is a person's decision about links. Without a status it removes earlier
// decisions.
type Verdict struct {
	Status relationship.Status
	Note   string
	By     change.Actor
}

// by names who decided; "" for nobody.
func (v *Verdict) by() string {
	if v.By == (change.Actor{}) {
		return ""
	}
	return v.By.Name()
}

// Decide records a verdict on all named links or none, and returns the resulting
// links; a link that is no longer known has no status. Names are beginnings of
// ids, or the two ends of one link, which need not be listed.
// Errors: KindNotFound and KindInvalid for a name that matches no or several
// links, KindConflict while another process decides, KindDenied.
func (s *Service) Decide(ctx context.Context, of Scope, names []string, v Verdict) (_ []Link, err error) {
	unlock, err := s.config.Lock(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	all, err := s.List(ctx, of)
	if err != nil {
		return nil, err
	}
	chosen, err := of.choose(all, names)
	if err != nil {
		return nil, err
	}
	path := s.config.Keys.File(of.Connection)
	decisions, err := relationship.LoadDecisions(path)
	if err != nil {
		return nil, err
	}
	for _, l := range chosen {
		if decisions, err = s.with(decisions, l, v); err != nil {
			return nil, err
		}
	}
	if err := s.put(path, decisions); err != nil {
		return nil, err
	}
	var events []Event
	for i := range chosen {
		events = append(events, v.event(of.Connection, chosen[i:i+1]))
	}
	s.record(ctx, events)
	if all, err = s.List(ctx, of); err != nil {
		return nil, err
	}
	for i, old := range chosen {
		if at := slices.IndexFunc(all, func(l Link) bool { return l.digest == old.digest }); at >= 0 {
			chosen[i] = all[at]
		} else {
			chosen[i].Status, chosen[i].Decision = "", nil
		}
	}
	return chosen, nil
}

// put replaces the file of decisions. Errors: KindDenied.
func (s *Service) put(path string, decisions relationship.Decisions) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "the folder %s cannot be changed: %w", filepath.Dir(path), err).
			WithHint("make it writable for this user")
	}
	return relationship.PutDecisions(path, decisions)
}

// with returns the decisions with a verdict on one more link.
func (s *Service) with(decisions relationship.Decisions, l Link, v Verdict) (relationship.Decisions, error) {
	switch {
	case l.Origin == relationship.Declared:
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%s is declared by the warehouse: there is nothing to decide", l.Text()).
			WithHint("change the foreign key in the warehouse, then run the scan again")
	case v.Status != "":
		return decisions.With(relationship.Decision{Link: l.Link, Status: v.Status, At: s.config.Now().UTC().Truncate(time.Second), By: v.by(), Note: v.Note}), nil
	case l.Decision == nil:
		return nil, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "nothing was decided on %s", l.Text()).
			WithHint("see what was: loam catalog relationships --status all")
	}
	return decisions.Without(l.Link), nil
}

// choose returns the links that are meant: each by its id or the beginning of
// it, or one by its two ends.
func (of Scope) choose(all []Link, args []string) ([]Link, error) {
	if slices.ContainsFunc(args, func(arg string) bool { return strings.Contains(arg, "(") }) {
		l, err := of.between(all, args)
		return []Link{l}, err
	}
	chosen := make([]Link, 0, len(args))
	for _, id := range args {
		var found []Link
		for _, l := range all {
			if id != "" && strings.HasPrefix(l.digest, strings.ToLower(id)) {
				found = append(found, l)
			}
		}
		switch len(found) {
		case 1:
			chosen = append(chosen, found[0])
		case 0:
			return nil, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "connection %s has no relationship with the id %q", of.Connection, id).
				WithHint("see the ids: loam catalog relationships -c %s --status all", of.Connection)
		default:
			e := sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%q begins the ids of %d relationships", id, len(found)).WithHint("give more of the id")
			for _, l := range found {
				e.Candidates = append(e.Candidates, l.ID)
			}
			return nil, e
		}
	}
	return chosen, nil
}

// between returns the link between two ends, also one that nothing proposed.
func (of Scope) between(all []Link, args []string) (Link, error) {
	ends := splitEnds(args)
	if len(ends) != 2 {
		return Link{}, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%d ends of a link are given, 2 expected", len(ends)).
			WithHint("write 'orders(customer_id)' 'customers(id)', in quotes for the shell")
	}
	var l relationship.Link
	var err error
	if l.From, l.Columns, err = of.end(ends[0]); err != nil {
		return Link{}, err
	}
	if l.To, l.ToColumns, err = of.end(ends[1]); err != nil {
		return Link{}, err
	}
	if len(l.Columns) != len(l.ToColumns) || l.From == l.To && slices.Equal(l.Columns, l.ToColumns) {
		return Link{}, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%s cannot refer to %s", ends[0], ends[1]).
			WithHint("give as many columns on either side, of which no one refers to itself")
	}
	if i := slices.IndexFunc(all, func(known Link) bool { return known.Equal(l) }); i >= 0 {
		return all[i], nil
	}
	return newLink(relationship.Relationship{Link: l, Origin: relationship.Person})
}

// end finds the table and columns that an end of a link means.
// Errors: KindInvalid for what is no end, KindNotFound with the nearest names.
func (of Scope) end(given string) (ref sdk.TableRef, columns []string, err error) {
	display, asked, ok := parseEnd(given)
	if !ok {
		return ref, nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%q is no table with columns", given).
			WithHint("write table(column) or table(column, column)")
	}
	at, err := of.Snapshot.Find(of.Dialect, display)
	if err != nil {
		return ref, nil, err
	}
	t, err := of.Snapshot.At(at)
	if err != nil {
		return ref, nil, err
	}
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	for _, name := range asked {
		at := slices.Index(names, name)
		if at < 0 {
			at = slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
		}
		if at < 0 {
			e := sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "table %s has no column %q", display, name).
				WithHint("see its columns: loam catalog show -c %s %s", of.Connection, text.ShellWord(display))
			e.Candidates = sqlkit.Nearest(name, names)
			return ref, nil, e
		}
		columns = append(columns, names[at])
	}
	return t.TableRef, columns, nil
}
