package compare

// query is a SELECT, or several that set operations combine, as a parser read it.
type query struct {
	with      []local
	recursive bool
	branches  []*block
	nested    []*query // branches in parentheses
}

// local is a common table expression.
type local struct {
	name    string
	columns []string
	query   *query
}

// block is one SELECT.
type block struct {
	relations []*relation
	joins     []join
	where     *node
	items     []item
	rest      []*node // GROUP BY, HAVING, ORDER BY, LIMIT
}

// relation is a table, a query or a function of FROM.
type relation struct {
	path     []string // of a table, in lower case
	alias    string
	columns  []string
	query    *query
	function bool
	args     []*node // of a function
}

// join combines the relations before begin with those from begin to end.
type join struct {
	on         *node
	using      []string
	natural    bool
	first      int
	begin, end int
}

type item struct {
	alias string
	value *node // nil = *
	star  string
	all   bool
}

// node is an expression.
type node struct {
	kind     kind
	name     []string // of a column or a function, in lower case
	text     string   // of a literal
	operator string
	negated  bool
	distinct bool
	window   bool
	args     []*node
	query    *query
}

type kind int

const (
	other kind = iota
	column
	literal
	call
	comparison
	and
	subquery
)
