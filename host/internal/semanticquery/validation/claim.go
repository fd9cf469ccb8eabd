package validation

import (
	"context"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/scan/privacy"
	"github.com/loam-data/loam/host/internal/semantic/binding"
	"github.com/loam-data/loam/host/internal/semantic/claim"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk"
)

// claimTasks asks about the keys and joins that a source declares, each once even
// when both sides declare a join.
func (v *validation) claimTasks(s *model.Source, w *withheld, asked map[string]bool) (all []*task) {
	m := v.state.Model
	for _, c := range claim.Of(m, s.ID) {
		id := c.Identity(m)
		if asked[id] {
			continue
		}
		asked[id] = true
		t := &task{blank: v.blank(s, c), label: label(m, c)}
		all = append(all, t)
		if v.enforced(s, c) {
			t.blank.Status = CheckSkipped
			t.blank.Message = t.label + " was not asked: the warehouse enforces it. Name the source to have it asked."
			continue
		}
		examples := w.showable(c.Home, c.Fields) && (c.Kind != claim.OneToOne || w.showable(c.To, c.ToFields))
		t.ask = func(ctx context.Context) ([]Check, error) {
			check, err := v.askClaim(ctx, t.blank, c, examples)
			t.blank = check // with its SQL, for who looks into a failure
			return []Check{check}, err
		}
	}
	return all
}

// blank is the check of a claim before it is asked.
func (v *validation) blank(declared *model.Source, c claim.Claim) Check {
	m := v.state.Model
	check := Check{
		Kind: CheckKind(c.Kind), Source: m.Source(c.Home).Name, Columns: c.Columns(m),
		File: binding.File(v.warehouse.ID, declared.File), Line: int(declared.Pos.Line),
	}
	if c.Join != 0 {
		j := m.Join(c.Join)
		check.To, check.Line = m.Source(c.To).Name, int(j.Pos.Line)
		if check.Join = j.Role; check.Join == "" {
			check.Join = check.To
		}
		if j.Pos.Line == 0 {
			check.File = ""
		}
	}
	return check
}

// label names a claim: orders.id, orders → customers.
func label(m *model.Model, c claim.Claim) string {
	home := m.Source(c.Home).Name
	if c.Join == 0 {
		return home + "." + strings.Join(c.Columns(m), ", "+home+".")
	}
	text := home + " → " + m.Source(c.To).Name
	if role := m.Join(c.Join).Role; role != "" && !c.Reversed {
		text += " (" + role + ")"
	}
	return text
}

// askClaim asks one claim.
func (v *validation) askClaim(ctx context.Context, check Check, c claim.Claim, examples bool) (Check, error) {
	m := v.state.Model
	text, err := c.Statement(m, v.dialect, examples)
	if err != nil {
		return check, err
	}
	check.SQL = text
	var found claim.Finding
	const directions = 2
	if err := v.query(ctx, &check, directions, found.Read); err != nil {
		return check, err
	}
	check.Rows, check.Nulls, check.Orphans, check.OrphanRate = found.Rows, found.Nulls, found.Orphans, found.OrphanRate()
	check.Violations, check.MaxMatches = found.Violations+found.Back, max(found.Most, found.BackMost)
	check.Examples = slices.DeleteFunc(found.Examples, func(text string) bool { return privacy.Sensitive(text) != "" })
	check.Message = c.Message(m, &found)
	check.Status = CheckOK
	switch {
	case !found.Holds(c.Kind):
		check.Status, check.Severity = CheckViolated, binding.SeverityError
	case found.Orphans > 0:
		check.Severity = binding.SeverityWarning
	}
	return check, nil
}

// enforced reports whether the warehouse claims it, no file does, and a scan found
// that the engine holds it. A source that is asked for by name is always looked at.
func (v *validation) enforced(s *model.Source, c claim.Claim) bool {
	if len(v.request.Sources) > 0 || v.state.Snapshot == nil {
		return false
	}
	m := v.state.Model
	if c.Join == 0 {
		return s.File == "" && v.holds(s, binding.ColumnsOf(m, c.Fields), c.Kind == claim.PrimaryKey, sdk.KeyPrimary, sdk.KeyUnique)
	}
	j := m.Join(c.Join)
	if j.Pos.Line != 0 || j.Inferred || j.Rest || c.Kind != claim.ToOne || c.Reversed {
		return false
	}
	var from, to []model.Field
	for _, p := range j.Equal {
		from, to = append(from, p.From), append(to, p.To)
	}
	other := m.Source(c.To)
	return other.File == "" && v.holds(s, binding.ColumnsOf(m, from), false, sdk.KeyForeign) &&
		v.holds(other, binding.ColumnsOf(m, to), false, sdk.KeyPrimary, sdk.KeyUnique)
}

// holds reports whether the engine enforces a key over just these columns, and with
// notNull that none is ever NULL, which a primary key of some engines may be.
func (v *validation) holds(s *model.Source, names []string, notNull bool, kinds ...sdk.KeyKind) bool {
	if !s.Scanned {
		return false
	}
	at, ok := v.state.Snapshot.Position(s.Table)
	if !ok {
		return false
	}
	t, err := v.state.Snapshot.At(at)
	if err != nil {
		return false // ask the warehouse instead
	}
	nullable := func(c sdk.Column) bool { return c.Nullable && slices.Contains(names, c.Name) }
	if notNull && slices.ContainsFunc(t.Columns, nullable) {
		return false
	}
	return slices.ContainsFunc(t.Keys, func(k sdk.Key) bool {
		return k.Enforced && slices.Contains(kinds, k.Kind) && len(k.Columns) == len(names) &&
			!slices.ContainsFunc(k.Columns, func(c string) bool { return !slices.Contains(names, c) })
	})
}
