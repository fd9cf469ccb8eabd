// Package dialect describes an engine's SQL as data: how text is split into
// tokens, which statements only read, and how the constructs that a compiler
// needs are written. The host's read-only guard and its semantic compiler know
// an engine only through such a value, which its connector sends.
//
// The package imports the standard library only.
package dialect

import (
	"cmp"
	"path"
)

// Dialect is one engine's SQL, for a range of its versions. A value is
// read-only once made and may be shared between goroutines.
type Dialect struct {
	// Name is the family in lower case: "postgres", "mysql".
	Name string
	// Product this value is for, as ServerInfo.Product names it; "" = any.
	Product string
	// MinVersion (inclusive) and MaxVersion (exclusive) bound the server
	// versions; dotted numbers, "" = open.
	MinVersion, MaxVersion string

	// Namespace names the levels above a table, outermost first:
	// ["catalog", "schema"], ["schema"] or nothing.
	Namespace []string
	// DefaultSchema is the schema that an unqualified name means, or "".
	DefaultSchema string
	// MaxIdentifierBytes is the longest identifier; 0 = no limit known.
	MaxIdentifierBytes int
	// Folding is how the engine changes the case of an unquoted identifier.
	Folding Folding
	// Identifier is how identifiers are quoted when printing.
	Identifier Quote
	// String is how string literals are quoted when printing.
	String Quote
	// Reserved words, upper case, that must be quoted to be identifiers.
	Reserved []string

	Lexis Lexis
	Guard Guard

	Limit     LimitStyle
	Parameter ParameterStyle
	// NullsAscending and NullsDescending are where NULL sorts by default.
	NullsAscending, NullsDescending NullPlace
	// Boolean says whether predicates are values.
	Boolean BooleanStyle
	// IntegerDivision is the result of dividing integers.
	IntegerDivision DivisionStyle
	// Zones is the kind of {zone} in the zone forms; "" = ZoneIANA.
	Zones ZoneStyle
	// TopLevelWith: a WITH may stand only at the start of a statement, never in a
	// subquery or a CTE.
	TopLevelWith bool
	// TableFolding is the Folding of the names of tables, schemas and catalogs, where
	// it differs from that of columns; "" = Folding.
	TableFolding Folding
	// OrderedSubqueryNeedsLimit: a subquery with ORDER BY must have a row limit.
	OrderedSubqueryNeedsLimit bool
	// MaxDecimalDigits are the digits of the widest decimal; 0 = unknown.
	MaxDecimalDigits int
	// MaxTextCast is the longest text, in characters, that Types["text"] holds in a
	// cast; 0 = no limit.
	MaxTextCast int

	// Types maps a logical type (sdk.Type's name: "int64", "timestamp") to the
	// native name that casts and typed NULLs use. A type that is missing cannot
	// be cast to.
	Types map[string]string
	// Forms are the templates of the constructs in forms.go. A form that is
	// missing cannot be written in this dialect.
	Forms map[Form]string
	// Functions maps the portable functions (PortableFunctions) to templates with
	// {1}, {2}, …; {args} is all of them, separated by commas. The key
	// "round/2" is for exactly two arguments and goes before "round". A function
	// that is missing is unsupported.
	Functions map[string]string
	// Notes are remarks for people and agents ("a double-quoted typo is a string").
	Notes []string
}

// FoldingOfTables is the folding of the names of tables, schemas and catalogs.
func (d *Dialect) FoldingOfTables() Folding { return cmp.Or(d.TableFolding, d.Folding) }

// Folding is the change of case of an unquoted identifier.
type Folding string

const (
	FoldLower       Folding = "lower"       // stored and compared in lower case
	FoldUpper       Folding = "upper"       // stored and compared in upper case
	FoldInsensitive Folding = "insensitive" // kept as written, compared without case, quoted or not
	FoldNone        Folding = "none"        // kept as written, case matters
)

// Quote is a pair of quotes and the escape for the closing one.
type Quote struct {
	// Prefix before the opening quote that belongs to the token ("E", "N", "r"),
	// compared without case; "" = none.
	Prefix      string
	Open, Close string
	// Doubled: two closing quotes stand for one.
	Doubled bool
	// Backslash: a backslash escapes the next character.
	Backslash bool
}

// LimitStyle is the syntax of a row limit.
type LimitStyle string

const (
	LimitOffset LimitStyle = "limit_offset" // LIMIT n OFFSET m at the end
	LimitTop    LimitStyle = "top"          // SELECT TOP (n); with an offset, OFFSET m ROWS FETCH NEXT n ROWS ONLY
	LimitFetch  LimitStyle = "fetch"        // OFFSET m ROWS FETCH FIRST n ROWS ONLY
)

// ParameterStyle is how bound parameters are written.
type ParameterStyle string

const (
	ParameterNone     ParameterStyle = "none"
	ParameterQuestion ParameterStyle = "question" // ?
	ParameterDollar   ParameterStyle = "dollar"   // $1
	ParameterAt       ParameterStyle = "at"       // @p1
	ParameterColon    ParameterStyle = "colon"    // :1
)

// NullPlace is where NULL sorts.
type NullPlace string

const (
	NullsFirst NullPlace = "first"
	NullsLast  NullPlace = "last"
)

// BooleanStyle says whether a predicate may stand where a value may.
type BooleanStyle string

const (
	BooleanNative  BooleanStyle = "native"  // a type of its own
	BooleanInteger BooleanStyle = "integer" // predicates are 0 and 1
	BooleanNone    BooleanStyle = "none"    // predicates are not values: the forms bool.* apply
)

// DivisionStyle is the result of int / int.
type DivisionStyle string

const (
	DivisionTruncates DivisionStyle = "truncates"
	DivisionDecimal   DivisionStyle = "decimal"
	DivisionFloat     DivisionStyle = "float"
)

// ZoneStyle is the naming of time zones.
type ZoneStyle string

const (
	ZoneIANA    ZoneStyle = "iana"    // 'Europe/Berlin'
	ZoneWindows ZoneStyle = "windows" // 'W. Europe Standard Time'
	ZoneOffset  ZoneStyle = "offset"  // '+02:00' only: no rules, no daylight saving
	ZoneAny     ZoneStyle = "any"     // 'Europe/Berlin' and '+02:00'
)

// Lexis is the data of the tokenizer.
type Lexis struct {
	// Strings are the string literals, in any order: the longest opening wins.
	Strings []Quote
	// Identifiers are the quoted identifiers. One with a prefix (U&"…") writes its
	// name in escapes.
	Identifiers []Quote
	// ContinuedStrings: literals that only white space with a line break
	// separates are one literal, under the first one's rules.
	ContinuedStrings bool
	// StringTables: a string literal may stand for a table name in FROM.
	StringTables bool
	// DollarStrings: $tag$ … $tag$ is a string.
	DollarStrings bool
	LineComments  []LineComment
	BlockComments []BlockComment
	// ExecutableComments start comments whose text the engine runs ("/*!"). A
	// statement with one is refused, except "/*+" with hints that only choose a plan.
	// "/*!" and "/*M!" are refused in every dialect.
	ExecutableComments []string
	// IdentifierStart and IdentifierPart are the characters beyond letters,
	// "_" and (for Part) digits that an unquoted identifier may have.
	IdentifierStart, IdentifierPart string
	// DigitIdentifiers: an unquoted identifier may start with a digit
	// (2021_sales). Otherwise a letter straight after a number is an error.
	DigitIdentifiers bool
	// Spaces are the characters beyond ASCII that the engine takes for white
	// space. Any other one, and any invisible character, is an error outside
	// quotes and comments.
	Spaces string
	// Parameters are the prefixes of parameter markers: "?", "$", ":", "@", "@@".
	Parameters []string
	// ParameterSuffixes: "::name" and any text in parentheses may follow a named
	// parameter. Such a parameter is an error, because that text is not SQL.
	ParameterSuffixes bool
	// EmptyStatements: the engine accepts empty statements (";;").
	EmptyStatements bool
}

// LineComment starts a comment that ends with the line.
type LineComment struct {
	Open string
	// NeedsSpace: only when white space, a control character or the end follows.
	NeedsSpace bool
}

// BlockComment is a comment with an end.
type BlockComment struct {
	Open, Close string
	Nested      bool
}

// Guard is the data of the read-only guard. It is an allow-list: a statement whose
// first words are no Statement is refused. It can only narrow the guard's own rules:
// see Opens, and package readonly.
type Guard struct {
	Statements []Statement
	// Phrases are refused wherever they occur as bare words of a statement (not
	// quoted, not behind a dot, not an alias behind AS): {"INTO"}, {"FOR", "UPDATE"}.
	// An operator may stand for a word: {":="}.
	Phrases []Phrase
	// Functions are refused when called: functions with an effect that neither the
	// other rules nor the engine stop.
	Functions []FunctionRule
	// Relations are refused when named: system tables that bypass the engine's
	// protection.
	Relations []FunctionRule
	// Unseparated: statements need no separator, so that a SELECT outside
	// parentheses that follows no set operator begins another statement.
	Unseparated bool
	// ExpressionWith: WITH also names expressions (WITH 1 AS x SELECT x).
	ExpressionWith bool
}

// StatementKind is the kind of a reading statement.
type StatementKind string

const (
	// StatementQuery returns rows: SELECT, VALUES, TABLE, FROM. It may stand in
	// parentheses and in a CTE.
	StatementQuery StatementKind = "query"
	// StatementWith starts a list of CTEs; each body and the main statement must
	// be a StatementQuery again.
	StatementWith StatementKind = "with"
	// StatementExplain is followed by options and then by a statement that must
	// itself be accepted.
	StatementExplain StatementKind = "explain"
	// StatementShow reads metadata or settings; the rest of the statement is not
	// checked.
	StatementShow StatementKind = "show"
)

// Statement is an accepted beginning of a statement.
type Statement struct {
	// Words the statement starts with, upper case: {"SELECT"}, {"SHOW", "TABLES"}.
	// One whose first word and Kind are not among the openings accepts nothing.
	Words []string
	Kind  StatementKind
	// Options that may follow before the inner statement (explain), upper case:
	// {"QUERY", "PLAN"}, {"VERBOSE"}; in parentheses too. Others are refused, and so
	// are those that ExplainOption does not know.
	Options []string
	// Refused words, anywhere in the statement: {"ANALYZE"}.
	Refused []string
}

// Phrase is a sequence of words that changes something or takes a lock.
type Phrase struct {
	Words  []string
	Reason string // completes "… is refused because it ": "takes row locks"
}

// FunctionRule refuses names. Pattern is lower case; a "*" at either end
// matches any run of characters.
type FunctionRule struct {
	Pattern string
	Reason  string // completes "… is refused because it ": "writes a file"
}

// Refusal is why rules refuse a name in lower case, or "".
func Refusal(rules []FunctionRule, name string) string {
	for _, rule := range rules {
		// A pattern that is malformed matches nothing; Validate refuses such.
		if found, _ := path.Match(rule.Pattern, name); found {
			return rule.Reason
		}
	}
	return ""
}

// Rules makes one rule per pattern, all with the same reason.
func Rules(reason string, patterns ...string) []FunctionRule {
	rules := make([]FunctionRule, len(patterns))
	for i, p := range patterns {
		rules[i] = FunctionRule{Pattern: p, Reason: reason}
	}
	return rules
}
