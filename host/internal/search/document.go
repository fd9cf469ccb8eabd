// Package search finds what the catalogue, the semantic layer and the wiki
// hold. A Segment is an immutable index of one part of them; a Builder makes it
// into one file and Open reads it back. An Index is some segments that are
// searched as one.
//
// Ranking is BM25F over four classes of fields with one-byte impacts, against set
// lengths. A word of the question is a group of weighted alternatives, of which
// the best counts; a document is worth matched/asked of their sum. Those with all
// words are looked for first, those with fewer where these do not fill the page.
// A parent gains 0.3 of its best child, and the best tables have the words of all their
// columns. Names that look left over lose a fifth, and small tables a little. Documents of
// connections that know less of the question count less, those that were used a little
// more. What scores below 0.35 of the best comes last, prose and data each by its own
// best. The page is fused by reciprocal rank from each document's place among all and its
// place within its kind; exact names come before all others, and the cut does not go by
// them.
//
// Segments are searched one after the other, in one goroutine: with many
// callers, work counts more than the time of one. What the first segments have
// on the page lets the later ones leave out more.
package search

// Kind says what a document is. The order of the kinds breaks ties.
type Kind uint8

const (
	Wiki Kind = iota
	Source
	Measure
	Dimension
	Table
	Column
	File  // a chunk of a file
	kinds = int(File) + 1
)

var kindNames = [kinds]string{"wiki", "sl_source", "sl_measure", "sl_dimension", "table", "column", "file"}

// String returns the kind's name as tools and commands spell it.
func (k Kind) String() string { return kindNames[k] }

// Kinds lists every kind, in order.
func Kinds() []Kind { return []Kind{Wiki, Source, Measure, Dimension, Table, Column, File} }

// Field is a part of a document. A hit says in which one it was found.
type Field uint8

const (
	Name Field = iota
	Display
	Description
	Comment
	Expr
	Body
	Sample
	Context // what a document belongs to or holds: the schema, the table, its columns
	fields  = int(Context) + 1
)

var fieldNames = [fields]string{"name", "display", "description", "comment", "expr", "body", "sample_value", "display"}

// String returns the field's name as tools and commands spell it: what a
// document belongs to is part of how it is shown, and so "display".
func (f Field) String() string { return fieldNames[f] }

// class is what fields are weighted and measured by.
type class uint8

const (
	nameClass class = iota
	contextClass
	textClass
	mentionClass // of which a document may have many, each saying little
	classes      = int(mentionClass) + 1
)

var classOf = [fields]class{
	Name: nameClass, Display: nameClass, Context: contextClass, Sample: mentionClass,
	Description: textClass, Comment: textClass, Expr: textClass, Body: mentionClass,
}

// The ranking's constants, measured on name, context, text and samples of a
// made-up warehouse of 100,000 tables, those of pages on its wiki; see eval.
var (
	classWeight = [classes]float64{5, 1.5, 2.5, 1.2}
	classLength = [classes]float64{0.4, 0.5, 0.5, 0.5} // b: how much length counts
)

// usualLength is how many words documents of a kind have in fields of a class. It
// is set and not the average of what is indexed: so a document's impacts do not
// depend on which others are in its segment, nor its score on how an index is
// divided. A page's body is longer: a word that it mentions says less.
var usualLength = [kinds][classes]float64{
	Wiki:      {2, 6, 8, 60},
	Source:    {2, 6, 4, 6},
	Measure:   {2, 6, 4, 6},
	Dimension: {2, 6, 4, 6},
	Table:     {2, 6, 4, 6},
	Column:    {2, 6, 4, 6},
	File:      {4, 6, 8, 60},
}

const (
	saturation = 1.2 // k1
	childShare = 0.3 // of the best child's score goes to its parent
	leftOver   = 0.8 // what a backup or a deprecated table is worth
	// Below these shares of the best score, but for exact names, a hit comes
	// last: of the best prose for prose and the best data for data, and of the other.
	// leastPartial is the share of that below which it is left out.
	leastPartial = 0.5
	leastShare   = 0.35
	leastOther   = 0.15
	fusionRank   = 60 // k of the reciprocal rank fusion
	maxImpact    = 255
	defaultPage  = 15
	depth        = 50 // documents of each kind that are ranked
)

// Several joins the connections of a document that belongs to more than one.
const Several = "\x00"

// Document is what is found.
type Document struct {
	Kind       Kind
	ID         string // stable, unique within its kind and connection; of a child, see AddChild
	Connection string // "" for what belongs to none; see Several
	Name       string
	Display    string // a second name, for people
	// Synonyms are further names for people, each as good as Name.
	Synonyms []string
	// Context are names that the document belongs to or holds.
	Context                          []string
	Description, Comment, Expr, Body string
	Samples                          []string
	Listed                           bool     // as of ColumnDocument
	Size                             Size     // of a table
	Refers                           []string // as of TableDocument
}

// Size says how many rows a table has. One with few is worth a little less: a sample or a
// copy that somebody tried something on stands behind what it is of.
type Size uint8

const (
	UnknownSize Size = iota // worth as much as a large one
	Empty
	Tiny  // fewer than 100 rows
	Small // fewer than 10,000
	Large
)

// SizeOf returns the size of a table of so many rows; fewer than 0 are not known.
func SizeOf(rows int64) Size {
	switch {
	case rows < 0:
		return UnknownSize
	case rows == 0:
		return Empty
	case rows < 100:
		return Tiny
	case rows < 10_000:
		return Small
	}
	return Large
}

var sizeWorth = [sizeMask + 1]float32{UnknownSize: 1, Empty: 0.85, Tiny: 0.94, Small: 0.98, Large: 1}

// TableDocument is a table with its columns, as a catalogue describes it.
type TableDocument struct {
	Connection           string
	ID                   string // its display name, from which those of its columns are made
	Catalog, Schema      string
	Name                 string
	Comment, Description string
	Size                 Size
	Columns              []ColumnDocument
	// Refers are the IDs of the tables that its columns refer to.
	Refers []string
}

// ColumnDocument is a column of a table.
type ColumnDocument struct {
	Name, Comment, Description string
	Samples                    []string
	// Listed: the samples are all values that the column has. Those that are no words, as
	// NC-17, are then found whole.
	Listed bool
}

// Table adds a table and its columns. The columns' names are the table's
// context and the table's and schema's names theirs.
func (b *Builder) Table(t TableDocument) error {
	context := []string{t.Schema, t.Catalog}
	for i := range t.Columns {
		context = append(context, t.Columns[i].Name)
	}
	err := b.Add(Document{
		Kind: Table, ID: t.ID, Connection: t.Connection, Name: t.Name, Context: context,
		Description: t.Description, Comment: t.Comment, Size: t.Size, Refers: t.Refers,
	})
	if err != nil {
		return err
	}
	context = []string{t.Name, t.Schema}
	for _, c := range t.Columns {
		err := b.AddChild(Document{
			Kind: Column, Connection: t.Connection, Name: c.Name, Context: context,
			Description: c.Description, Comment: c.Comment, Samples: c.Samples, Listed: c.Listed,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Identity says what a segment was made of. Two segments of equal identity
// answer alike.
type Identity struct {
	Content string `json:"content"` // of what: the snapshots and files, as their owner names them
	Rules   string `json:"rules"`   // the version of the text rules
	Ranking int    `json:"ranking"` // the version of this package's index
}

// ranking is the number of what this package writes. Raise it with every change
// of the file's content or of the impacts: older files are built again.
const ranking = 8
