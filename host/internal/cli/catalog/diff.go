package catalog

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/snapshot"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/review"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// exitChanged is the exit code of a comparison that found something, as
// programs that compare files have it.
const exitChanged = 1

func (a *commands) catalogDiffCommand() *cobra.Command {
	var id string
	var code bool
	cmd := command.ConnectionFlag(&cobra.Command{
		Use:   "diff [-c CONNECTION] [FROM [TO]]",
		Short: "Show what changed between two snapshots",
		Long: `Shows which tables, columns, keys and comments were added, removed or changed from one
snapshot to another. FROM and TO are sync ids of loam catalog history, or their beginnings;
without them the last two snapshots are compared, with FROM alone that one and the last.
Estimates and profiles are not compared.`,
		Example: "  loam catalog diff -c warehouse --exit-code",
		Args:    cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.onScanned(cmd, id, func(_ *Services, s *scanned) error {
				from, to, err := s.pair(args)
				if err != nil {
					return err
				}
				d, err := catalog.Compare(cmd.Context(), from, to)
				if err != nil {
					return err
				}
				changed := len(d.Added)+len(d.Removed)+len(d.Changed) > 0
				if code && changed {
					a.invocation.Code = exitChanged
				}
				return a.term.Answer(newDiffDocument(s.ID, d, changed), func() error { return a.printDiff(s, d) })
			})
		},
	}, &id)
	cmd.Flags().BoolVar(&code, "exit-code", false, "exit with 1 when something changed")
	return cmd
}

// pair returns the two snapshots to compare.
func (s *scanned) pair(args []string) (from, to *catalog.Snapshot, err error) {
	history, err := s.catalog.History()
	if err != nil {
		return nil, nil, err
	}
	ids := make([]string, len(args))
	for i, arg := range args {
		if ids[i], err = syncID(history, arg); err != nil {
			return nil, nil, err
		}
	}
	switch {
	case len(ids) == 0 && len(history) < 2:
		return nil, nil, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "connection %s has one snapshot: there is none to compare it with", s.ID).
			WithHint("scan it again: loam scan %s", s.ID)
	case len(ids) == 0:
		ids = []string{history[1].SyncID, history[0].SyncID}
	case len(ids) == 1:
		ids = append(ids, history[0].SyncID)
	}
	if from, err = s.catalog.Snapshot(ids[0]); err != nil {
		return nil, nil, err
	}
	to, err = s.catalog.Snapshot(ids[1])
	return from, to, err
}

// syncID completes the beginning of an id; one that begins none is returned as
// it is, for the catalog to refuse.
func syncID(history []catalog.Identity, begin string) (string, error) {
	var found []string
	for _, h := range history {
		if h.SyncID == begin {
			return begin, nil
		}
		if begin != "" && strings.HasPrefix(h.SyncID, begin) {
			found = append(found, h.SyncID)
		}
	}
	if len(found) > 1 {
		e := sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%q begins the ids of %d snapshots", begin, len(found)).WithHint("give more of the id")
		e.Candidates = found
		return "", e
	}
	return strings.Join(append(found, begin)[:1], ""), nil
}

type DiffDocument struct {
	ConnectionID connection.ID         `json:"connectionId"`
	From         snapshot.Document     `json:"from"`
	To           snapshot.Document     `json:"to"`
	Differ       bool                  `json:"differ"`
	Added        []namedTable          `json:"added"`
	Removed      []namedTable          `json:"removed"`
	Changed      []tableChangeDocument `json:"changed"`
}

type namedTable struct {
	TableRef catalog.TableRef `json:"tableRef"`
	Display  string           `json:"display"`
}

type tableChangeDocument struct {
	namedTable
	Kind       *change[string]          `json:"kind,omitempty"`
	Comment    *change[string]          `json:"comment,omitempty"`
	Definition *change[string]          `json:"definition,omitempty"`
	Columns    []change[columnDocument] `json:"columns"`
	Keys       []change[keyDocument]    `json:"keys"`
	Moved      bool                     `json:"moved"`
}

// change is something before and after; null where it was not there.
type change[T any] struct {
	Before *T `json:"before"`
	After  *T `json:"after"`
}

func newDiffDocument(id connection.ID, d *catalog.Diff, differ bool) DiffDocument {
	doc := DiffDocument{
		ConnectionID: id, From: snapshot.New(d.From), To: snapshot.New(d.To), Differ: differ,
		Added: namedTables(d.Added), Removed: namedTables(d.Removed), Changed: []tableChangeDocument{},
	}
	for _, t := range d.Changed {
		one := tableChangeDocument{
			namedTable: namedTables([]sdk.TableRef{t.TableRef})[0], Moved: t.Moved,
			Kind: textChange(t.Kind), Comment: textChange(t.Comment), Definition: textChange(t.Definition),
			Columns: []change[columnDocument]{}, Keys: []change[keyDocument]{},
		}
		for _, c := range t.Columns {
			one.Columns = append(one.Columns, change[columnDocument]{
				apply(c.Before, func(c sdk.Column) columnDocument { return newColumnDocument(c, nil) }),
				apply(c.After, func(c sdk.Column) columnDocument { return newColumnDocument(c, nil) }),
			})
		}
		for _, k := range t.Keys {
			one.Keys = append(one.Keys, change[keyDocument]{apply(k.Before, newKeyDocument), apply(k.After, newKeyDocument)})
		}
		doc.Changed = append(doc.Changed, one)
	}
	return doc
}

func namedTables(refs []sdk.TableRef) []namedTable {
	all := make([]namedTable, len(refs))
	for i, ref := range refs {
		all[i] = namedTable{catalog.RefOf(ref), catalog.Display(ref)}
	}
	return all
}

func textChange(c *catalog.Change) *change[string] {
	return apply(c, func(c catalog.Change) change[string] { return change[string]{&c.Before, &c.After} })
}

// apply is f of what is there, nil where nothing is.
func apply[T, U any](v *T, f func(T) U) *U {
	if v == nil {
		return nil
	}
	u := f(*v)
	return &u
}

func (a *commands) printDiff(s *scanned, d *catalog.Diff) error {
	fmt.Fprintf(a.term.Out, "%s: %s (%s) → %s (%s)\n", s.ID, terminal.Escape(d.From.SyncID), text.Clock(d.From.ExtractedAt), terminal.Escape(d.To.SyncID), text.Clock(d.To.ExtractedAt))
	for _, ref := range d.Added {
		a.diffLine("+", "table %s", catalog.Display(ref))
	}
	for _, ref := range d.Removed {
		a.diffLine("-", "table %s", catalog.Display(ref))
	}
	for i := range d.Changed {
		a.printTableChange(&d.Changed[i])
	}
	if len(d.Added)+len(d.Removed)+len(d.Changed) == 0 {
		a.term.Infof("nothing changed")
		return nil
	}
	a.term.Infof("%s added, %d removed, %d changed", text.Count(len(d.Added), "table"), len(d.Removed), len(d.Changed))
	return nil
}

// diffLine prints a line that begins with + for added, - for removed or ~ for
// changed.
func (a *commands) diffLine(sign, format string, args ...any) {
	color := map[string]string{"+": "32", "-": "31", "~": "33"}[strings.TrimSpace(sign)]
	fmt.Fprintf(a.term.Out, "%s\n", a.term.Style(a.term.Out, color)(sign+" "+terminal.Escape(fmt.Sprintf(format, args...))))
}

func (a *commands) printTableChange(t *catalog.TableChange) {
	a.diffLine("~", "table %s", catalog.Display(t.TableRef))
	for _, c := range []struct {
		name   string
		change *catalog.Change
	}{{"kind", t.Kind}, {"comment", t.Comment}, {"definition", t.Definition}} {
		if c.change != nil {
			a.diffLine("    ~", "%s: %s → %s", c.name, strconv.Quote(terminal.Cut(c.change.Before, terminal.MaxComment)), strconv.Quote(terminal.Cut(c.change.After, terminal.MaxComment)))
		}
	}
	for _, c := range t.Columns {
		switch {
		case c.Before == nil:
			a.diffLine("    +", "column %s %s", c.Name, columnText(c.After))
		case c.After == nil:
			a.diffLine("    -", "column %s %s", c.Name, columnText(c.Before))
		default:
			a.diffLine("    ~", "column %s: %s → %s", c.Name, columnText(c.Before), columnText(c.After))
		}
	}
	for _, k := range t.Keys {
		switch {
		case k.Before == nil:
			a.diffLine("    +", "%s", keyText(k.After))
		case k.After == nil:
			a.diffLine("    -", "%s", keyText(k.Before))
		default:
			a.diffLine("    ~", "%s → %s", keyText(k.Before), keyText(k.After))
		}
	}
	if t.Moved {
		a.diffLine("    ~", "order of the columns")
	}
}

// columnText is all of a column that a comparison looks at.
func columnText(c *sdk.Column) string {
	text := c.NativeType
	if !c.Nullable {
		text += " not null"
	}
	if more := remarks(*c); more != "" {
		text += " (" + terminal.Cut(more, terminal.MaxComment) + ")"
	}
	return text
}

func keyText(k *sdk.Key) string {
	text := strings.TrimSpace(keyNames[k.Kind]+" key "+k.Name) + " (" + strings.Join(k.Columns, ", ") + ")"
	if k.Kind == sdk.KeyForeign {
		text += " → " + review.EndText(k.Ref, k.RefColumns)
	}
	return text
}
