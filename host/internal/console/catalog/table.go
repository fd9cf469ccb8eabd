package catalog

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/discover"
	"github.com/loam-data/loam/sdk"
)

const (
	// pageColumns is how many columns a page lists, roomColumns how many bytes their texts have.
	pageColumns, roomColumns = 40, 16_000
	// maxText is how many characters of a comment or definition are shown, maxProperties how many of the engine's own
	// properties.
	maxText, maxProperties = 1500, 10
)

// tablePage is a table.
type tablePage struct {
	site
	Display name          `json:"display"`
	Kind    sdk.TableKind `json:"kind"`
	Rows    *int          `json:"estimatedRows"`
	Bytes   *int          `json:"estimatedBytes"`
	Comment string        `json:"comment,omitempty"`
	Source  *Source       `json:"source,omitempty"`
	Columns []columnRow   `json:"columns"`
	Pager   page.Pager    `json:"pager"`
	Keys    []keyRow      `json:"keys,omitempty"`
	// Profiled is the time of the profile; zero = there is none.
	Profiled time.Time `json:"profiledAt,omitzero"`
	// To are the foreign keys of the table, From those of others that refer to it; MoreFrom are not listed.
	To         []relation    `json:"refersTo,omitempty"`
	MoreTo     int           `json:"moreRefersTo,omitempty"`
	From       []relation    `json:"referredFrom,omitempty"`
	MoreFrom   int           `json:"moreReferredFrom,omitempty"`
	Properties []page.Pair   `json:"properties,omitempty"`
	Definition string        `json:"definition,omitempty"`
	Sample     *sampleResult `json:"sample,omitempty"`
	// Describable: a person may propose a description.
	Describable bool `json:"-"`
	// Samples: rows may be asked for.
	Samples bool `json:"-"`
}

type keyRow struct {
	Kind    string   `json:"kind"`
	Name    name     `json:"name,omitempty"`
	Columns []string `json:"columns"`
}

// Text returns the columns as a page shows them.
func (k keyRow) Text() string { return cut(strings.Join(k.Columns, ", "), maxTitle) }

// found is a table of a request.
type found struct {
	*scanned
	at      int
	table   *catalog.Table
	profile *catalog.Profile // nil: none
	display string
}

// find returns the table of a request.
// Errors: KindNotFound with the nearest names, KindInvalid for a name of several; those of scanned.
func (p *pages) findTable(ctx context.Context, r *page.Request) (*found, error) {
	s, err := p.scanned(ctx, r)
	if err != nil {
		return nil, err
	}
	f := &found{scanned: s}
	if f.at, _, err = discover.Find(s.snapshot, s.dialect, r.Path("table")); err != nil {
		return nil, err
	}
	if f.table, err = s.snapshot.At(f.at); err != nil {
		return nil, err
	}
	f.display = catalog.Display(f.table.TableRef)
	f.profile, err = s.snapshot.Profile(f.at)
	return f, err
}

func (p *pages) table(ctx context.Context, r *page.Request) (*page.View, error) {
	f, err := p.findTable(ctx, r)
	if err != nil {
		return nil, err
	}
	return p.tableView(ctx, r, f)
}

// tableView shows a table. Errors: those of reading the snapshot and of the semantic layer.
func (p *pages) tableView(ctx context.Context, r *page.Request, f *found) (*page.View, error) {
	t := f.table
	data := &tablePage{
		site: f.site("tables"), Display: name(f.display), Kind: t.Kind, Rows: known(t.RowEstimate), Bytes: known(t.ByteEstimate),
		Comment: cut(strings.TrimSpace(t.Comment), maxText), Definition: cut(strings.TrimSpace(t.Definition), maxText), Describable: p.Memory != nil, Samples: p.Record != nil,
	}
	if p.Source != nil {
		var err error
		if data.Source, err = p.Source(ctx, f.ID, t.TableRef); err != nil && sdk.KindOf(err) != sdk.KindNotFound {
			return nil, err
		}
	}
	if f.profile != nil {
		data.Profiled = f.profile.At
	}
	if data.Source != nil {
		data.Source.Description = cut(data.Source.Description, maxText)
	}
	for _, k := range slices.Sorted(mapKeys(t.Properties)) {
		if len(data.Properties) < maxProperties {
			data.Properties = append(data.Properties, page.Pair{Name: cut(k, maxShown), Value: flat(t.Properties[k], maxTitle)})
		}
	}
	for _, k := range t.Keys {
		if k.Kind != sdk.KeyForeign && len(data.Keys) < pageRelations {
			data.Keys = append(data.Keys, keyRow{keyName(k.Kind), name(k.Name), k.Columns})
		}
	}
	if err := data.columns(f, r); err != nil {
		return nil, err
	}
	if err := p.relations(ctx, f, data); err != nil {
		return nil, err
	}
	return &page.View{Title: cut(f.display, maxShown), Command: f.command("show", f.display), Data: data}, nil
}

func mapKeys(m map[string]string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// keyName returns the word for a kind of key.
func keyName(kind sdk.KeyKind) string {
	switch kind {
	case sdk.KeyPrimary:
		return "primary"
	case sdk.KeyUnique:
		return "unique"
	case sdk.KeyForeign:
		return "foreign"
	case sdk.KeyPartition:
		return "partition"
	case sdk.KeyCluster:
		return "cluster"
	}
	return "other"
}

// columnRow is a column with its profile.
type columnRow struct {
	Name     name     `json:"name"`
	Type     name     `json:"nativeType"`
	Nullable bool     `json:"nullable"`
	Keys     []string `json:"keys,omitempty"`
	// Remarks are that it is generated, and its default.
	Remarks string   `json:"remarks,omitempty"`
	Comment string   `json:"comment,omitempty"`
	Profile *profile `json:"profile,omitempty"`
	// Withheld is why its values are not kept.
	Withheld string `json:"withheld,omitempty"`
}

// columns fills in a page of columns. The cursor is the place of the first one.
// Errors: KindInvalid for another cursor.
func (d *tablePage) columns(f *found, r *page.Request) error {
	all := f.table.Columns
	first, err := r.Number("cursor", 0, 0, max(0, len(all)-1))
	if err != nil {
		return err
	}
	if first > 0 {
		d.Pager.Cursor = strconv.Itoa(first)
	}
	last := first
	d.Columns = []columnRow{}
	for room := roomColumns; last < len(all) && len(d.Columns) < pageColumns && room >= 0; last++ {
		c := all[last]
		row := columnRow{
			Name: name(c.Name), Type: name(c.NativeType), Nullable: c.Nullable, Keys: catalog.Marks(&f.table.Table, c.Name, false), Comment: flat(c.Comment, maxComment),
		}
		var remarks []string
		if c.Generated {
			remarks = append(remarks, "generated")
		}
		if c.Default != "" {
			remarks = append(remarks, "default "+flat(c.Default, maxShown))
		}
		row.Remarks = strings.Join(remarks, ", ")
		row.Profile, row.Withheld = profileOf(f.profile, c.Name)
		d.Columns = append(d.Columns, row)
		room -= size(row.Name.Cut(), row.Name.Title(), row.Type.Cut(), row.Type.Title(), row.Remarks, row.Comment, row.Withheld)
		if row.Profile != nil {
			room -= size(row.Profile.Min, row.Profile.Max, row.Profile.Values)
		}
	}
	d.Pager.Total, d.Pager.Shown = len(all), last-first
	if last < len(all) {
		d.Pager.Next = strconv.Itoa(last)
	}
	return nil
}

// profile is what was counted of a column.
type profile struct {
	Rows     int    `json:"rows"`
	Complete bool   `json:"complete"`
	Nulls    int    `json:"nulls"`
	Distinct string `json:"distinct,omitempty"`
	Min      string `json:"min,omitempty"`
	Max      string `json:"max,omitempty"`
	Values   string `json:"values,omitempty"`
}

// Null returns the share of NULL.
func (p *profile) Null() string {
	if p.Rows == 0 || p.Nulls == 0 {
		return "0\u00a0%"
	}
	return fmt.Sprintf("%.3g\u00a0%%", 100*float64(p.Nulls)/float64(p.Rows))
}

const (
	maxValue  = 32
	maxValues = 8
)

// profileOf returns what a profile has of a column; nil and "" where it has nothing.
func profileOf(p *catalog.Profile, column string) (*profile, string) {
	if p == nil {
		return nil, ""
	}
	withheld := ""
	if at := slices.IndexFunc(p.Withheld, func(w catalog.Withheld) bool { return w.Column == column }); at >= 0 {
		withheld = cut(p.Withheld[at].Reason, maxComment)
	}
	s := p.Column(column)
	if s == nil {
		return nil, withheld
	}
	out := &profile{Rows: int(s.Rows), Complete: s.Complete, Nulls: int(s.Nulls)}
	if s.Distinct >= 0 {
		out.Distinct = fmt.Sprint(s.Distinct)
	}
	if s.DistinctApprox && out.Distinct != "" {
		out.Distinct = "about " + out.Distinct
	}
	for _, bound := range []struct {
		of   *string
		into *string
	}{{s.Min, &out.Min}, {s.Max, &out.Max}} {
		if bound.of != nil {
			*bound.into = flat(*bound.of, maxValue)
		}
	}
	out.Values = values(s)
	return out, withheld
}

// values returns the most frequent values with their counts.
func values(s *sdk.ColumnStats) string {
	var all []string
	for i, v := range s.Values[:min(len(s.Values), maxValues)] {
		one := flat(v, maxValue)
		if one == "" {
			one = "“" + one + "”"
		}
		if i < len(s.Counts) && s.Counts[0] > 1 {
			one += fmt.Sprintf(" (%d)", s.Counts[i])
		}
		all = append(all, one)
	}
	if len(all) < len(s.Values) || len(all) > 0 && !s.ValuesComplete {
		all = append(all, "…")
	}
	return cut(strings.Join(all, ", "), maxComment)
}
