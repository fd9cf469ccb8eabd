package assemble

import "github.com/loam-data/loam/host/internal/connection"

// Depth is how much a ContextAnswer says of each table.
type Depth string

// The depths. Domain says nothing of tables; each of the others lists them in the member of its name.
const (
	Domain   Depth = "domain"
	Entities Depth = "entities"
	Tables   Depth = "tables"
	Columns  Depth = "columns"
)

// ContextRequest asks what a project is about.
type ContextRequest struct {
	Depth      Depth         // "" = Entities
	Connection connection.ID // "" = the only one; of several, all at depth Domain
	// Tables are the names of the tables to list, as in entity_details; none = all.
	Tables []string
	// Query ranks the tables; "" = by what people defined and used. Units: at most 500 characters.
	Query string
	// WithoutRelationships leaves the relationships out.
	WithoutRelationships bool
	// Budget bounds the answer's JSON, in tokens as package tokens estimates them: 200 to 20,000;
	// 0 = that of the depth.
	Budget int
	// Cursor is the NextCursor of the answer before; "" = the first.
	Cursor string
}

// ContextAnswer is what a project is about, as much of it as the budget has room for.
// Shape: of Entities, Tables and Columns only the member of the depth is set. Areas, conventions, the glossary and
// approved queries are in the first answer alone, not in those that a cursor asks for.
type ContextAnswer struct {
	Depth       Depth `json:"depth"`
	HasOntology bool  `json:"hasOntology"` // a semantic file, a reviewed page or a fact exists
	// OntologyStatus is statusNone without a scan, statusExtracting while a scan or an import runs, else statusComplete.
	OntologyStatus     string          `json:"ontologyStatus"`
	ExtractionProgress *Progress       `json:"extractionProgress,omitempty"`
	Domain             *DomainSummary  `json:"domain,omitempty"`
	Entities           []Entity        `json:"entities,omitempty"`
	Tables             []Table         `json:"tables,omitempty"`
	Columns            []TableColumns  `json:"columns,omitempty"`
	Relationships      []Relationship  `json:"relationships,omitempty"`
	Glossary           []Term          `json:"glossary,omitempty"`
	ApprovedQueries    []ApprovedQuery `json:"approvedQueries,omitempty"`
	Tokens             Spent           `json:"tokens"`
	// Omitted counts what is left out of this answer; NextCursor leads to the tables among it.
	Omitted    Omitted  `json:"omitted,omitzero"`
	NextCursor *string  `json:"nextCursor"`
	Notes      []string `json:"notes,omitempty"`
}

// The values of ContextAnswer.OntologyStatus.
const (
	statusNone       = "none"
	statusExtracting = "extracting"
	statusComplete   = "complete"
)

// Progress is that of a running scan or import, in units of its stage. Total is nil while it is not known.
type Progress struct {
	Stage     string `json:"stage"`
	Current   int64  `json:"current"`
	Total     *int64 `json:"total"`
	StartedAt string `json:"startedAt"` // RFC 3339
}

// DomainSummary is what the project as a whole is about.
type DomainSummary struct {
	Description string       `json:"description,omitempty"`
	Trust       string       `json:"trust,omitempty"` // of Description, as in Term
	Areas       []Area       `json:"areas,omitempty"`
	Conventions []Convention `json:"conventions,omitempty"`
}

// Area is a schema with its number of tables; of several connections Name begins with the connection's id.
type Area struct {
	Name   string `json:"name"`
	Tables int    `json:"tables"`
}

// Convention is something that holds for every question: a segment, a unit or an enumeration of the semantic layer, or
// a fact. Ref is the member or the page that says it.
type Convention struct {
	Kind      string `json:"kind"`
	Statement string `json:"statement"`
	Ref       string `json:"ref,omitempty"`
	Trust     string `json:"trust"`
}

// Entity is a table as people speak of it. Name is that of its semantic source, else that of the table.
type Entity struct {
	Name         string        `json:"name"`
	Table        string        `json:"table"`
	ConnectionID connection.ID `json:"connectionId"`
	Description  string        `json:"description,omitempty"`
	Trust        string        `json:"trust,omitempty"` // of Description, as in Term
	RowCount     *int64        `json:"rowCount,omitempty"`
	KeyColumns   []string      `json:"keyColumns,omitempty"`
	Measures     []string      `json:"measures,omitempty"`
}

// Table is a table as the warehouse has it.
type Table struct {
	Table        string        `json:"table"`
	ConnectionID connection.ID `json:"connectionId"`
	Kind         string        `json:"kind,omitempty"` // "" = a table
	Description  string        `json:"description,omitempty"`
	Trust        string        `json:"trust,omitempty"` // of Description, as in Term
	RowCount     *int64        `json:"rowCount,omitempty"`
	KeyColumns   []string      `json:"keyColumns,omitempty"`
	Columns      int           `json:"columns"`
}

// TableColumns is a table with its columns, one line each: name and type, keys, some values, " -- " and the
// description, after its trust in parentheses if nobody reviewed it. Left counts the columns that are left out.
type TableColumns struct {
	Table        string        `json:"table"`
	ConnectionID connection.ID `json:"connectionId"`
	Description  string        `json:"description,omitempty"`
	Trust        string        `json:"trust,omitempty"` // of Description, as in Term
	RowCount     *int64        `json:"rowCount,omitempty"`
	Columns      []string      `json:"columns,omitempty"`
	Left         int           `json:"left,omitempty"`
}

// Relationship is a foreign key, listed with the table that has it. Label is the description of the join in the semantic
// layer, after its trust in parentheses if nobody reviewed it.
type Relationship struct {
	From    string   `json:"from"`
	To      string   `json:"to"`
	Columns []string `json:"columns"` // "customer_id = id"
	Origin  string   `json:"origin"`
	Label   string   `json:"label,omitempty"`
}

// Term is a word of the project. Trust is "agent" or "imported" where nobody reviewed the text, else "reviewed", or ""
// for what a person wrote.
type Term struct {
	Term       string `json:"term"`
	Definition string `json:"definition"`
	Ref        string `json:"ref,omitempty"`
	Trust      string `json:"trust,omitempty"`
}

// ApprovedQuery is a saved query of a connection.
type ApprovedQuery struct {
	ConnectionID connection.ID `json:"connectionId,omitempty"`
	Name         string        `json:"name"`
	Title        string        `json:"title,omitempty"`
}

// Spent is the budget, and the estimate of what the answer takes of it.
type Spent struct {
	Budget    int `json:"budget"`
	Estimated int `json:"estimated"`
}

// Omitted counts what an answer leaves out.
type Omitted struct {
	Entities      int `json:"entities,omitempty"`
	Tables        int `json:"tables,omitempty"`
	Columns       int `json:"columns,omitempty"`
	Relationships int `json:"relationships,omitempty"`
	Glossary      int `json:"glossary,omitempty"`
}
