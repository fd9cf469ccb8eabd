// Package assertion extracts statements from a text, with their sections and kinds of knowledge. It
// works by rules and structure in English and German, and by structure alone in other languages. It also
// compares statements. The package is pure: no clock, no files, no names of a warehouse beyond Options.
package assertion

import "time"

// Options are what the reader of a text knows beside the text.
type Options struct {
	// Asked: somebody asked to remember this text, so that weak rules count.
	Asked bool
	// Known reports whether words name something of the catalogue, the model or the
	// glossary; nil = nothing is known.
	Known func(words string) bool
	// Extracts are what a language model found; they count in sentences that no rule reads.
	Extracts []Extract
}

// Document is a text as it was read.
type Document struct {
	// Text is the input normalised: NFC, LF, without invisible characters. All spans are
	// byte offsets into it.
	Text string
	// Removed is how many invisible and direction characters were removed.
	Removed    int
	Sections   []Section
	Statements []Statement
	Fences     []Fence
	Signals    Signals
	// Source is who said it, as the text itself says ("Source: finance, 2026-11-20"), "" = it
	// does not; SourceAt is the date there.
	Source   string
	SourceAt time.Time
	// Notes count what is beyond the limits, in sentences.
	Notes []string
}

// Span is a part of Document.Text. Units: bytes, To is exclusive.
type Span struct{ From, To int }

// Language of a section.
type Language string

// Languages with rules of their own; None has structure alone.
const (
	English Language = "en"
	German  Language = "de"
	None    Language = ""
)

// Section is a heading with the blocks below it, up to the next heading.
type Section struct {
	// Path are the headings that it is under, the outermost first; nil = before the first heading.
	Path     []string
	Language Language
	Span
	// Glossary: a heading, table head or title says that terms are defined here.
	Glossary bool
	Blocks   []Block
}

// Block is one paragraph, list, table, quote or fence of a section, the unit that pages
// are made of and that a revert takes out again.
type Block struct {
	Span
	// Instruction: it reads like an instruction to an agent or a tool.
	Instruction bool
	// Aside: quoted mail, a signature, a task box: text that asserts nothing.
	Aside bool
}

// Fence is a block of code.
type Fence struct {
	// Info is the language that the fence names, "" = none.
	Info string
	// Code is the span between the fence's lines.
	Code    Span
	Section int
}

// Attribute is what a statement says of its subject.
type Attribute string

// The attributes.
const (
	Definition  Attribute = "definition"
	Expansion   Attribute = "expansion"
	FormulaOf   Attribute = "formula"
	Unit        Attribute = "unit"
	Filter      Attribute = "filter"
	ValueLabel  Attribute = "value_label"
	Synonym     Attribute = "synonym"
	Deprecation Attribute = "deprecation"
	Relation    Attribute = "relation"
	Calendar    Attribute = "calendar"
	Owner       Attribute = "owner"
	Grain       Attribute = "grain"
	TimeZone    Attribute = "time_zone"
)

// Polarity of a statement: includes or excludes, always or never, is or is not.
type Polarity int8

// The polarities; Positive is that of a plain statement.
const (
	Positive Polarity = iota
	Negative
)

// Statement is one assertion: a span of the text and the fields that a rule derived from it.
type Statement struct {
	Attribute Attribute
	// Subject and Value as they are written, without markup. Of Synonym the Value is the
	// other name; of Deprecation what to use instead, "" = nothing; of Relation both are
	// columns; of ValueLabel the Subject is the value and Column its column.
	Subject, Value string
	// Unit as it is written, "" = none.
	Unit string
	// Column of a ValueLabel or Unit, as it is written, "" = the section's.
	Column string
	// Qualifiers narrow what it is about: "gross", "per customer", "EU".
	Qualifiers []string
	// Unread are the words of a sentence that an extract leaves out, "" = none.
	Unread string
	// Polarity of a Filter: Negative = the conditions leave nothing out ("never exclude", "includes").
	Polarity Polarity
	// ValidFrom and ValidTo bound when it holds; zero = open. ValidTo is the first day after.
	ValidFrom, ValidTo time.Time
	// Formula is set for FormulaOf and Filter.
	Formula *Formula
	Span
	Section int // in Document.Sections
	// Language of the sentence, by which stems and numbers are compared.
	Language Language
	// Rule that found it. Weak: it counts only because it was anchored.
	Rule string
	Weak bool
	// key and folded are the subject as it is compared; "" = not known yet.
	key, folded string
}

// Formula is a calculation as a sentence states it; no name in it is resolved.
type Formula struct {
	// Expr is the whole calculation where it is written as one ("sum(amount) / count(*)");
	// else it is "" and the next three say it.
	Expr string
	// Aggregate is "sum", "avg", "median", "min", "max", "count" or "count_distinct".
	Aggregate string
	// Of is what is aggregated, as it is written ("amount_cents / 100"); of a count, what is counted.
	Of string
	// Table as it is written, "" = not said.
	Table string
	// Where are conditions of the same sentence, all of which hold. What other sentences and the subject
	// say is in Statement.Qualifiers: nobody said that it is part of the calculation.
	Where []Condition
	// Per is what follows "per": a grain or a thing, "" = nothing.
	Per string
	// Divisor is an aggregate with clauses of its own by which this one is divided, nil = none.
	Divisor *Formula
}

// Condition is a condition of a sentence.
type Condition struct {
	// Text is the condition as it is written: "status = 'active'", "refunded".
	Text string
	// Excluded: rows that fulfil it are left out.
	Excluded bool
}

// Signals say what kinds of knowledge a text has.
type Signals struct {
	Knowledge, SL bool
	// Dialect is the format of a snippet or "sql", "" = none.
	Dialect string
	// Reasons name the rules: "definition", "aggregate"; sorted, each once.
	Reasons []string
}
