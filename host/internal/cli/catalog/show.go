package catalog

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/cli/snapshot"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/discover"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/host/internal/review"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// EntityDocument is everything that a snapshot knows of a table.
type EntityDocument struct {
	ConnectionID connection.ID `json:"connectionId"`
	TableDocument
	Definition    *string           `json:"definition"`
	Columns       []columnDocument  `json:"columns"`
	Keys          []keyDocument     `json:"keys"`
	Relationships []LinkDocument    `json:"relationships"`
	Properties    map[string]string `json:"properties,omitempty"`
	ProfiledAt    string            `json:"profiledAt,omitempty"`
	Sample        *SampleDocument   `json:"sample,omitempty"`
	Snapshot      snapshot.Document `json:"snapshot"`
}

type columnDocument struct {
	Name           string            `json:"name"`
	NativeType     string            `json:"nativeType"`
	NormalizedType string            `json:"normalizedType"`
	Nullable       bool              `json:"nullable"`
	Default        *string           `json:"default"`
	Generated      bool              `json:"generated,omitempty"`
	Comment        *string           `json:"comment"`
	Properties     map[string]string `json:"properties,omitempty"`
	Profile        *StatsDocument    `json:"profile,omitempty"`
}

type keyDocument struct {
	Kind       string       `json:"kind"`
	Name       string       `json:"name,omitempty"`
	Columns    []string     `json:"columns"`
	References *endDocument `json:"references,omitempty"`
	Enforced   bool         `json:"enforced"`
}

var keyNames = map[sdk.KeyKind]string{
	sdk.KeyPrimary: "primary", sdk.KeyUnique: "unique", sdk.KeyForeign: "foreign",
	sdk.KeyPartition: "partition", sdk.KeyCluster: "cluster",
}

func (a *commands) catalogShowCommand() *cobra.Command {
	var id string
	var rows int
	cmd := &cobra.Command{
		Use:   "show [-c CONNECTION] TABLE",
		Short: "Show everything that is known of a table",
		Long: `Shows a table of the last snapshot: columns, keys, the foreign keys from and to it, and the
statistics of its profile. TABLE is a name as printed by the other commands; its schema may
be left out where the name is unique. --sample adds a few rows of its last profile, without
withheld values.`,
		Example: "  loam catalog show -c warehouse sales.orders\n  loam catalog show -c warehouse sales.orders --sample 3",
		Args:    command.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if rows < 0 || rows > discover.MaxSample {
				return command.Usage(cmd, "--sample must be from 0 to %d", discover.MaxSample)
			}
			return a.onScanned(cmd, id, func(services *Services, s *scanned) error {
				e, err := s.entity(cmd.Context(), services, args[0])
				if err != nil {
					return err
				}
				e.rows = rows
				if e.note != "" {
					a.term.Infof("%s", terminal.Escape(e.note))
				}
				return a.term.Answer(e.document(s), func() error { return a.printEntity(s, e) })
			})
		},
	}
	cmd.Flags().IntVar(&rows, "sample", 0, fmt.Sprintf("number of rows to show, up to %d", discover.MaxSample))
	return command.ConnectionFlag(cmd, &id)
}

// entity is a table with all that is known of it.
type entity struct {
	rows    int // to show
	table   *catalog.Table
	entry   catalog.Entry
	profile *catalog.Profile // nil: none
	links   []review.Link
	note    string // which table a short name stands for
}

func (s *scanned) entity(ctx context.Context, services *Services, display string) (*entity, error) {
	at, note, err := discover.Find(s.scope.Snapshot, s.scope.Dialect, display)
	if err != nil {
		return nil, err
	}
	e := &entity{entry: s.scope.Snapshot.Entry(at), note: note}
	if e.table, err = s.scope.Snapshot.At(at); err != nil {
		return nil, err
	}
	if e.profile, err = s.scope.Snapshot.Profile(at); err != nil {
		return nil, err
	}
	all, err := services.Review.List(ctx, s.scope)
	e.links = slices.DeleteFunc(all, func(l review.Link) bool {
		refuted := l.Status == relationship.Rejected && l.Origin == relationship.Inferred
		return refuted || l.From != e.table.TableRef && l.To != e.table.TableRef
	})
	return e, err
}

func (e *entity) document(s *scanned) EntityDocument {
	d := EntityDocument{
		ConnectionID: s.ID, TableDocument: newTableDocument(e.table, e.entry), Definition: terminal.OrNull(e.table.Definition),
		Columns: []columnDocument{}, Keys: []keyDocument{}, Relationships: []LinkDocument{},
		Properties: e.table.Properties, Snapshot: snapshot.New(s.scope.Snapshot.Identity),
	}
	if e.profile != nil {
		d.ProfiledAt, d.Sample = terminal.Moment(e.profile.At), newSampleDocument(e)
	}
	for _, c := range e.table.Columns {
		d.Columns = append(d.Columns, newColumnDocument(c, e.profile))
	}
	for _, k := range e.table.Keys {
		d.Keys = append(d.Keys, newKeyDocument(k))
	}
	for _, l := range e.links {
		d.Relationships = append(d.Relationships, newLinkDocument(l))
	}
	return d
}

func newColumnDocument(c sdk.Column, p *catalog.Profile) columnDocument {
	return columnDocument{
		Name: c.Name, NativeType: c.NativeType, NormalizedType: c.Type.String(), Nullable: c.Nullable, Default: terminal.OrNull(c.Default),
		Generated: c.Generated, Comment: terminal.OrNull(c.Comment), Properties: c.Properties, Profile: newStatsDocument(c.Name, p),
	}
}

func newKeyDocument(k sdk.Key) keyDocument {
	d := keyDocument{Kind: keyNames[k.Kind], Name: k.Name, Columns: k.Columns, Enforced: k.Enforced}
	if k.Kind == sdk.KeyForeign {
		to := newEnd(k.Ref, k.RefColumns)
		d.References = &to
	}
	return d
}

func (a *commands) printEntity(s *scanned, e *entity) error {
	bold, dim := a.term.Style(a.term.Out, "1"), a.term.Style(a.term.Out, "2")
	fmt.Fprintf(a.term.Out, "%s (%s)\n", bold(terminal.Escape(catalog.Display(e.table.TableRef))), terminal.Escape(string(e.table.Kind)))
	for _, text := range []string{e.table.Comment, s.size(e)} {
		if text != "" {
			fmt.Fprintf(a.term.Out, "%s\n", terminal.EscapeText(text))
		}
	}
	fmt.Fprintf(a.term.Out, "%s\n\n", dim(fmt.Sprintf("snapshot %s of %s, %s (%s)", terminal.Escape(s.scope.Snapshot.SyncID), s.ID, text.Clock(s.scope.Snapshot.ExtractedAt), text.Ago(s.scope.Snapshot.ExtractedAt))))
	rows := make([][]string, len(e.table.Columns))
	for i, c := range e.table.Columns {
		null := ""
		if c.Nullable {
			null = "null"
		}
		rows[i] = []string{c.Name, c.NativeType, null, e.marks(c.Name), remarks(c)}
	}
	if err := a.term.NewTable([]string{"COLUMN", "TYPE", "NULL", "KEY", "COMMENT"}).Rows(rows); err != nil {
		return err
	}
	if err := a.printKeys(e.table.Keys); err != nil {
		return err
	}
	if err := a.printLinks(e.links); err != nil {
		return err
	}
	if err := a.printProfile(e); err != nil {
		return err
	}
	if err := a.printSample(s, e); err != nil {
		return err
	}
	if e.table.Definition != "" {
		fmt.Fprintf(a.term.Out, "\n%s\n%s\n", bold("Definition"), terminal.EscapeText(e.table.Definition))
	}
	return nil
}

// size is how large a table is by the engine's statistics.
func (s *scanned) size(e *entity) string {
	var parts []string
	if e.table.RowEstimate >= 0 {
		parts = append(parts, "about "+text.Count(e.table.RowEstimate, "row"))
	}
	if e.table.ByteEstimate >= 0 {
		parts = append(parts, text.Count(e.table.ByteEstimate, "byte"))
	}
	return strings.Join(parts, ", ")
}

// remarks is a column's comment after what else is to be known of it.
func remarks(c sdk.Column) string {
	var parts []string
	if c.Generated {
		parts = append(parts, "generated")
	}
	if c.Default != "" {
		parts = append(parts, "default "+terminal.Cut(c.Default, terminal.MaxComment))
	}
	if c.Comment != "" {
		parts = append(parts, c.Comment)
	}
	return strings.Join(parts, "; ")
}

// marks says which keys a column is part of.
func (e *entity) marks(column string) string {
	var marks []string
	for _, k := range e.table.Keys {
		if slices.Contains(k.Columns, column) && !slices.Contains(marks, keyNames[k.Kind]) {
			marks = append(marks, keyNames[k.Kind])
		}
	}
	if !slices.Contains(marks, keyNames[sdk.KeyForeign]) && slices.ContainsFunc(e.links, func(l review.Link) bool {
		return l.From == e.table.TableRef && l.Status == relationship.Accepted && slices.Contains(l.Columns, column)
	}) {
		marks = append(marks, "refers")
	}
	return strings.Join(marks, ", ")
}

// printKeys prints all keys but the foreign ones, which are among the relationships.
func (a *commands) printKeys(keys []sdk.Key) error {
	var rows [][]string
	for _, k := range keys {
		if k.Kind != sdk.KeyForeign {
			rows = append(rows, []string{keyNames[k.Kind], strings.Join(k.Columns, ", "), k.Name})
		}
	}
	if rows == nil {
		return nil
	}
	fmt.Fprintln(a.term.Out)
	return a.term.NewTable([]string{"KEY", "COLUMNS", "NAME"}).Rows(rows)
}

func (a *commands) printLinks(links []review.Link) error {
	if len(links) == 0 {
		return nil
	}
	fmt.Fprintln(a.term.Out)
	rows := make([][]string, len(links))
	for i, l := range links {
		rows[i] = linkCells(l, 0)
	}
	return a.term.NewTable(linkHeaders, 3).Rows(rows)
}
