package assemble

import (
	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
)

// SchemaRequest asks which tables and columns are about something.
type SchemaRequest struct {
	// Query is words or names. Units: 1 to 500 characters.
	Query      string
	Connection connection.ID // "" = all
	Limit      int           // 0 = 20, at most 100 tables
	// Cursor is the NextCursor of the answer before; "" = the first.
	Cursor string
}

// SchemaAnswer has the tables that match, best first. Total counts all that were ranked.
type SchemaAnswer struct {
	Results    []FoundTable `json:"results"`
	Total      int          `json:"total"`
	NextCursor *string      `json:"nextCursor"`
	Notes      []string     `json:"notes,omitempty"`
}

// FoundTable is a table that matches, or whose columns do. Joins are names of tables that it is joined with.
type FoundTable struct {
	Table          string           `json:"table"`
	ConnectionID   connection.ID    `json:"connectionId"`
	TableRef       catalog.TableRef `json:"tableRef"`
	Description    string           `json:"description,omitempty"`
	Trust          string           `json:"trust,omitempty"` // of Description, as in Term
	RowCount       *int64           `json:"rowCount,omitempty"`
	MatchedColumns []FoundColumn    `json:"matchedColumns,omitempty"`
	Joins          []string         `json:"joins,omitempty"`
	Score          float64          `json:"score"` // 0 to 1
}

// FoundColumn is a column that matches.
type FoundColumn struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Description string `json:"description,omitempty"`
}
