package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// decision is what a person says of links; without a status they take back what
// they said.
type decision struct {
	status relationship.Status
	note   string
}

// decide writes a decision on each link that args name, all of them or none, and
// returns the links as they are now.
func (a *app) decide(ctx context.Context, rooms *Rooms, s *scanned, args []string, say decision) (_ []link, err error) {
	current, err := rooms.Project.Current(ctx)
	if err != nil {
		return nil, err
	}
	unlock, err := project.Lock(ctx, current.Dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	path := rooms.Decisions(s.ID)
	decisions, err := relationship.LoadDecisions(path)
	if err != nil {
		return nil, err
	}
	all, err := s.links(ctx, decisions)
	if err != nil {
		return nil, err
	}
	chosen, err := s.choose(all, args)
	if err != nil {
		return nil, err
	}
	for _, l := range chosen {
		if decisions, err = say.on(l, decisions); err != nil {
			return nil, err
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, unwritable(filepath.Dir(path), err)
	}
	if err := relationship.PutDecisions(path, decisions); err != nil {
		return nil, err
	}
	return s.again(ctx, chosen, decisions)
}

func (d decision) on(l link, decisions relationship.Decisions) (relationship.Decisions, error) {
	switch {
	case l.Origin == relationship.Declared:
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%s is declared by the warehouse: there is nothing to decide", l.text()).
			WithHint("change the foreign key in the warehouse, then run the scan again")
	case d.status != "":
		return decisions.With(relationship.Decision{Link: l.Link, Status: d.status, At: time.Now().UTC().Truncate(time.Second), Note: d.note}), nil
	case l.decision == nil:
		return nil, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "nothing was decided on %s", l.text()).
			WithHint("see what was: loam catalog relationships --status all")
	}
	return decisions.Without(l.Link), nil
}

// again returns links as they are under other decisions; one that is known
// no more has no status.
func (s *scanned) again(ctx context.Context, chosen []link, decisions relationship.Decisions) ([]link, error) {
	all, err := s.links(ctx, decisions)
	if err != nil {
		return nil, err
	}
	for i, old := range chosen {
		at := slices.IndexFunc(all, func(l link) bool { return l.whole == old.whole })
		if at < 0 {
			chosen[i].Status, chosen[i].decision = "", nil
			continue
		}
		chosen[i] = all[at]
	}
	return chosen, nil
}

func unwritable(dir string, err error) error {
	return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "the folder %s cannot be changed: %w", dir, err).
		WithHint("make it writable for this user")
}

// choose returns the links that are meant: each by its id or the beginning of
// it, or one by its two ends.
func (s *scanned) choose(all []link, args []string) ([]link, error) {
	if slices.ContainsFunc(args, func(arg string) bool { return strings.Contains(arg, "(") }) {
		l, err := s.between(all, args)
		return []link{l}, err
	}
	chosen := make([]link, 0, len(args))
	for _, id := range args {
		var found []link
		for _, l := range all {
			if id != "" && strings.HasPrefix(l.whole, strings.ToLower(id)) {
				found = append(found, l)
			}
		}
		switch len(found) {
		case 1:
			chosen = append(chosen, found[0])
		case 0:
			return nil, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "connection %s has no relationship with the id %q", s.ID, id).
				WithHint("see the ids: loam catalog relationships -c %s --status all", s.ID)
		default:
			e := sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%q begins the ids of %d relationships", id, len(found)).WithHint("give more of the id")
			for _, l := range found {
				e.Candidates = append(e.Candidates, l.id)
			}
			return nil, e
		}
	}
	return chosen, nil
}

// between returns the link between two ends, also one that nothing proposed.
func (s *scanned) between(all []link, args []string) (link, error) {
	ends := splitEnds(args)
	if len(ends) != 2 {
		return link{}, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%d ends of a link are given, 2 expected", len(ends)).
			WithHint("write 'orders(customer_id)' 'customers(id)', in quotes for the shell")
	}
	var l relationship.Link
	var err error
	if l.From, l.Columns, err = s.end(ends[0]); err != nil {
		return link{}, err
	}
	if l.To, l.ToColumns, err = s.end(ends[1]); err != nil {
		return link{}, err
	}
	if len(l.Columns) != len(l.ToColumns) || l.From == l.To && slices.Equal(l.Columns, l.ToColumns) {
		return link{}, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%s cannot refer to %s", ends[0], ends[1]).
			WithHint("give as many columns on either side, of which no one refers to itself")
	}
	if i := slices.IndexFunc(all, func(known link) bool { return known.Equal(l) }); i >= 0 {
		return all[i], nil
	}
	return newLink(relationship.Relationship{Link: l, Origin: relationship.Person})
}

// splitEnds takes the two ends from a link as it is printed, be it one argument
// or several.
func splitEnds(args []string) []string {
	switch {
	case len(args) == 3 && (args[1] == "→" || args[1] == "->"):
		return []string{args[0], args[2]}
	case len(args) != 1:
		return args
	}
	for i := range args[0] {
		from := strings.TrimSpace(args[0][:i])
		for _, arrow := range []string{"→", "->"} {
			// A name may have an arrow too, but no end ends with its table's name.
			if to, ok := strings.CutPrefix(args[0][i:], arrow); ok && strings.HasSuffix(from, ")") {
				return []string{from, strings.TrimSpace(to)}
			}
		}
	}
	return args
}

// end finds the table and columns that an end of a link means.
// Errors: KindInvalid for what is no end, KindNotFound with the nearest names.
func (s *scanned) end(given string) (ref sdk.TableRef, columns []string, err error) {
	display, asked, ok := parseEnd(given)
	if !ok {
		return ref, nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%q is no table with columns", given).
			WithHint("write table(column) or table(column, column)")
	}
	at, err := s.image.Find(s.dialect, display)
	if err != nil {
		return ref, nil, err
	}
	t, err := s.image.At(at)
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
				WithHint("see its columns: loam catalog show -c %s %s", s.ID, text.ShellWord(display))
			e.Candidates = sqlkit.Nearest(name, names)
			return ref, nil, e
		}
		columns = append(columns, names[at])
	}
	return t.TableRef, columns, nil
}

// parseEnd reads what endText writes: a table, and in parentheses its columns.
func parseEnd(text string) (table string, columns []string, ok bool) {
	open, quoted := -1, false
	for i, r := range text {
		switch {
		case r == '"':
			quoted = !quoted
		case r == '(' && !quoted:
			open = i
		}
	}
	inside, closed := strings.CutSuffix(text, ")")
	if open <= 0 || !closed || quoted {
		return "", nil, false
	}
	for rest := inside[open+1:]; ; {
		var column string
		if column, rest, ok = parseColumn(strings.TrimSpace(rest)); !ok {
			return "", nil, false
		}
		columns = append(columns, column)
		if rest == "" {
			return strings.TrimSpace(text[:open]), columns, true
		}
		rest = rest[1:]
	}
}

// parseColumn reads the first column of a list; rest begins with a comma or is
// empty.
func parseColumn(s string) (column, rest string, ok bool) {
	if !strings.HasPrefix(s, `"`) {
		column, _, _ = strings.Cut(s, ",")
		rest = s[len(column):]
		column = strings.TrimSpace(column)
		return column, rest, column != ""
	}
	var b strings.Builder
	for rest = s[1:]; ; {
		before, after, closed := strings.Cut(rest, `"`)
		if !closed {
			return "", "", false
		}
		b.WriteString(before)
		if rest, ok = strings.CutPrefix(after, `"`); !ok {
			rest = strings.TrimSpace(after)
			return b.String(), rest, rest == "" || rest[0] == ','
		}
		b.WriteByte('"')
	}
}
