// Package assertion extracts statements from a text, with its sections and kinds of knowledge, and
// compares statements. It uses rules and structure for English and German, and only structure for other
// languages. It does no I/O and reads no clock; it knows names of a warehouse only by Options.
package assertion

import "time"

// Options are what Read knows beside the text.
type Options struct {
	// Asked says that a person asked to remember this text. Then weak rules apply without an anchor,
	// unless the text is longer than 4 KiB.
	Asked bool
	// Known reports whether words name something of the catalogue, the model or the
	// glossary; nil = nothing is known.
	Known func(words string) bool
	// Lexicon tells what words name; nil = sentences are read by their wording alone.
	Lexicon Lexicon
	// Extracts are statements that a language model found. They are used only for sentences that
	// no rule can read.
	Extracts []Extract
}

// Document is the result of Read.
type Document struct {
	// Text is the normalised input: NFC, LF, without invisible characters. Spans refer to it.
	Text string
	// Removed is the number of invisible and direction characters that were removed.
	Removed    int
	Sections   []Section
	Statements []Statement
	Fences     []Fence
	// Nameless are calculations of which no sentence says what they are called.
	Nameless []Nameless
	Signals  Signals
	// Chatter says that the text has only questions, courtesies and conditions of the day, so that nothing is to be kept.
	Chatter bool
	// Source and SourceAt are the author and the date that the text itself names ("Source: finance,
	// 2026-11-20"); "" and zero = it names none.
	Source   string
	SourceAt time.Time
	// Notes are sentences about what exceeded the limits and was left out.
	Notes []string
	// labelled says that lines of it are a number's name, formula and so on, and no file of settings.
	labelled bool
}

// Nameless is a sentence with the calculation of a number that has no name: "We give them the sum of minutes in lamp_log."
type Nameless struct {
	Span
	Calculation string
}

// Span is a part of Document.Text. Units: byte offsets; To is exclusive.
type Span struct{ From, To int }

// Language is the language of a section or sentence.
type Language string

// The languages with rules. None is any other language.
const (
	English Language = "en"
	German  Language = "de"
	None    Language = ""
)

// Section is a heading and the blocks below it, up to the next heading.
type Section struct {
	// Path are its heading and those above it, outermost first; nil = before the first heading.
	Path     []string
	Language Language
	Span
	// Glossary says that a heading, table head or title announces definitions.
	Glossary bool
	Blocks   []Block
}

// Block is one paragraph, list, table, quote or code block of a section. Pages are composed of
// blocks, and a revert removes them.
type Block struct {
	Span
	// Instruction says that it reads like an instruction to an agent or a tool.
	Instruction bool
	// Aside says that it asserts nothing: quoted mail, a signature, a task box.
	Aside bool
}

// Fence is a code block.
type Fence struct {
	// Info is the language that the fence names; "" = none.
	Info string
	// Code is the span between the lines of the fence.
	Code    Span
	Section int
	// Disowned says that the text around it says that it is not so: "Don't use this:", "The query above is outdated."
	Disowned bool
	// Unread is the sentence below a query that may change it: "Schools are not counted."; "" = none.
	Unread string
	// intro is the paragraph above it.
	intro string
}

// Attribute says what kind of statement it is.
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

// Polarity is the polarity of a statement.
type Polarity int8

// The polarities. A statement without a negation is Positive.
const (
	Positive Polarity = iota
	Negative
)

// Statement is one assertion: a span of the text, and the fields that a rule derived from it.
type Statement struct {
	Attribute Attribute
	// Subject and Value are as written, without markup. The Value of a Synonym is the other name, of
	// a Deprecation the replacement ("" = none). Both are columns for a Relation. The Subject of a
	// ValueLabel is the value, and Column is its column.
	Subject, Value string
	// Unit is as written; "" = none.
	Unit string
	// Column of a ValueLabel or Unit, as written; "" = that of the section.
	Column string
	// Qualifiers restrict the subject: "gross", "per customer", "EU".
	Qualifiers []string
	// Unread are the words of the sentence that an extract does not cover; "" = none.
	Unread string
	// Polarity of a Filter: Negative means that the conditions exclude nothing ("never exclude",
	// "includes").
	Polarity Polarity
	// ValidFrom and ValidTo bound the validity; zero = open. ValidTo is the first day after it.
	ValidFrom, ValidTo time.Time
	// Formula is set for FormulaOf and Filter.
	Formula *Formula
	Span
	Section int // in Document.Sections
	// Language of the sentence; it decides how stems and numbers are compared.
	Language Language
	// Rule is the name of the rule. Weak says that the rule needed an anchor.
	Rule string
	Weak bool
	// key and folded cache the subject in the forms for comparison; "" = not computed yet.
	key, folded string
}

// Formula is a calculation as a sentence states it. Names are not resolved.
type Formula struct {
	// Expr is the whole calculation if it is written as an expression ("sum(amount) / count(*)");
	// else it is "", and Aggregate, Of and Table describe it.
	Expr string
	// Query is the SELECT that it is written as, of which the other fields are a first reading; "" = none.
	Query string
	// Aggregate is "sum", "avg", "median", "min", "max", "count" or "count_distinct".
	Aggregate string
	// Of is the aggregated or counted thing, as written ("amount_cents / 100").
	Of string
	// Table is as written; "" = not stated.
	Table string
	// Where are the conditions of the same sentence, joined by AND. Restrictions in other sentences and
	// in the subject are in Statement.Qualifiers, because it is not certain that they belong to the
	// calculation.
	Where []Condition
	// Unit is the unit that the sentence names behind the calculation: "in cents"; "" = none.
	Unit string
	// Per is what follows "per": a grain or an entity; "" = nothing.
	Per string
	// Divisor is an aggregate with its own clauses by which this one is divided; nil = none.
	Divisor *Formula
}

// Condition is a condition on rows.
type Condition struct {
	// Text is the condition as written: "status = 'active'", "refunded".
	Text string
	// Excluded says that rows that fulfil it are excluded.
	Excluded bool
}

// Signals says which kinds of knowledge a text contains.
type Signals struct {
	Knowledge, SL bool
	// Dialect is the format of a snippet, or "sql"; "" = none.
	Dialect string
	// Reasons are the kinds that were found, such as "definition"; sorted, without duplicates.
	Reasons []string
}
