// Package statement reads what a SELECT is about: its blocks, tables, joins, conditions and
// aggregates, with each column resolved through aliases and queries to the column of a table.
//
// It reads the tokens of the connection's dialect by the grammar that engines have in common,
// and knows no engine. Whatever it is not sure of makes a block not understood, with a reason:
// nothing is guessed.
package statement

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk/dialect"
)

const (
	// MaxBytes is the longest statement that is read.
	MaxBytes = 64 << 10
	// MaxDepth is how deep queries and expressions may nest.
	MaxDepth = 100
	// maxRelations bounds the relations of a block.
	maxRelations = 100
	// maxWork bounds how often names are looked up, so that the cost grows linearly with the text.
	maxWork = 200_000
	// maxOutputs bounds the columns that * stands for, together.
	maxOutputs = 20_000
)

// Reader reads statements of one dialect about one schema.
// Concurrency: its methods may be called concurrently.
type Reader struct {
	dialect    *dialect.Dialect
	schema     Schema
	aggregates set
	// pipes: || may be OR.
	pipes bool
}

// New returns a Reader. A schema of nil knows no table.
func New(d *dialect.Dialect, schema Schema) *Reader {
	r := &Reader{dialect: d, schema: schema, aggregates: set{}}
	r.pipes = slices.Contains(d.Reserved, "XOR") // the engines with XOR have || for OR, unless they are set to join texts
	for form, template := range d.Forms {
		function, _, called := strings.Cut(template, "(")
		if called && strings.HasPrefix(string(form), "agg.") && function != "" && !strings.ContainsAny(function, " {") {
			r.aggregates[strings.ToLower(function)] = true
		}
	}
	for _, scalar := range notAggregates {
		delete(r.aggregates, scalar)
	}
	for function := range aggregates() {
		r.aggregates[function] = true
	}
	return r
}

// Read reads a statement.
// Shape: never nil.
// Units: the cost grows linearly with the text.
func (r *Reader) Read(text string) *Statement {
	s := &Statement{Text: text, Dialect: r.dialect}
	if len(text) > MaxBytes {
		s.Reason = "it is longer than 64 KiB"
		return s
	}
	var err error
	if s.tokens, err = r.dialect.Tokens(text, make([]dialect.Token, 0, 16+len(text)/4)); err != nil {
		s.Reason = "it cannot be split into words: " + err.Error()
		return s
	}
	p := &parser{text: text, d: r.dialect, tokens: s.tokens, statement: s, pipes: r.pipes}
	if !p.prepare() {
		s.Reason = "its brackets do not match"
		return s
	}
	q := p.whole()
	if s.Reason != "" {
		return s
	}
	names := &resolver{statement: s, schema: r.schema, folding: r.dialect.Folding, aggregates: r.aggregates}
	names.query(q, nil, nil)
	for _, b := range s.Blocks {
		names.conclude(b)
	}
	return s
}

// prepare marks the words of the grammar and matches brackets.
func (p *parser) prepare() bool {
	p.words = make([]word, len(p.tokens))
	p.close = make([]int32, len(p.tokens))
	var open []int32
	for i, t := range p.tokens {
		if t.Kind == dialect.TokenWord {
			if i == 0 || !p.tokens[i-1].Is(p.text, ".") {
				p.words[i] = wordOf(p.text, t)
			}
			continue
		}
		if t.Kind != dialect.TokenOperator || t.End-t.Start != 1 {
			continue
		}
		switch c := p.text[t.Start]; c {
		case '(', '[', '{':
			open = append(open, int32(i))
		case ')', ']', '}':
			if len(open) == 0 {
				return false
			}
			from := open[len(open)-1]
			if strings.IndexByte("([{", p.text[p.tokens[from].Start]) != strings.IndexByte(")]}", c) {
				return false
			}
			p.close[from] = int32(i)
			open = open[:len(open)-1]
		}
	}
	return len(open) == 0
}
