package statement

import "github.com/loam-data/loam/sdk/dialect"

// Statement is what a text says.
type Statement struct {
	// Blocks are its SELECTs, in the order of the text.
	Blocks []*Block
	// Reason is why nothing of the text is understood; "" = its blocks say that for themselves.
	Reason string
	// Text is the text, Dialect what it was read by.
	Text    string
	Dialect *dialect.Dialect
	tokens  []dialect.Token
}

// Understood reports whether all of the statement is understood.
func (s *Statement) Understood() bool {
	if s.Reason != "" {
		return false
	}
	for _, b := range s.Blocks {
		if b.Reason != "" {
			return false
		}
	}
	return true
}

// Block is one SELECT.
type Block struct {
	// Reason is why the block is not understood; "" = it is. What is known of such a block may
	// be wrong.
	Reason string
	// Parent is the block that it is a part of; nil for the outermost ones and those of WITH.
	Parent *Block
	// Start is the byte offset of its SELECT.
	Start int
	// Relations are those of its FROM, in the order of the text.
	Relations []*Relation
	// Joins are the equalities of two columns of two relations that every row fulfils.
	Joins []Join
	// Conditions compare a column with literals, anywhere in the block.
	Conditions []Condition
	// Aggregates are the calls of aggregate functions that are no window.
	Aggregates []*Expr
	Groups     []*Expr
	Items      []Item
	Distinct   bool
	// Where is the conditions that every row fulfils, without those of joins. On is those of
	// ON that are not among Joins.
	Where, On []*Expr

	whole    bool // no set operation, no HAVING and no limit change its rows
	joined   []joining
	filters  []*Expr // WHERE and PREWHERE
	refs     []*Expr
	compared []*Expr // predicates
	queries  []*query
	calls    []*Expr
}

// Whole reports whether the rows of the block are those of its FROM and WHERE, grouped: nothing
// such as HAVING, DISTINCT or a set operation changes them.
func (b *Block) Whole() bool { return b.whole && !b.Distinct }

// Columns yields the columns that the block names.
func (b *Block) Columns(yield func(*Column) bool) {
	for _, r := range b.refs {
		if r.Column != nil && !yield(r.Column) {
			return
		}
	}
}

// Item is one of the columns that a block returns.
type Item struct {
	// Alias is its own name; "" = none.
	Alias Part
	Expr  *Expr
}

// Part is a name without quotes.
type Part struct {
	Text   string
	Quoted bool
}

// Relation is a table, a query or a function of FROM.
type Relation struct {
	Name  []Part // of a table or a function; nil = it is a query
	Alias Part   // Text "" = none
	// Table is nil when it is no table, or one that the schema does not have.
	Table *Table
	// Function: it is the result of a function.
	Function bool
	// Local: it is a common table expression of the statement.
	Local bool
	// Start is its byte offset.
	Start int
	// Optional: rows of the other side are kept where it has none.
	Optional bool

	query  *query
	names  []Part  // of its columns, where the statement gives them
	result *result // of a query
}

// Column is a column of a relation.
type Column struct {
	Relation *Relation
	// Table is the table that its values are from, through queries; nil when it is
	// an expression, or of a table that the schema does not have.
	Table *Table
	// Index is its place in Table.
	Index int
	Name  string
	// Nested: the statement names a field of it.
	Nested bool
	// Through: a query lies between the block and the table.
	Through bool
	// Outer: the relation is one of a block around this one.
	Outer bool
}

// Join is an equality of two columns.
type Join struct {
	Left, Right *Column
	// At is the byte offset of the equality.
	At int
}

// Condition compares a column with literals.
type Condition struct {
	Column *Column
	// Operator is =, <>, <, <=, >, >=, IN, LIKE, ILIKE, BETWEEN or IS NULL.
	Operator string
	Negated  bool
	Values   []Literal
	// Every: each row of the result fulfils it.
	Every bool
	// At is the byte offset of the column.
	At int
}

// Literal is a constant.
type Literal struct {
	Kind LiteralKind
	// Text is the value of a string, or a number as written. Sure: it is what the engine reads.
	Text string
	Sure bool
	// At is its byte offset.
	At int
}

// LiteralKind is the kind of a literal.
type LiteralKind uint8

// The kinds of literals.
const (
	String LiteralKind = iota + 1
	Number
	Boolean
	Null
	Typed // DATE '2024-01-01', INTERVAL '1 day'
)

// ExprKind is the kind of an expression.
type ExprKind uint8

// The kinds of expressions.
const (
	Ref       ExprKind = iota + 1 // a column
	Value                         // a literal
	Call                          // a function
	Operation                     // an operator with its operands
	Predicate                     // a comparison
	Subquery
	Star  // * or t.*
	Other // anything else
)

// Expr is an expression.
type Expr struct {
	Kind ExprKind
	// Start and End are byte offsets.
	Start, End int
	// Name is that of a column, or the last part of a function's in lower case.
	Name []Part
	// Column is nil when it is no column of a relation: an alias, a unit, a whole row.
	Column *Column
	// Operator of an operation or predicate in upper case.
	Operator string
	Negated  bool
	Args     []*Expr
	Literal  Literal
	// Distinct, Filter and Ordered are those of a call. Window: it has OVER.
	Distinct, Ordered, Window bool
	Filter                    *Expr

	query    *query
	every    bool
	argument bool // of a function
	local    bool // a parameter of a lambda function
}

// joining is a join of FROM.
type joining struct {
	on      *Expr
	using   []Part
	natural bool
	outer   bool // ON filters no row of the result
	begin   int  // index of the first relation of its right side
	end     int  // index behind the last one
	at      int
}

// query is blocks that set operations combine, with the tables of its WITH.
type query struct {
	with     []*local
	branches []branch
	parent   *Block
}

type branch struct {
	block *Block
	query *query // in parentheses
	rows  bool   // VALUES
}

// local is a common table expression.
type local struct {
	name      Part
	columns   []Part
	query     *query
	recursive bool
	result    *result
}

// output is a column that a query returns.
type output struct {
	name   Part
	column *Column // nil = an expression
}
