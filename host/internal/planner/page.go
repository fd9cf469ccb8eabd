package planner

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/assertion"
	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/change/form"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/host/internal/wiki"
)

const (
	maxPage    = 16 << 10
	maxSummary = 200
)

// sourceLine names who says it, which the frontmatter has.
var sourceLine = text.Pattern(`(?mi)(?:^|[ \t]+)(?:source|quelle): [^\n]*$`)

// pages proposes the pages of the text.
func (w *work) pages() error {
	for _, t := range w.topics() {
		if len(w.plan.Changes) >= maxChanges {
			w.beyond++
			continue
		}
		if err := w.ended(); err != nil {
			return err
		}
		if err := w.page(t); err != nil {
			return err
		}
	}
	return nil
}

// draft is a page on its way to proposals.
type draft struct {
	work *work
	t    *topic
	key  string
	path string
	// page is the one that is there, nil = it is new.
	page    *wiki.Page
	content []byte
	old     *assertion.Document
	own     bool
	// sketch and shingles are of the topic's first text.
	sketch   assertion.Sketch
	shingles [][]string
}

func (w *work) page(t *topic) error {
	t.pieces = slices.DeleteFunc(t.pieces, func(p piece) bool {
		return w.textOf(p) == "" || len(p.statements) > 0 && !slices.ContainsFunc(p.statements, func(i int) bool { return !w.silent[i] })
	})
	if len(t.pieces) == 0 {
		return nil
	}
	d := &draft{work: w, t: t}
	if err := d.find(); err != nil {
		return err
	}
	var plain []piece
	for _, p := range t.pieces {
		if d.has(w.textOf(p)) {
			continue
		}
		conflicts, replaced, err := d.compare(p)
		switch {
		case err != nil:
			return err
		case replaced != nil:
			d.propose([]piece{p}, replaced, nil)
		case len(conflicts) > 0:
			d.propose([]piece{p}, nil, conflicts)
		default:
			plain = append(plain, p)
		}
	}
	if len(plain) > 0 {
		d.propose(plain, nil, nil)
	}
	d.aliases()
	return nil
}

// textOf is a piece as a page has it.
func (w *work) textOf(p piece) string {
	text := w.doc.Text[p.From:p.To]
	if strings.Contains(text, ": ") {
		text = sourceLine().ReplaceAllString(text, "")
	}
	text = strings.Trim(text, "\n")
	if w.format != "" {
		return "```" + string(w.format) + "\n" + text + "\n```"
	}
	if !strings.Contains(text, "\n") {
		return strings.TrimSpace(text)
	}
	return strings.TrimRight(text, " \t\n")
}

// find looks for the page of a topic: by its key, by its title, by the subject of its
// statements; else it is new.
func (d *draft) find() error {
	d.key = assertion.Slug(d.t.title)
	if d.key == "" {
		d.key = "text"
	}
	if d.work.v.Pages != nil {
		if page, err := d.work.v.Pages.Page(d.key); err == nil {
			d.page = page
		} else if d.page, err = d.related(); err != nil {
			return err
		}
	}
	if d.page != nil {
		d.key = d.page.Key
	}
	for n := 1; ; n++ {
		key := d.key
		if n > 1 {
			key = fmt.Sprintf("%s-%d", d.key, n)
		}
		if err := d.open(key); err != nil {
			return err
		}
		if len(d.content) < maxPage || d.content != nil && !d.own {
			d.key = key
			return nil
		}
	}
}

// open reads the file of a key.
func (d *draft) open(key string) (err error) {
	d.path, d.content, d.old, d.own = d.work.v.Folder+"/"+key+".md", nil, nil, true
	if d.page != nil && d.page.Key != key {
		d.page = nil
		if page, err := d.work.v.Pages.Page(key); err == nil {
			d.page = page
		}
	}
	if d.page != nil {
		d.path = "wiki/" + d.page.Path
	}
	if d.work.v.Content != nil {
		if d.content, err = d.work.v.Content(d.path); err != nil || d.content == nil {
			return err
		}
	}
	d.own = d.content == nil || d.work.v.Own != nil && d.work.v.Own(d.path, d.content)
	if d.page != nil && d.work.v.Body != nil {
		body, err := d.work.v.Body(d.page)
		if err != nil {
			return err
		}
		d.old = d.work.read(d.work.volume(d.page), body)
	}
	return nil
}

// related finds the page whose title or alias is the topic's, or that states something of its
// subjects.
func (d *draft) related() (*wiki.Page, error) {
	var byStatement *wiki.Page
	title := assertion.Key(d.t.title, assertion.None)
	for _, v := range d.work.volumes() {
		if slices.Contains(v.names, title) {
			return v.page, nil
		}
		if byStatement != nil {
			continue
		}
		similar, err := d.similar(v)
		if err != nil {
			return nil, err
		}
		same, err := d.sameSubject(v)
		if err != nil {
			return nil, err
		}
		if similar || len(same) > 0 {
			byStatement = v.page
		}
	}
	return byStatement, nil
}

// alike is how similar the texts of two blocks are that belong on one page.
const alike = 0.7

// similar reports whether a page of Loam's has a text much like that of a topic that states
// nothing. Where something is stated its subject decides.
func (d *draft) similar(v *volume) (bool, error) {
	if v.page.Origin != "agent" || d.work.v.Body == nil || d.t.instruction || slices.ContainsFunc(d.t.pieces, func(p piece) bool { return len(p.statements) > 0 }) {
		return false, nil
	}
	if d.sketch == nil {
		text := d.work.textOf(d.t.pieces[0])
		d.sketch, d.shingles = assertion.Draw(text, assertion.None), assertion.Shingles(text)
	}
	if !mayResemble(v.page, d.shingles) {
		return false, nil
	}
	body, err := d.work.v.Body(v.page)
	if err != nil {
		return false, err
	}
	for block := range strings.SplitSeq(body, "\n\n") {
		if d.sketch.Similarity(assertion.Draw(block, assertion.None)) >= alike {
			return true, nil
		}
	}
	return false, nil
}

// mayResemble reports whether a page may have half of the shingles of a text. A page that is alike has more of them.
func mayResemble(p *wiki.Page, shingles [][]string) bool {
	absent := 0
	for _, words := range shingles {
		if slices.ContainsFunc(words, func(word string) bool { return !p.MayHave(word) }) {
			if absent++; 2*absent > len(shingles) {
				return false
			}
		}
	}
	return true
}

// pair is a statement of the text and one of a page about the same subject.
type pair struct{ own, other *assertion.Statement }

// sameSubject returns the statements of the topic whose subject a page states something of.
func (d *draft) sameSubject(v *volume) (all []pair, err error) {
	if err := d.work.open(v); err != nil {
		return nil, err
	}
	for _, piece := range d.t.pieces {
		for _, i := range piece.statements {
			st := &d.work.doc.Statements[i]
			word := lastWord(st.Subject)
			if word == "" || !strings.Contains(v.folded, word) {
				continue
			}
			doc := d.work.read(v, v.body)
			for j, subject := range v.subjects {
				if subject == st.Key() {
					all = append(all, pair{st, &doc.Statements[j]})
				}
			}
		}
	}
	return all, nil
}

// has reports whether the page has a text already.
func (d *draft) has(text string) bool {
	if d.old == nil {
		return false
	}
	fold := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	return strings.Contains(fold(d.old.Text), fold(text))
}

// compare finds what contradicts a piece, on this page and on others. What the same source said
// before on a page of Loam's is replaced.
func (d *draft) compare(p piece) (conflicts []change.Conflict, replaced *change.Block, err error) {
	if d.old != nil {
		for _, i := range p.statements {
			st := &d.work.doc.Statements[i]
			for j := range d.old.Statements {
				other := &d.old.Statements[j]
				if _, ok := assertion.Contradicts(*st, *other); !ok {
					continue
				}
				if block := d.correct(p, other); block != nil {
					return nil, block, nil
				}
				conflicts = append(conflicts, d.conflict(d.page, d.old, other))
			}
		}
	}
	for _, v := range d.work.volumes() {
		if d.page != nil && v.page.Path == d.page.Path {
			continue
		}
		same, err := d.sameSubject(v)
		if err != nil {
			return nil, nil, err
		}
		for _, s := range same {
			if _, ok := assertion.Contradicts(*s.own, *s.other); ok && slices.ContainsFunc(p.statements, func(i int) bool { return &d.work.doc.Statements[i] == s.own }) {
				conflicts = append(conflicts, d.conflict(v.page, v.doc, s.other))
			}
		}
	}
	for _, i := range p.statements {
		for j := range i {
			if _, ok := assertion.Contradicts(d.work.doc.Statements[i], d.work.doc.Statements[j]); ok {
				conflicts = append(conflicts, change.Conflict{Says: d.work.quote(d.work.doc.Statements[j].Span), By: d.work.in.By.Name(), At: d.work.in.At})
			}
		}
	}
	return distinct(conflicts), nil, nil
}

// distinct drops what is said twice at one place.
func distinct(all []change.Conflict) (each []change.Conflict) {
	for _, c := range all {
		if !slices.ContainsFunc(each, func(o change.Conflict) bool { return o.Says == c.Says && o.Path == c.Path }) {
			each = append(each, c)
		}
	}
	return each
}

func (d *draft) conflict(p *wiki.Page, doc *assertion.Document, st *assertion.Statement) change.Conflict {
	c := change.Conflict{Says: shorten(doc.Text[st.From:st.To], maxQuote), By: p.Source, At: p.Updated, Path: "wiki/" + p.Path}
	if d.work.v.Learned != nil {
		for _, l := range d.work.v.Learned(change.Page, d.work.in.Connection, p.Key) {
			if l.State == change.Applied && slices.ContainsFunc(l.Blocks, func(b change.Block) bool { return strings.Contains(b.After, doc.Text[st.From:st.To]) }) {
				c.By, c.At, c.Change = l.By.Name(), l.At, l.ID
			}
		}
	}
	return c
}

// correct is the block that a piece replaces; nil = it must not.
func (d *draft) correct(p piece, other *assertion.Statement) *change.Block {
	if !d.own || d.work.v.Learned == nil {
		return nil
	}
	for _, c := range d.work.v.Learned(change.Page, d.work.in.Connection, d.key) {
		if c.State != change.Applied || c.Reviewed || !d.work.sameSource(&c) {
			continue
		}
		for _, b := range c.Blocks {
			said := d.old.Text[other.From:other.To]
			if strings.HasPrefix(b.Place, "body:") && strings.Contains(b.After, said) {
				return &change.Block{Place: b.Place, Before: b.After, After: strings.Replace(b.After, said, strings.TrimSpace(d.statementText(p)), 1)}
			}
		}
	}
	return nil
}

// corrected is the new summary of the page, when the old one says what is replaced.
func (d *draft) corrected(replaced *change.Block, pieces []piece) []change.Block {
	old, said := d.page.Summary, strings.Join(strings.Fields(replaced.Before), " ")
	if old == "" || !strings.Contains(said, strings.TrimRight(old, "….")) {
		return nil
	}
	return []change.Block{{Place: form.Front("summary"), Before: form.FrontValue(old), After: form.FrontValue(d.summary(pieces))}}
}

// statementText is what a piece states.
func (d *draft) statementText(p piece) string {
	st := &d.work.doc.Statements[p.statements[0]]
	return d.work.doc.Text[st.From:st.To]
}

// propose adds a change of the page.
func (d *draft) propose(pieces []piece, replaced *change.Block, conflicts []change.Conflict) {
	var texts []string
	var blocks []change.Block
	for _, p := range pieces {
		text := d.work.textOf(p)
		texts = append(texts, text)
		blocks = append(blocks, change.Block{Place: form.Below(p.headings...), After: text})
	}
	if replaced != nil {
		blocks = append(d.corrected(replaced, pieces), *replaced)
	}
	whole := strings.Join(texts, "\n\n")
	p := change.Proposal{
		Kind: change.Page, Target: d.key, Path: d.path, Conflicts: conflicts,
		Says: shorten(strings.Join(strings.Fields(whole), " "), maxQuote), Value: strings.ToLower(strings.Join(strings.Fields(whole), " ")),
	}
	if len(conflicts) > 0 {
		p.Why = append(p.Why, change.WhyConflict)
	}
	if !d.own {
		p.Why = append(p.Why, change.WhyPersonsPage)
		p.Note = "a person wrote this page"
	}
	if d.t.instruction {
		p.Why = append(p.Why, change.WhyInstruction)
		p.Note = "it reads like an instruction to an agent"
	}
	if d.own {
		blocks = append(d.front(whole, pieces), blocks...)
	}
	p.Blocks = blocks
	d.work.propose(p, assertion.Span{From: pieces[0].From, To: pieces[0].To})
}

// front are the keys of the frontmatter that the page needs. A measure that the same text makes is
// none of the page's references: it may still wait for a person, or be taken back.
func (d *draft) front(whole string, pieces []piece) (blocks []change.Block) {
	set := func(key string, value any) {
		blocks = append(blocks, change.Block{Place: form.Front(key), After: form.FrontValue(value)})
	}
	if d.content == nil {
		set("title", d.t.title)
		set("summary", d.summary(pieces))
		if d.t.instruction {
			blocks = append(blocks, entryOf("tags", "instruction-like"))
		}
	}
	tables, semantic := d.work.refs(whole)
	for _, it := range d.about(pieces) {
		if name := d.work.target(d.work.v.Model.Source(it.source), it.name); it.kind == aMeasure {
			semantic = append(semantic, name)
		} else {
			tables = append(tables, member(d.work.v.Model.Source(it.source), it.name))
		}
	}
	semantic = slices.DeleteFunc(semantic, func(name string) bool {
		return slices.ContainsFunc(d.work.plan.Changes, func(c change.Proposal) bool { return c.Kind == change.Measure && c.Target == name })
	})
	known := wiki.Page{}
	if d.page != nil {
		known = *d.page
	}
	for _, l := range []struct {
		key        string
		has, wants []string
	}{{"refs", known.Refs, tables}, {"sl_refs", known.SLRefs, semantic}, {"connections", known.Connections, []string{d.work.in.Connection}}} {
		for i, name := range l.wants {
			if name != "" && !slices.Contains(l.has, name) && !slices.Contains(l.wants[:i], name) {
				blocks = append(blocks, entryOf(l.key, name))
			}
		}
	}
	if d.content == nil {
		set("origin", "agent")
		if s := d.work.source(); s != "" {
			set("source", s)
		}
		set("reviewed", false)
		set("created", d.work.in.At.UTC().Format(time.RFC3339))
	}
	return blocks
}

// about are the measures that the topic is called like, and the columns that its statements are about.
func (d *draft) about(pieces []piece) (all []thing) {
	if d.work.v.Model == nil {
		return nil
	}
	only := func(found []thing) {
		if len(found) == 1 {
			all = append(all, found[0])
		}
	}
	only(d.work.lexicon.mentioned(d.t.title, aMeasure))
	for _, p := range pieces {
		for _, i := range p.statements {
			switch st := &d.work.doc.Statements[i]; st.Attribute {
			case assertion.Deprecation, assertion.Unit:
				only(d.work.lexicon.mentioned(trimCode(st.Subject), aDimension))
				only(d.work.lexicon.mentioned(trimCode(st.Value), aDimension))
			}
		}
	}
	return all
}

func entryOf(key, text string) change.Block {
	return change.Block{Place: form.FrontEntry(key, text), After: form.FrontValue(text)}
}

// summary is the first sentence that defines something, else the first one.
func (d *draft) summary(pieces []piece) string {
	for _, p := range pieces {
		if len(p.statements) > 0 {
			st := &d.work.doc.Statements[p.statements[0]]
			return shorten(d.work.quote(st.Span), maxSummary)
		}
	}
	return shorten(d.work.quote(pieces[0].Span), maxSummary)
}
