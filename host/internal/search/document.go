// Package search is the full-text index of catalog, semantic layer and wiki. A Segment is
// an immutable index of a part of them; a Builder writes it to one file and Open reads it
// back. An Index searches several segments as one.
//
// Ranking is BM25F over four classes of fields with one-byte impacts and fixed lengths. A
// word of the question is a group of weighted alternatives, of which the best counts; the
// sum over the words is multiplied by matched/asked words. Documents with all words are
// searched first, those with fewer words only if the page is not full. A parent gains 0.3
// of its best child's score, and the best tables are scored with the words of all their
// columns. Names that look obsolete lose a fifth, and small tables a little. Documents of
// connections that match less of the question score less, used ones a little more.
// Documents below 0.35 of the best score come last, prose and data each by its own best.
// The page is fused by reciprocal rank from each document's rank among all and its rank
// within its kind; exact names come first and do not count for that cut.
//
// Segments are searched one after the other, in one goroutine: with many callers, total
// work counts more than latency. The results of the first segments let the later ones
// skip more documents.
package search

// Kind is the kind of a document. The order of the kinds breaks ties.
type Kind uint8

const (
	Wiki Kind = iota
	Source
	Measure
	Dimension
	Table
	Column
	File        // a chunk of a file
	Checkpoint  // a note about the state of a work
	Remediation // a note about an error and what mended it
	kinds       = int(Remediation) + 1
)

var kindNames = [kinds]string{"wiki", "sl_source", "sl_measure", "sl_dimension", "table", "column", "file", "checkpoint", "remediation"}

// String returns the kind's name for tools and commands.
func (k Kind) String() string { return kindNames[k] }

// Kinds lists every kind, in order.
func Kinds() []Kind {
	return []Kind{Wiki, Source, Measure, Dimension, Table, Column, File, Checkpoint, Remediation}
}

// Field is a part of a document.
type Field uint8

const (
	Name Field = iota
	Display
	Description
	Comment
	Expr
	Body
	Sample
	Context // containing and contained things: the schema, the table, its columns
	fields  = int(Context) + 1
)

var fieldNames = [fields]string{"name", "display", "description", "comment", "expr", "body", "sample_value", "display"}

// String returns the field's name for tools and commands: "display" for Context, which is
// part of the displayed name.
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
	Wiki:        {2, 6, 8, 60},
	Source:      {2, 6, 4, 6},
	Measure:     {2, 6, 4, 6},
	Dimension:   {2, 6, 4, 6},
	Table:       {2, 6, 4, 6},
	Column:      {2, 6, 4, 6},
	File:        {4, 6, 8, 60},
	Checkpoint:  {8, 6, 40, 60},
	Remediation: {2, 6, 12, 60},
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

// Several separates the connections of a document that belongs to more than one.
const Several = "\x00"

// Document is an indexed document.
type Document struct {
	Kind       Kind
	ID         string // stable, unique within its kind and connection; of a child, see AddChild
	Connection string // "" for none; see Several
	Name       string
	Display    string // a second name, for people
	// Synonyms are further names, with the weight of Name.
	Synonyms []string
	// Context are the names of containing and contained things.
	Context                          []string
	Description, Comment, Expr, Body string
	Samples                          []string
	Listed                           bool     // as in ColumnDocument
	Size                             Size     // of a table
	Refers                           []string // as in TableDocument
}

// Size is the class of a table's number of rows. Small tables score a little less: a
// sample or a test copy ranks behind its original.
type Size uint8

const (
	UnknownSize Size = iota // scores like a large one
	Empty
	Tiny  // fewer than 100 rows
	Small // fewer than 10,000
	Large
)

// SizeOf returns the size for a number of rows; a negative number is unknown.
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

// TableDocument is a table with its columns.
type TableDocument struct {
	Connection           string
	ID                   string // its display name, the beginning of its columns' IDs
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
	// Listed: the samples are all values of the column. Values that are no words, such as
	// NC-17, are then indexed whole.
	Listed bool
}

// Table adds a table and its columns. The table's Context has the names of the columns,
// and theirs the names of table and schema.
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

// Identity is the version of a segment's content and rules. Segments of equal identity
// give equal results.
type Identity struct {
	Content string `json:"content"` // the version of the indexed snapshots and files
	Rules   string `json:"rules"`   // the version of the text rules
	Ranking int    `json:"ranking"` // the version of this package's index
}

// ranking is the number of what this package writes. Raise it with every change
// of the file's content or of the impacts: older files are built again.
const ranking = 10
