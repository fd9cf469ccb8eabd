package expression

import (
	"github.com/loam-data/loam/sdk"
)

// Node is an expression. The set of node types is closed: Literal, Name, Unary, Binary,
// Logic, IsNull, Between, In, Match, Case, Cast, Call, Aggregate, Native; Quantified in
// filters of requests and PerEntity in requests; and, in plans, Column, Typed and Form.
// Fields are for reading; Transform makes changed copies. Nodes may be made as struct
// literals too: they have no place, and no type until Check.
type Node interface {
	// Pos is where the node starts in its text; zero for a made node.
	Pos() sdk.Position
	// Type is the logical type that Check found; TypeUnspecified before it, for NULL and for
	// native fragments.
	Type() sdk.Type

	meta() *base
}

type base struct {
	pos    sdk.Position
	height int32 // of the tree, as parsed
	typ    sdk.Type
}

func (b *base) Pos() sdk.Position { return b.pos }
func (b *base) Type() sdk.Type    { return b.typ }
func (b *base) meta() *base       { return b }

// Literal is a constant. Its Type says which: TypeUnspecified is NULL.
type Literal struct {
	base
	// Value is canonical: "1.5", "true", "2024-05-15", "2024-05-15 13:14:15.5",
	// "2024-05-15 13:14:15+00:00"; the text itself for TypeText, "" for NULL.
	Value string
}

// IsNull reports whether the literal is NULL.
func (l *Literal) IsNull() bool { return l.typ == sdk.TypeUnspecified }

// Name refers to a column, a dimension or a measure: 1 to MaxNameParts parts,
// without quotes, in the case in which they were written.
type Name struct {
	base
	Parts []string
	// Means is the meaning of a name that was made by code: it is not looked up, and Parts,
	// printed as they are, identify it. nil = a name from a text.
	Means any
}

// UnaryOp is an operator with one operand.
type UnaryOp string

const (
	Negate UnaryOp = "-"
	Not    UnaryOp = "NOT"
)

// Unary is -x or NOT x.
type Unary struct {
	base
	Op UnaryOp
	X  Node
}

// BinaryOp is an operator with two operands, spelled as it is written.
type BinaryOp string

const (
	Add      BinaryOp = "+"
	Subtract BinaryOp = "-"
	Multiply BinaryOp = "*"
	Divide   BinaryOp = "/"
	Modulo   BinaryOp = "%"
	Concat   BinaryOp = "||" // NULL when either is NULL

	Equal        BinaryOp = "="
	NotEqual     BinaryOp = "<>"
	Less         BinaryOp = "<"
	LessEqual    BinaryOp = "<="
	Greater      BinaryOp = ">"
	GreaterEqual BinaryOp = ">="
	Distinct     BinaryOp = "IS DISTINCT FROM"     // <> where NULL equals NULL
	NotDistinct  BinaryOp = "IS NOT DISTINCT FROM" // = where NULL equals NULL
)

// Comparison reports whether the operator gives a truth value.
func (o BinaryOp) Comparison() bool {
	switch o {
	case Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual, Distinct, NotDistinct:
		return true
	}
	return false
}

// Compares reports whether a node compares values: by an operator, BETWEEN, IN or LIKE.
func Compares(n Node) bool {
	switch n := n.(type) {
	case *Binary:
		return n.Op.Comparison()
	case *Between, *In, *Match:
		return true
	}
	return false
}

// Binary is an arithmetic operation, a concatenation or a comparison.
type Binary struct {
	base
	Op          BinaryOp
	Left, Right Node
}

// LogicOp joins conditions.
type LogicOp string

const (
	And LogicOp = "AND"
	Or  LogicOp = "OR"
)

// Logic is two or more conditions under one operator. Parsed ones are flat: no
// term is a Logic of the same operator.
type Logic struct {
	base
	Op    LogicOp
	Terms []Node
}

// IsNull is x IS [NOT] NULL.
type IsNull struct {
	base
	X       Node
	Negated bool
}

// Between is x [NOT] BETWEEN low AND high, both ends included.
type Between struct {
	base
	X, Low, High Node
	Negated      bool
}

// In is x [NOT] IN (list) of one or more values.
type In struct {
	base
	X       Node
	List    []Node
	Negated bool
}

// MatchKind is a way to search text.
type MatchKind string

const (
	Like  MatchKind = "LIKE"  // wildcards % and _, escape character \
	ILike MatchKind = "ILIKE" // the same without regard to case

	// Literal and without regard to case; written as functions.
	Contains   MatchKind = "contains"
	StartsWith MatchKind = "starts_with"
	EndsWith   MatchKind = "ends_with"
)

// Match searches x for a pattern.
type Match struct {
	base
	Kind       MatchKind
	X, Pattern Node
	Negated    bool
}

// When is one branch of a Case.
type When struct{ Condition, Result Node }

// Case is CASE [operand] WHEN … THEN … [ELSE …] END.
type Case struct {
	base
	Operand Node // nil: the conditions are truth values
	Whens   []When
	Else    Node // nil: NULL
}

// Cast converts x to a logical type.
type Cast struct {
	base
	X  Node
	To sdk.Type
}

// Call is a call of a scalar function of Functions, by its canonical name.
// EXTRACT(field FROM x) is the call of the field's function.
type Call struct {
	base
	Function string
	Args     []Node
}

// AggregateFunction computes one value from many rows.
type AggregateFunction string

const (
	Sum            AggregateFunction = "sum"
	Avg            AggregateFunction = "avg"
	Count          AggregateFunction = "count"
	CountDistinct  AggregateFunction = "count_distinct"
	ApproxDistinct AggregateFunction = "approx_count_distinct"
	Min            AggregateFunction = "min"
	Max            AggregateFunction = "max"
	Median         AggregateFunction = "median"
	Percentile     AggregateFunction = "percentile"
	StringAgg      AggregateFunction = "string_agg"
)

// Aggregate is a call of an aggregate. X never contains another one.
type Aggregate struct {
	base
	Function AggregateFunction
	X        Node // nil: count(*)
	// Parameter is percentile's fraction in 0..1 and string_agg's separator, else nil.
	Parameter *Literal
}
