package catalog

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/discover"
	"github.com/loam-data/loam/host/internal/review"
	"github.com/loam-data/loam/host/internal/search"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

const (
	// pageTables is how many tables a page lists, pageSchemas how many schemas, pageFound how many hits of a search.
	pageTables, pageSchemas, pageFound = 60, 40, 40
	// roomTables is how many bytes the texts of a page's tables have, roomSchemas those of its schemas: few long names
	// fill a page.
	roomTables, roomSchemas = 24_000, 6000
	maxComment              = 140
	// maxWarnings is how many warnings of a scan are shown.
	maxWarnings = 10
)

// tablesPage lists the tables of a connection.
type tablesPage struct {
	site
	Command string        `json:"next,omitempty"` // of a connection that was never scanned
	Filters []page.Filter `json:"filters"`
	Schemas []schemaRow   `json:"schemas,omitempty"`
	// MoreSchemas is how many schemas are not listed.
	MoreSchemas int        `json:"moreSchemas,omitempty"`
	Tables      []tableRow `json:"tables"`
	Pager       page.Pager `json:"pager"`
	// Found are the hits of a search, in place of Tables.
	Search string     `json:"search,omitempty"`
	Found  []foundRow `json:"found,omitempty"`
	Notes  []string   `json:"notes,omitempty"`
	// Undecided is how many joins wait for a person.
	Undecided int      `json:"undecidedJoins"`
	Warnings  []string `json:"-"`
	More      int      `json:"-"` // warnings
}

type schemaRow struct {
	Name   name `json:"name"`
	Tables int  `json:"tables"`
}

// Link returns the parameter that asks for the schema; none where its name is too long for an address.
func (s schemaRow) Link() string {
	if len(s.Name) > maxLinked {
		return "?"
	}
	return "?schema=" + url.QueryEscape(string(s.Name))
}

type tableRow struct {
	Display  name          `json:"display"`
	Link     string        `json:"-"`
	Kind     sdk.TableKind `json:"kind"`
	Rows     *int          `json:"estimatedRows"`
	Columns  int           `json:"columnCount"`
	Comment  string        `json:"comment,omitempty"`
	Profiled bool          `json:"profiled"`
}

type foundRow struct {
	Kind    string `json:"kind"`
	Display name   `json:"display"`
	Column  name   `json:"column,omitempty"`
	Link    string `json:"-"`
	Text    string `json:"text,omitempty"`
}

func (p *pages) tables(ctx context.Context, r *page.Request) (*page.View, error) {
	s, err := p.connection(ctx, r)
	if err != nil {
		return nil, err
	}
	view := &page.View{Title: "Tables of " + string(s.ID), Command: s.command("tables")}
	data := &tablesPage{site: s.site("tables"), Tables: []tableRow{}, Filters: filters(r)}
	view.Data = data
	if s.snapshot == nil {
		data.Command = "loam scan " + string(s.ID)
		return view, nil
	}
	data.warn()
	overview, err := p.Review.Overview(ctx, s.scope)
	if err != nil {
		return nil, err
	}
	data.Undecided = overview.Counts[review.Undecided]
	if data.Search = r.Param("q"); data.Search != "" {
		view.Command = "loam search -c " + text.ShellWord(string(s.ID)) + " " + text.ShellWord(cut(data.Search, maxTitle))
		return view, p.find(ctx, s, data)
	}
	if r.Param("schema") == "" && r.Param("cursor") == "" {
		data.schemas(s.snapshot)
	}
	return view, data.list(ctx, s, r)
}

// warn lists what the scan could not read.
func (d *tablesPage) warn() {
	all := d.Scan.Warnings
	for _, w := range all[:min(len(all), maxWarnings)] {
		line := w.Message
		if w.Object != "" {
			line = w.Object + ": " + line
		}
		d.Warnings = append(d.Warnings, cut(line, maxTitle))
	}
	d.More = len(all) - len(d.Warnings)
}

// kinds are the kinds of tables that a filter offers.
func kinds() []sdk.TableKind {
	return []sdk.TableKind{sdk.TableBase, sdk.TableView, sdk.TableMaterialized, sdk.TableExternal, sdk.TablePartitioned}
}

func filters(r *page.Request) []page.Filter {
	kind := page.Filter{Name: "kind", Label: "Kind", Value: r.Param("kind"), Choices: []page.Choice{{Label: "any", Count: -1}}}
	for _, k := range kinds() {
		kind.Choices = append(kind.Choices, page.Choice{Value: string(k), Label: string(k), Count: -1, Now: string(k) == kind.Value})
	}
	return []page.Filter{
		{Name: "schema", Label: "Schema", Value: r.Param("schema")},
		{Name: "name", Label: "Name has", Value: r.Param("name")},
		kind,
		{Name: "q", Label: "Search names and texts", Value: r.Param("q")},
	}
}

func (d *tablesPage) schemas(snapshot *catalog.Snapshot) {
	room := roomSchemas
	for one := range snapshot.Schemas() {
		if len(d.Schemas) == pageSchemas || room < 0 {
			d.MoreSchemas++
			continue
		}
		row := schemaRow{name(schemaName(one.Catalog, one.Name)), one.Tables}
		d.Schemas = append(d.Schemas, row)
		room -= size(row.Link(), row.Name.Cut(), row.Name.Title())
	}
}

// list fills in a page of the tables that the filters leave, in the order of their names. The cursor is the first one's
// name.
// Errors: KindInvalid for an unknown kind; those of reading the snapshot.
func (d *tablesPage) list(ctx context.Context, s *scanned, r *page.Request) error {
	first, end, matches, err := selected(s.snapshot, r)
	if err != nil {
		return err
	}
	start := first
	if ref, at, ok := readCursor(r.Query.Get("cursor")); ok {
		if at < 0 {
			at, _ = s.snapshot.Position(ref)
		}
		start = min(max(at, first), end)
		if start > first {
			d.Pager.Cursor = r.Query.Get("cursor")
		}
	}
	room := roomTables
	for i := first; i < end; i++ {
		if matches != nil && !matches(i) {
			continue
		}
		switch full := len(d.Tables) == pageTables || room < 0; {
		case i < start: // it is counted
		case !full:
			row, err := readRow(s, i)
			if err != nil {
				return err
			}
			d.Tables = append(d.Tables, row)
			room -= size(row.Link, row.Display.Cut(), row.Display.Title(), row.Comment)
		case d.Pager.Next == "":
			d.Pager.Next = cursorOf(s.snapshot.Entry(i).TableRef, i)
		}
		d.Pager.Total++
		if matches == nil && d.Pager.Next != "" { // all others match
			d.Pager.Total = end - first
			break
		}
		if d.Pager.Total%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	d.Pager.Shown = len(d.Tables)
	return nil
}

// selected returns the range of the tables that are asked for, and what else a table has to be; nil = nothing.
// Errors: KindInvalid for an unknown kind.
func selected(snapshot *catalog.Snapshot, r *page.Request) (first, end int, matches func(int) bool, err error) {
	kind, wanted, asked := sdk.TableKind(r.Param("kind")), r.Param("name"), r.Param("schema")
	if kind != "" && !slices.Contains(kinds(), kind) {
		return 0, 0, nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "kind=%s is no kind of table", cut(string(kind), maxShown)).WithHint("go back and choose again")
	}
	first, end = 0, snapshot.Len()
	if ref, ok := catalog.Parse(asked); ok {
		if schema, there := snapshot.Schema(ref.Schema, ref.Name); there {
			first, end, asked = schema.First, schema.First+schema.Tables, ""
		}
	}
	if kind == "" && wanted == "" && asked == "" {
		return first, end, nil, nil
	}
	hasName := named(wanted)
	return first, end, func(i int) bool {
		e := snapshot.Entry(i)
		return (kind == "" || e.Kind == kind) && (asked == "" || strings.EqualFold(e.Schema, asked)) && hasName(e.TableRef)
	}, nil
}

// readRow reads the table at a position. Errors: those of reading the snapshot.
func readRow(s *scanned, i int) (tableRow, error) {
	t, err := s.snapshot.At(i)
	if err != nil {
		return tableRow{}, err
	}
	display := catalog.Display(t.TableRef)
	return tableRow{
		Display: name(display), Link: tableLink(s.ID, display), Kind: t.Kind, Rows: known(t.RowEstimate),
		Columns: len(t.Columns), Comment: flat(t.Comment, maxComment), Profiled: s.snapshot.Entry(i).Profile != catalog.Hash{},
	}, nil
}

// find fills in the hits of a search. Errors: those of discover.Service.Search.
func (p *pages) find(ctx context.Context, s *scanned, d *tablesPage) error {
	answer, err := p.Discover.Search(ctx, discover.SearchRequest{
		Query: d.Search, Connection: s.ID, Kinds: []string{search.Table.String(), search.Column.String()}, Limit: pageFound,
	})
	if err != nil {
		return err
	}
	d.Notes = answer.Notes
	for _, hit := range answer.Refs {
		if hit.TableRef == nil {
			continue
		}
		display := catalog.Display(refOf(hit.TableRef))
		row := foundRow{Kind: hit.Kind, Display: name(display), Column: name(hit.ColumnName), Link: tableLink(s.ID, display)}
		for _, part := range []*string{hit.Summary, hit.Snippet} {
			if part != nil && row.Text == "" {
				row.Text = flat(*part, maxComment)
			}
		}
		d.Found = append(d.Found, row)
	}
	d.Pager = page.Pager{Total: -1, Shown: len(d.Found)}
	return nil
}

// refOf returns a table's name of JSON.
func refOf(ref *catalog.TableRef) (out sdk.TableRef) {
	out.Name = ref.Name
	if ref.Catalog != nil {
		out.Catalog = *ref.Catalog
	}
	if ref.DB != nil {
		out.Schema = *ref.DB
	}
	return out
}
