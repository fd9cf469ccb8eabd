package catalog

import (
	"context"
	"slices"
	"time"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/sdk"
)

const (
	// pageChanges is how many tables of a difference a page lists, roomChanges how many bytes they have, maxLines how many
	// lines each.
	pageChanges, roomChanges, maxLines = 40, 24_000, 24
)

// snapshotsPage lists the snapshots that are kept, and the difference between two.
type snapshotsPage struct {
	site
	Snapshots []snapshotRow `json:"snapshots"`
	From      string        `json:"from,omitempty"`
	To        string        `json:"to,omitempty"`
	Added     int           `json:"added"`
	Removed   int           `json:"removed"`
	Changed   int           `json:"changed"`
	Changes   []changeRow   `json:"changes"`
	Pager     page.Pager    `json:"pager"`
}

type snapshotRow struct {
	catalog.Summary
	Scanned time.Time `json:"-"`
	// IsFrom and IsTo: it is one of those that are compared.
	IsFrom bool `json:"-"`
	IsTo   bool `json:"-"`
}

// changeRow is a table that differs.
type changeRow struct {
	// Sign is + for added, - for removed, ~ for changed.
	Sign    string       `json:"sign"`
	Display name         `json:"display"`
	Link    string       `json:"-"`
	Lines   []changeLine `json:"lines,omitempty"`
	More    int          `json:"moreLines,omitempty"`
}

// Word returns what the sign means.
func (c changeRow) Word() string { return word(c.Sign) }

type changeLine struct {
	Sign string `json:"sign"`
	Text string `json:"text"`
}

// Word returns what the sign means.
func (c changeLine) Word() string { return word(c.Sign) }

func word(sign string) string {
	switch sign {
	case added:
		return "added"
	case removed:
		return "removed"
	}
	return "changed"
}

const added, removed, changed = "+", "-", "~"

func (p *pages) snapshots(ctx context.Context, r *page.Request) (*page.View, error) {
	s, err := p.scanned(ctx, r)
	if err != nil {
		return nil, err
	}
	of := p.Catalogs.Of(string(s.ID))
	history, err := of.History()
	if err != nil {
		return nil, err
	}
	data := &snapshotsPage{site: s.site("snapshots"), Snapshots: []snapshotRow{}, Changes: []changeRow{}}
	view := &page.View{Title: "Snapshots of " + string(s.ID), Command: s.command("diff"), Data: data}
	if len(history) > 1 {
		data.From, data.To = history[1].SyncID, history[0].SyncID
	}
	if id := r.Param("from"); id != "" {
		data.From = id
	}
	if id := r.Param("to"); id != "" {
		data.To = id
	}
	if r.Param("from") != "" || r.Param("to") != "" {
		view.Command = s.command("diff", data.From, data.To)
	}
	for _, h := range history {
		data.Snapshots = append(data.Snapshots, snapshotRow{h.Summary(), h.ExtractedAt, h.SyncID == data.From, h.SyncID == data.To})
	}
	if data.From == "" || data.To == "" {
		return view, nil
	}
	from, err := of.Snapshot(data.From)
	if err != nil {
		return nil, err
	}
	to, err := of.Snapshot(data.To)
	if err != nil {
		return nil, err
	}
	if from.Content == to.Content {
		return view, nil
	}
	return view, data.compare(ctx, s, from, to, r.Query.Get("cursor"))
}

// compare fills in a page of the difference and counts all of it. The cursor is the first table's name. Tables of which
// the engine's own properties alone differ count as changed.
// Errors: those of reading the snapshots and of ctx.
func (d *snapshotsPage) compare(ctx context.Context, s *scanned, from, to *catalog.Snapshot, cursor string) error {
	start, position, paged := readCursor(cursor)
	if paged {
		d.Pager.Cursor = cursor
	}
	room := roomChanges
	for step := range catalog.Steps(from, to) {
		if err := ctx.Err(); err != nil {
			return err
		}
		sign := d.count(step)
		switch full := len(d.Changes) == pageChanges || room < 0; {
		case paged && (position < 0 && step.TableRef != start || position >= d.Added+d.Removed+d.Changed):
		case full && d.Pager.Next == "":
			d.Pager.Next = cursorOf(step.TableRef, d.Added+d.Removed+d.Changed-1)
		case !full:
			paged = false
			row := changeRow{Sign: sign, Display: name(catalog.Display(step.TableRef))}
			if err := row.fill(s, step, from, to); err != nil {
				return err
			}
			d.Changes = append(d.Changes, row)
			room -= row.bytes()
		}
	}
	d.Pager.Total, d.Pager.Shown = d.Added+d.Removed+d.Changed, len(d.Changes)
	if paged && d.Pager.Total > 0 { // the cursor is that of other snapshots
		d.Added, d.Removed, d.Changed, d.Pager = 0, 0, 0, page.Pager{}
		return d.compare(ctx, s, from, to, "")
	}
	return nil
}

// count counts a table that differs, and returns its sign.
func (d *snapshotsPage) count(step catalog.Step) string {
	switch {
	case step.From < 0:
		d.Added++
		return added
	case step.To < 0:
		d.Removed++
		return removed
	}
	d.Changed++
	return changed
}

func (c *changeRow) bytes() int {
	n := size(c.Link, c.Display.Cut(), c.Display.Title())
	for _, l := range c.Lines {
		n += size(l.Text)
	}
	return n
}

// fill fills in the link of a table that is still there, and the lines of one that changed.
// Errors: those of reading the snapshots.
func (c *changeRow) fill(s *scanned, step catalog.Step, from, to *catalog.Snapshot) error {
	if _, there := s.snapshot.Position(step.TableRef); there {
		c.Link = tableLink(s.ID, string(c.Display))
	}
	if c.Sign != changed {
		return nil
	}
	change, err := step.Change(from, to)
	if err != nil {
		return err
	}
	lines := []changeLine{{changed, "properties of the engine alone"}}
	if change != nil {
		lines = linesOf(change)
	}
	c.Lines = lines[:min(len(lines), maxLines)]
	c.More = len(lines) - len(c.Lines)
	return nil
}

// linesOf describes the difference between two scans of a table.
func linesOf(t *catalog.TableChange) (lines []changeLine) {
	add := func(sign, text string) { lines = append(lines, changeLine{sign, text}) }
	for _, c := range []struct {
		name   string
		change *catalog.Change
	}{{"kind", t.Kind}, {"comment", t.Comment}, {"definition", t.Definition}} {
		if c.change != nil {
			add(changed, c.name+": “"+flat(c.change.Before, maxShown)+"” → “"+flat(c.change.After, maxShown)+"”")
		}
	}
	for _, c := range t.Columns {
		title := "column " + cut(c.Name, maxShown)
		switch {
		case c.Before == nil:
			add(added, title+" "+columnText(c.After))
		case c.After == nil:
			add(removed, title+" "+columnText(c.Before))
		default:
			add(changed, title+": "+columnText(c.Before)+" → "+columnText(c.After))
		}
	}
	for _, k := range t.Keys {
		switch {
		case k.Before == nil:
			add(added, keyText(k.After))
		case k.After == nil:
			add(removed, keyText(k.Before))
		default:
			add(changed, keyText(k.Before)+" → "+keyText(k.After))
		}
	}
	if t.Moved {
		add(changed, "order of the columns")
	}
	return slices.Clip(lines)
}

func columnText(c *sdk.Column) string {
	text := flat(c.NativeType, maxShown)
	if !c.Nullable {
		text += " not null"
	}
	if c.Default != "" {
		text += " default " + flat(c.Default, maxShown)
	}
	if c.Comment != "" {
		text += " (" + flat(c.Comment, maxShown) + ")"
	}
	return text
}

func keyText(k *sdk.Key) string {
	text := keyName(k.Kind) + " key " + cut(k.Name, maxShown) + " (" + end{Columns: k.Columns}.Text() + ")"
	if k.Kind == sdk.KeyForeign {
		text += " → " + cut(catalog.Display(k.Ref), maxShown) + "(" + end{Columns: k.RefColumns}.Text() + ")"
	}
	return text
}
