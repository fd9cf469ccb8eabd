package semantic

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/console/shown"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/host/internal/semantic/binding"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semanticquery"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// The sizes of the page of a measure.
const (
	listedDimensions = 60
	listedLinks      = 30
	listedProbes     = 12
	listedSourcesOf  = 4 // sources of a metric whose claims are shown
)

type measureData struct {
	Connection string `json:"connectionId"`
	Name       string `json:"name"`
	Label      string `json:"label,omitempty"`
	About      string `json:"about,omitempty"`
	// Meaning is the definition in words, Facts are its parts and where they are from.
	Meaning string      `json:"meaning"`
	Facts   []page.Pair `json:"facts"`
	Trust   string      `json:"trust"`
	Flags   []string    `json:"flags,omitempty"`
	// Standing says who told and reviewed it, and how far it was tried.
	Standing []string `json:"standing"`
	// Change that made it, "" = none. Review is what is remembered of that.
	Change string  `json:"changeId,omitempty"`
	Review *review `json:"review,omitempty"`
	Broken string  `json:"broken,omitempty"`
	// SQL for the warehouse, or Refused with the reason.
	SQL string `json:"sql,omitempty"`
	// Cut: SQL is only the beginning.
	Cut     bool         `json:"cut,omitempty"`
	Notes   []string     `json:"notes,omitempty"`
	Refused *shown.Fault `json:"refused,omitempty"`

	Source     link       `json:"source"`
	Dimensions []link     `json:"dimensions"`
	More       int        `json:"moreDimensions,omitempty"`
	Reachable  []string   `json:"reachable,omitempty"`
	Uses       []link     `json:"uses"`
	UsedBy     []link     `json:"usedBy"`
	UsedByMore bool       `json:"usedByTruncated,omitempty"`
	Twins      []link     `json:"twins"`
	Mentions   []Mention  `json:"mentions,omitempty"`
	Conflicts  []conflict `json:"conflicts,omitempty"`
	Probes     []probed   `json:"probes,omitempty"`
	Claims     []claim    `json:"claims"`
	// Times are those by which it can be charted; none = it has a time of its own.
	Times []string `json:"times,omitempty"`
	// Query is the address of the query runner with this measure.
	Query string `json:"-"`
	// Typed is a text that was not accepted, for the reason of Fault; else the sentence that says the definition.
	Typed string       `json:"-"`
	Fault *shown.Fault `json:"fault,omitempty"`
	// Teachable: another definition can be proposed here.
	Teachable bool `json:"-"`
	// Asking is the action that runs: probe, chart or check; "" = none.
	Asking string `json:"asking,omitempty"`
	// Checkable is the source whose claims can be checked, "" = none.
	Checkable string `json:"-"`
}

// review is the last decision about the change that made a measure, and the text that it was learned from.
type review struct {
	State string `json:"state"`
	// By is who decided, "" = nobody did.
	By     string    `json:"by,omitempty"`
	At     time.Time `json:"at,omitzero"`
	Reason string    `json:"reason,omitempty"`
	Quote  string    `json:"quote,omitempty"`
	// Approve approves the change as it is shown here; nil = it does not wait, or its own page decides.
	Approve *page.Form `json:"-"`
}

// link is a name with its page.
type link struct {
	Name string `json:"name"`
	Link string `json:"-"`
	// Is is the type of a dimension.
	Is string `json:"is,omitempty"`
}

// probed is a recorded test run.
type probed struct {
	At time.Time `json:"at"`
	// Period is "2026-10", "" = all rows.
	Period string `json:"period"`
	// Outcome is ran, failed, empty or withheld: the values of the columns are not kept.
	Outcome string `json:"outcome"`
	Value   string `json:"value,omitempty"`
	Rows    int64  `json:"rows"`
	Error   string `json:"error,omitempty"`
	// Superseded: the latest run was of another definition.
	Superseded bool `json:"superseded,omitempty"`
}

// probedOf returns a run with its value as text.
func (p *pages) probedOf(t memory.Tried) probed {
	one := probed{
		At: t.At, Period: brief(t.Period, roomName), Outcome: "ran", Value: brief(plain(t.Value), roomName), Rows: t.Rows, Error: brief(p.Redact(t.Error), roomLine),
		Superseded: t.Superseded,
	}
	switch {
	case t.Error != "":
		one.Outcome = "failed"
	case t.Value == "null":
		one.Outcome, one.Value = "empty", ""
	case t.Value == "":
		one.Outcome = "withheld"
	}
	return one
}

// measure describes a measure. No warehouse is asked.
func (p *pages) measure(ctx context.Context, r *page.Request) (*page.View, error) {
	v, _, err := p.describe(ctx, r)
	return v, err
}

func (p *pages) describe(ctx context.Context, r *page.Request) (*page.View, *measureData, error) {
	id := connection.ID(r.Path("connection"))
	a, err := p.Semantic.ReadMeasure(ctx, id, r.Path("member"))
	if err != nil {
		return nil, nil, err
	}
	m := &a.Measure
	d := &measureData{
		Connection: string(id), Name: a.Name, Label: brief(m.Label, roomName), About: brief(m.Description, roomText), Meaning: brief(m.Meaning(), 2*roomLine),
		Facts: measureFacts(a), Trust: trustOf(a), Flags: m.Flags, Standing: p.standing(trustOf(a), m), Broken: brief(m.Broken, roomText),
		Uses: measureLinks(id, a.Uses), UsedBy: measureLinks(id, a.UsedBy), UsedByMore: a.UsedByTruncated || len(a.UsedBy) > listedLinks, Twins: measureLinks(id, a.Twins),
		Conflicts: conflictsOf(a.Disputed), Query: runner(id, a.Name, "", "", ""), Dimensions: []link{}, Claims: []claim{},
	}
	d.Typed, d.Teachable = brief(a.Name+" is "+m.Meaning(), 2*roomLine)+".", p.Memory != nil
	d.Source = link{Name: brief(a.Source.Name, roomName), Link: page.Link("semantic", string(id), sourceName(a.Source))}
	d.dimensions(id, a)
	if err := p.ground(ctx, id, a, d); err != nil {
		return nil, nil, err
	}
	if err := p.recorded(ctx, id, a, d); err != nil {
		return nil, nil, err
	}
	if d.Times, err = p.times(ctx, id, a); err != nil {
		return nil, nil, err
	}
	p.compiled(ctx, id, d)
	command := "loam sl show -c " + text.ShellWord(string(id)) + " " + text.ShellWord(sourceName(a.Source)) + " --json"
	return &page.View{Title: a.Name, Command: command, Data: d}, d, nil
}

// sourceName is the name by which a source is found.
func sourceName(a *semanticquery.SourceAnswer) string {
	if a.Identity != "" && a.Name != binding.MetricsName {
		return a.Identity
	}
	return a.Name
}

// measureFacts are the parts of a definition and their places.
func measureFacts(a *semanticquery.MeasureAnswer) (all []page.Pair) {
	m := &a.Measure
	add := func(name, value string) {
		if value != "" {
			all = append(all, page.Pair{Name: name, Value: brief(value, 2*roomLine)})
		}
	}
	add("Kind", strings.ReplaceAll(m.Kind, "_", " "))
	add("Aggregate", m.Agg)
	add("Expression", m.Expr)
	add("Only where", m.Filter)
	add("In", strings.Join(m.Segments, ", "))
	add("Unit", m.Unit)
	add("Format", m.Format)
	add("Also called", strings.Join(m.Synonyms, ", "))
	add("Over rows of", m.Home)
	times := m.TimeDimension
	if times == "" && a.Source.DefaultTimeDimension != nil {
		times = *a.Source.DefaultTimeDimension
	}
	add("Time", times)
	if m.Internal {
		add("Visibility", "internal: by its full name only")
	}
	if o := a.Origin; o != nil {
		add("Defined in", placed(o.Place))
		add("Layer", o.Layer)
		for _, h := range o.Hides {
			add("Hides", h.Layer+", "+placed(h))
		}
	}
	return all
}

// trustOf is who vouches for a measure, in a word.
func trustOf(a *semanticquery.MeasureAnswer) string {
	switch {
	case a.Measure.Trust != "":
		return string(a.Measure.Trust)
	case a.Origin != nil && a.Origin.Layer != "person":
		return a.Origin.Layer
	}
	return string(model.Person)
}

// standing says who told and reviewed a measure, and how far it was tried.
func (p *pages) standing(trust string, m *semanticquery.Measure) []string {
	words := []string{}
	if says := map[string]string{
		"person": "A person wrote it.", "scanned": "A scan found it.", "schema": "A file of the schema has it.", "imported": "An importer wrote it from another model.",
		"described": "The engine described it.",
	}[trust]; says != "" {
		words = append(words, says)
	}
	if l := m.Learned; l != nil {
		says := "Learned from " + brief(l.By, roomName)
		if l.Source != "" && l.Source != l.By {
			says += " (" + brief(l.Source, roomName) + ")"
		}
		if l.At != "" {
			says += ", " + brief(l.At, roomName)
		}
		words = append(words, says+".")
		if m.Trust == model.Reviewed {
			words = append(words, "A person approved it.")
		} else {
			words = append(words, "No person reviewed it yet.")
		}
	}
	switch v := m.Verified; {
	case v == nil && m.Learned != nil:
		words = append(words, "It was never tried.")
	case v == nil:
	default:
		says := "Tried " + brief(v.At, roomName) + ": " + brief(v.Level, roomName)
		if v.Of != "" {
			says += " to " + brief(v.Of, roomName)
		}
		if v.Reason != "" {
			says += " (" + brief(v.Reason, roomLine) + ")"
		}
		if v.Stale(p.Now()) {
			says += ", long ago"
		}
		words = append(words, says+".")
	}
	return words
}

func measureLinks(id connection.ID, names []string) []link {
	all := []link{}
	for _, name := range names[:min(len(names), listedLinks)] {
		one := link{Name: brief(name, roomName)}
		if len(name) <= linkedName {
			one.Link = page.Link("measure", string(id), name)
		}
		all = append(all, one)
	}
	return all
}

// dimensions sets what the measure can be broken down by: each leads to the query runner.
func (d *measureData) dimensions(id connection.ID, a *semanticquery.MeasureAnswer) {
	if a.Source.Name == binding.MetricsName {
		return // those of its measures
	}
	room := roomList / 2
	for i := range a.Source.Dimensions {
		one := &a.Source.Dimensions[i]
		if one.Broken != "" || one.Internal {
			continue
		}
		if len(d.Dimensions) == listedDimensions || room < 0 {
			d.More++
			continue
		}
		l := link{Name: brief(one.Name, roomName), Is: one.Type}
		if name := semanticquery.MemberName(a.Source.Qualifier, one.Name); len(name) <= linkedName {
			grain := ""
			if len(one.Granularities) > 0 {
				grain = "month"
			}
			l.Link = runner(id, a.Name, name, grain, "")
			room -= len(l.Link)
		}
		d.Dimensions = append(d.Dimensions, l)
	}
	for i := range a.Source.Reachable[:min(len(a.Source.Reachable), listedLinks)] {
		r := &a.Source.Reachable[i]
		name := r.Reference
		if name == "" {
			name = r.Source + " via " + strings.Join(r.Via, ", ")
		}
		d.Reachable = append(d.Reachable, brief(name, roomName))
	}
}

// ground sets the claims about keys and joins that the measure rests on; those of a metric are its sources'.
func (p *pages) ground(ctx context.Context, id connection.ID, a *semanticquery.MeasureAnswer, d *measureData) error {
	if a.Source.Name != binding.MetricsName {
		d.Claims, d.Checkable = append(d.Claims, claimsOf(a.Source)...), sourceName(a.Source)
		return nil
	}
	seen := map[string]bool{}
	for _, name := range a.Uses {
		at := strings.LastIndexByte(name, '.') // of the names of members, which have quotes where they need them
		if at < 0 || seen[name[:at]] || len(seen) == listedSourcesOf {
			continue
		}
		seen[name[:at]] = true
		source, err := p.Semantic.ReadSource(ctx, semanticquery.SourceRequest{Connection: id, Name: name[:at], Dimensions: []string{}})
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			continue // its fault is on its own page
		}
		if d.Checkable == "" {
			d.Checkable = sourceName(source)
		}
		for _, c := range claimsOf(source) {
			if len(d.Claims) < maxClaims {
				c.Says = brief(source.Name, roomName) + ": " + c.Says
				d.Claims = append(d.Claims, c)
			}
		}
	}
	return nil
}

// recorded sets the review, the probes and the mentions that were recorded.
func (p *pages) recorded(ctx context.Context, id connection.ID, a *semanticquery.MeasureAnswer, d *measureData) (err error) {
	if d.Change, err = p.changeOf(ctx, id, a); err != nil {
		return err
	}
	if p.Memory != nil && d.Change != "" {
		c, err := p.Memory.Change(ctx, d.Change)
		switch {
		case err == nil:
			d.Review = &review{
				State: c.State, By: brief(c.DecidedBy, roomName), At: c.DecidedAt, Reason: brief(c.Reason, roomLine), Quote: brief(c.Quote, roomText),
				Approve: shown.Approval(shown.Pick{ID: string(c.ID), Version: c.Version, Base: c.Base}, change.State(c.State), c.Disputed, page.Link("measure", string(id), a.Name)),
			}
		case sdk.KindOf(err) != sdk.KindNotFound: // what was remembered may be gone
			return err
		}
	}
	if p.Probes != nil {
		all, err := p.Probes(ctx, id, names(a), listedProbes)
		if err != nil {
			return err
		}
		for _, one := range all {
			d.Probes = append(d.Probes, p.probedOf(one))
		}
	}
	if p.Mentions != nil {
		all, err := p.Mentions(ctx, id, a.Name)
		if err != nil {
			return err
		}
		for _, one := range all[:min(len(all), listedLinks)] {
			one.Name = brief(one.Name, roomName)
			d.Mentions = append(d.Mentions, one)
		}
	}
	return nil
}

// changeOf names the change that made a measure: its file may do so, and the memory knows drafts. "" = it is not known.
func (p *pages) changeOf(ctx context.Context, id connection.ID, a *semanticquery.MeasureAnswer) (string, error) {
	learned := a.Measure.Learned
	switch {
	case learned == nil:
		return "", nil
	case learned.Change != "" || learned.Reviewed || p.Memory == nil:
		return brief(learned.Change, roomName), nil
	}
	for _, name := range names(a) {
		c, err := p.Memory.DraftOf(ctx, string(id), name)
		if err != nil {
			return "", err
		}
		if c != nil {
			return string(c.ID), nil
		}
	}
	return "", nil
}

// names are those of a measure: as a request names it, and as a change does.
func names(a *semanticquery.MeasureAnswer) []string {
	all := []string{a.Name}
	if a.Source.Name == binding.MetricsName {
		return append(all, a.Measure.Name)
	}
	return append(all, a.Source.Name+"."+a.Measure.Name, sourceName(a.Source)+"."+a.Measure.Name)
}

// plain is a JSON value as text.
func plain(cell string) string {
	var s string
	if json.Unmarshal([]byte(cell), &s) == nil && strings.HasPrefix(cell, `"`) {
		return s
	}
	return cell
}

// compiled sets the statement for the measure alone, in the dialect that is known.
func (p *pages) compiled(ctx context.Context, id connection.ID, d *measureData) {
	c, err := p.Semantic.Compile(ctx, semanticquery.Request{Connection: id, Body: asked{Measures: []string{d.Name}}.body()})
	if err != nil {
		d.Refused = shown.FaultOf(err, "", p.Redact)
		if sdk.KindOf(err) == sdk.KindInternal {
			d.Refused = &shown.Fault{Kind: sdk.KindInternal, Message: "the statement could not be made", Hint: "run loam sl validate"}
		}
		return
	}
	d.SQL = brief(c.Query.SQL, 2*roomText)
	d.Cut = d.SQL != c.Query.SQL
	d.Notes, _ = briefAll(c.Notes, listedNotes, roomLine)
}

// asked is a request to the semantic layer.
type asked struct {
	Measures   []string    `json:"measures"`
	Dimensions []dimension `json:"dimensions,omitempty"`
	Ranges     []span      `json:"date_ranges,omitempty"`
	Limit      int         `json:"limit,omitempty"`
}

type dimension struct {
	Field string `json:"field"`
	Grain string `json:"granularity,omitempty"`
}

type span struct {
	From string `json:"from"`
	To   string `json:"to"`
	// Field is the time; "" = that of the measure.
	Field string `json:"field,omitempty"`
}

func (a asked) body() json.RawMessage {
	text, err := json.Marshal(a)
	if err != nil {
		panic(err) // texts and numbers always encode
	}
	return text
}
