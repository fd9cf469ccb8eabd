// Package er draws tables and the foreign keys between them: as SVG, which is styled by the classes er-*, and as text
// for Mermaid. It is pure: it knows neither catalogues nor pages.
package er

// Picture is tables and foreign keys between them.
type Picture struct {
	// Title and Description are for those who cannot see the picture.
	Title, Description string
	Tables             []Table
	Edges              []Edge
	// Focus is the place of the table in the middle; -1 = there is none.
	Focus int
}

// Table is a box. Its texts may be anything.
type Table struct {
	Name string
	// Link is the address that the box leads to; "" = none.
	Link string
	// Level is the column of boxes: a table is to the right of those that it refers to. See Around and Levels.
	Level   int
	Columns []Column
	// More is the number of columns that are not shown.
	More int
}

// Column is a line of a box.
type Column struct {
	Name, Type       string
	Primary, Foreign bool
}

// Edge is a foreign key: From refers to To.
type Edge struct {
	// From and To are places in Picture.Tables.
	From, To           int
	Columns, ToColumns []string
	// Many says which ends have several rows for one of the other end.
	FromMany, ToMany bool
	// Inferred: the warehouse does not declare it.
	Inferred bool
	// Label is shown when the edge is pointed at; "" = nothing is.
	Label string
}
