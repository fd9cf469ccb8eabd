package planner

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/assertion"
	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/change/form"
	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/snippet"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// pasted is a definition that somebody pasted: a fence, or the text as a whole.
type pasted struct {
	work   *work
	format snippet.Format
	at     assertion.Span
	// scope are the sources that the text around it names.
	scope []*model.Source
	item  *snippet.Item
	quote string
}

// fences proposes what pasted definitions define.
func (w *work) fences() error {
	for i := range w.doc.Fences {
		if err := w.ended(); err != nil {
			return err
		}
		f := &w.doc.Fences[i]
		read := slices.ContainsFunc(w.doc.Statements, func(st assertion.Statement) bool { return st.Span == f.Code })
		code := w.doc.Text[f.Code.From:f.Code.To]
		switch {
		case read || snippet.Detect(f.Info, code) == "":
		case f.Disowned:
			w.ask(ask(TwoReadings, shorten(strings.TrimSpace(code), maxQuote), "Ingest it alone if it holds: does the text around it say that it does not?"))
		case f.Unread != "":
			w.ask(ask(TwoReadings, shorten(strings.TrimSpace(code), maxQuote), "Does “%s” change the query above it? Write it into the query, or leave it out.", shorten(f.Unread, maxTitle)))
		default:
			w.paste(snippet.Detect(f.Info, code), f.Code, f.Section)
		}
	}
	if w.format != "" {
		w.paste(w.format, assertion.Span{From: 0, To: len(w.doc.Text)}, -1)
	}
	return nil
}

// whole is the format of a text that is a definition as a whole.
func (w *work) whole() snippet.Format {
	if len(w.doc.Fences) > 0 || w.doc.Signals.Dialect == "" {
		return ""
	}
	return snippet.Detect("", w.doc.Text)
}

// begins matches a text that begins with a key or a call, as definitions do: "view: orders {", "cubes:", "cube(`orders`".
var begins = text.Pattern(`^\s*(?:(?:- )?["']?[A-Za-z_]\w*["']?[ \t]*:|(?:cube|view)\()`)

// wikiHeading is the mark of a heading in Confluence and Jira: "h2. ".
var wikiHeading = text.Pattern(`(?m)^h[1-6]\. `)

// leadLines is the largest number of lines above a definition that is pasted without a fence.
const leadLines = 3

// fenced puts a definition that is pasted below a line or two into a fence: "From our Looker project:" and a view. A query needs none.
func fenced(s string) string {
	s = wikiHeading().ReplaceAllStringFunc(s, func(mark string) string { return strings.Repeat("#", int(mark[1]-'0')) + " " })
	if strings.Contains(s, "```") || begins().MatchString(s) {
		return s
	}
	for from, lines := 0, 0; lines < leadLines; lines++ {
		end := strings.IndexByte(s[from:], '\n')
		if end < 0 {
			break
		}
		from += end + 1
		lead, code := s[:from], s[from:]
		if strings.TrimSpace(lead) == "" || !begins().MatchString(code) {
			continue
		}
		format := snippet.Detect("", code)
		if format == "" || format == snippet.SQL {
			continue
		}
		read := snippet.Read(format, code)
		if read == nil || len(read.Items) == 0 || slices.ContainsFunc(read.Items, func(i snippet.Item) bool { return i.LeftOut != "" && i.Name == "" }) {
			return s
		}
		info := "yaml"
		switch {
		case format == snippet.LookML:
			info = "lookml"
		case snippet.Detect(info, code) != format: // JavaScript
			info = ""
		}
		return strings.TrimRight(lead, "\n") + "\n\n```" + info + "\n" + strings.TrimRight(code, "\n") + "\n```\n"
	}
	return s
}

// paste proposes the items of a definition.
func (w *work) paste(format snippet.Format, at assertion.Span, section int) {
	p := &pasted{work: w, format: format, at: at}
	if q := w.unready(shorten(strings.TrimSpace(w.doc.Text[at.From:at.To]), maxTitle)); q != nil {
		w.ask(q)
		return
	}
	if section >= 0 {
		path := w.doc.Sections[section].Path
		p.scope = w.sourcesIn(strings.Join(path, " "))
	}
	items := snippet.Read(format, w.doc.Text[at.From:at.To]).Items
	called := calledBy(items)
	for _, item := range items {
		p.item, p.quote = &item, shorten(item.Quote, maxQuote)
		derived := slices.Contains(item.Definition, snippet.Key{Name: "type", Value: "derived"})
		for i, k := range item.Definition {
			if derived && k.Name == "expr" {
				k.Value = recalled(k.Value, called)
			}
			item.Definition[i].Value = w.renamed(k)
		}
		if p.quote == "" {
			p.quote = item.Name
		}
		if item.LeftOut != "" {
			w.ask(p.leftOut())
			continue
		}
		p.take()
	}
}

// calledBy are the names that the measures of a definition get, where they are other ones: "orderCount" is order_count.
func calledBy(items []snippet.Item) map[string]string {
	all := map[string]string{}
	for _, i := range items {
		if name := identifier(i.Name); name != "" && name != i.Name && (i.Kind == snippet.MeasureItem || i.Kind == snippet.Metric) {
			all[i.Name] = name
		}
	}
	return all
}

// recalled is a calculation over measures with the names that they get.
func recalled(expr string, called map[string]string) string {
	tree, err := expression.Parse(expr)
	if err == nil {
		tree, err = expression.Substitute(tree, func(n *expression.Name) (expression.Node, error) {
			last := len(n.Parts) - 1
			if name, ok := called[n.Parts[last]]; ok {
				return &expression.Name{Parts: append(slices.Clone(n.Parts[:last]), name)}, nil
			}
			return nil, nil
		})
	}
	if err != nil {
		return expr
	}
	return expression.String(tree)
}

// renamed is the value of a key with the names of measures that others stand for.
func (w *work) renamed(k snippet.Key) string {
	switch k.Name {
	case "numerator", "denominator", "measure":
		if twin, ok := w.twins[k.Value[strings.LastIndexByte(k.Value, '.')+1:]]; ok {
			return twin
		}
	case "expr":
		tree, err := expression.Parse(k.Value)
		if err != nil || len(w.twins) == 0 || expression.ClassOf(tree) != expression.Scalar {
			return k.Value
		}
		tree, err = expression.Substitute(tree, func(n *expression.Name) (expression.Node, error) {
			if twin, ok := w.twins[n.Parts[len(n.Parts)-1]]; ok {
				name, err := expression.ParseName(twin)
				return name, err
			}
			return nil, nil
		})
		if err == nil {
			return expression.String(tree)
		}
	}
	return k.Value
}

var leftOut = map[string]Code{
	"join_needed": JoinNeeded, "not_an_aggregate": NotAnAggregate, "period_in_filter": PeriodInFilter, "unknown_key": UnknownName,
}

// leftOut asks for what would make an item certain.
func (p *pasted) leftOut() *Question {
	code, known := leftOut[p.item.LeftOut]
	if !known {
		code = NotAnAggregate
	}
	name := p.item.Name
	if name == "" {
		name = "it"
	}
	return ask(code, p.quote, "%s is left out (%s): %s. How is it written without that?", name, p.item.LeftOut, strings.TrimSuffix(p.item.Message, ".")).with(p.item.Nearest...)
}

// take proposes one item.
func (p *pasted) take() {
	if p.item.Kind == snippet.Metric {
		p.metric()
		return
	}
	s, q := p.table(p.item.Table)
	if q != nil {
		p.work.ask(q)
		return
	}
	switch p.item.Kind {
	case snippet.Table:
		p.described(s)
	case snippet.Column:
		p.column(s)
	case snippet.MeasureItem:
		p.measure(s)
	case snippet.SegmentItem:
		p.segment(s)
	case snippet.JoinItem:
		p.join(s)
	}
}

// table finds the source of an item.
func (p *pasted) table(name string) (*model.Source, *Question) {
	found := p.work.lexicon.sources(name)
	if name == "" {
		found = p.scope
	}
	if catalog, rest, more := strings.Cut(name, "."); more && len(found) == 0 && strings.Contains(rest, ".") && !p.work.schema(catalog) {
		found = p.work.lexicon.sources(rest) // "genebank.vault.accession" of vault.accession
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return nil, ask(UnknownName, p.quote, "Which table is %s of? There is none called “%s”.", p.item.Name, name).with(p.work.lexicon.nearSources(name)...)
	}
	return nil, ask(AmbiguousName, p.quote, "Which table is %s of?", p.item.Name).with(identities(found)...)
}

// schema reports whether a name is that of a schema of the connection.
func (w *work) schema(name string) bool {
	for s := range w.v.Model.Outlines() {
		if first, _, more := strings.Cut(s.Identity, "."); more && strings.EqualFold(first, name) {
			return true
		}
	}
	return false
}

// span is where the item begins in the text.
func (p *pasted) span() assertion.Span {
	from := p.at.From
	if at := strings.Index(p.work.doc.Text[p.at.From:p.at.To], p.item.Quote); at >= 0 {
		from += at
	}
	return assertion.Span{From: from, To: min(from+len(p.item.Quote), p.at.To)}
}

// definition returns the item as an entry of our own.
func (p *pasted) definition() (e entry) {
	e = append(e, p.item.Definition...)
	e = e.with("label", p.item.Label).with("description", p.item.Description).with("unit", p.item.Unit)
	if len(p.item.Synonyms) > 0 {
		e = e.with("synonyms", flow(p.item.Synonyms))
	}
	return e
}

func (p *pasted) measure(s *model.Source) {
	e := p.definition()
	for i, k := range e {
		var q *Question
		switch k.Name {
		case "expr":
			e[i].Value, q = p.expr(s, k.Value)
		case "filter":
			e[i].Value, q = p.filter(s, k.Value)
		}
		if q != nil {
			p.work.ask(q)
			return
		}
	}
	name := identifier(p.item.Name)
	if name == "" {
		p.work.ask(ask(UnknownName, p.quote, "“%s” cannot be the name of a measure: which name should it have?", p.item.Name))
		return
	}
	p.work.offer(s, name, p.item.Name, e, p.notes(), p.span())
}

func (p *pasted) notes() []string {
	if p.item.Message == "" {
		return nil
	}
	return []string{p.item.Message}
}

// expr checks the calculation of a measure; in SQL, a division of whole numbers has two readings.
func (p *pasted) expr(s *model.Source, text string) (string, *Question) {
	tree, err := expression.Parse(text)
	if err != nil {
		return "", ask(NotAnAggregate, p.quote, "“%s” cannot be read: %s.", text, messageOf(err))
	}
	if n := fixedPeriod(s, tree); n != nil {
		return "", periodic(p.quote, expression.String(n))
	}
	if p.format != snippet.SQL {
		return text, nil
	}
	tree, err = expression.Check(tree, typesOf(s))
	if err != nil {
		return "", ask(NotAnAggregate, p.quote, "“%s” cannot be computed: %s.", text, messageOf(err))
	}
	truncated := false
	expression.Walk(tree, func(n expression.Node) bool {
		b, ok := n.(*expression.Binary)
		truncated = truncated || ok && b.Op == expression.Divide && b.Left.Type() == sdk.TypeInt64 && b.Right.Type() == sdk.TypeInt64
		return true
	})
	if truncated {
		return "", ask(TwoReadings, p.quote, "Both sides of / are whole numbers, which an engine may cut. Is the exact ratio meant?").
			with(p.readings(s, text)...)
	}
	return text, nil
}

// readings are the exact and the cut ratio of a measure of SQL, as sentences that define it.
func (p *pasted) readings(s *model.Source, text string) []string {
	aggregate, where := "", ""
	for _, k := range p.item.Definition {
		switch k.Name {
		case "agg":
			aggregate = k.Value
		case "filter":
			where = " where " + k.Value
		}
	}
	exact, cut := text, "floor("+text+")"
	if aggregate != "" {
		exact, cut = aggregate+"("+exact+")", aggregate+"("+cut+")"
	}
	return []string{p.item.Name + " = " + exact + " in " + s.Identity + where, p.item.Name + " = " + cut + " in " + s.Identity + where}
}

// filter checks a condition: its columns, its values, that it says nothing of time.
func (p *pasted) filter(s *model.Source, text string) (string, *Question) {
	f := filter{work: p.work, s: s, quote: p.quote, equal: map[string]string{}}
	tree, err := expression.Parse(text)
	if err != nil {
		return "", ask(TwoReadings, p.quote, "The condition “%s” cannot be read: %s.", text, messageOf(err))
	}
	for _, term := range expression.Conjuncts(tree) {
		checked, q := f.check(term, expression.String(term))
		if q != nil {
			return "", q
		}
		f.terms = append(f.terms, checked)
	}
	return f.expr(), nil
}

// metric proposes a calculation over measures.
func (p *pasted) metric() {
	e := p.definition()
	for _, k := range e {
		if k.Name != "expr" {
			continue
		}
		tree, err := expression.Parse(k.Value)
		if err != nil || expression.ClassOf(tree) != expression.Scalar {
			p.work.ask(ask(JoinNeeded, p.quote, "%s has aggregates of its own: define a measure for each, then calculate with their names.", p.item.Name))
			return
		}
	}
	name := identifier(p.item.Name)
	if name == "" {
		p.work.ask(ask(UnknownName, p.quote, "“%s” cannot be the name of a metric: which name should it have?", p.item.Name))
		return
	}
	p.work.offer(p.work.v.Model.Source(model.Metrics), name, p.item.Name, e, p.notes(), p.span())
}

func (p *pasted) segment(s *model.Source) {
	e := p.definition()
	for i, k := range e {
		if k.Name == "expr" {
			text, q := p.filter(s, k.Value)
			if q != nil {
				p.work.ask(q)
				return
			}
			e[i].Value = text
		}
	}
	name := identifier(p.item.Name)
	for _, it := range p.work.lexicon.called(name, aSegment) {
		if it.source == s.ID {
			p.work.plan.Notes = noted(p.work.plan.Notes, "there is a segment %s already", p.work.target(s, name))
			return
		}
	}
	if name == "" {
		return
	}
	p.work.propose(change.Proposal{
		Kind: change.Segment, Target: p.work.target(s, name), Path: p.work.overlayPath(s), Note: p.item.Message,
		Blocks: overlayBlocks(s, change.Block{Place: form.Member("segments", name), After: encode(e.node(""))}), Says: says(name, e), Value: says("", e),
	}, p.span())
}

// join proposes a join between two sources that the model knows.
func (p *pasted) join(s *model.Source) {
	e := p.definition()
	to := ""
	for i, k := range e {
		if k.Name == "to" {
			t, q := p.table(k.Value)
			if q != nil {
				p.work.ask(q)
				return
			}
			e[i].Value, to = t.Identity, t.Identity
			if known(s, t) {
				p.work.plan.Notes = noted(p.work.plan.Notes, "%s and %s are joined already", s.Identity, t.Identity)
				return
			}
		}
	}
	p.work.propose(change.Proposal{
		Kind: change.Join, Target: p.work.target(s, "") + " → " + to, Path: p.work.overlayPath(s), Why: []string{change.WhyPolicy}, Note: p.item.Message,
		Blocks: overlayBlocks(s, change.Block{Place: form.Member("joins", to), After: encode(e.node(""))}), Says: says(s.Identity, e), Value: says("", e),
	}, p.span())
}

// known reports whether one source has a join to another.
func known(s, t *model.Source) bool {
	for i := range s.Joins {
		if s.Joins[i].To == t.ID {
			return true
		}
	}
	return false
}
