// Package discover answers what exists: one ranked search over everything,
// tables in detail, where a value is, and the wiki's pages. It reads snapshots,
// the index and the wiki; it starts no connector and asks no warehouse.
package discover

import (
	"context"
	"log/slog"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/indexer"
	"github.com/loam-data/loam/host/internal/wiki"
	"github.com/loam-data/loam/sdk"
)

// Config is what a Service is made of. All fields are required.
type Config struct {
	// Connections returns the configured connections as they are now.
	Connections func(context.Context) (*connection.Registry, error)
	// Connectors knows connectors from their manifests.
	Connectors describer
	// Remembered knows what a connection's server was when last seen.
	Remembered rememberer
	Catalogs   *catalog.Set
	Index      currenter
	Wiki       *wiki.Wiki
	// Decisions returns the file of a connection's decisions on relationships.
	Decisions func(connection.ID) string
	Logger    *slog.Logger
}

// A describer never starts a process.
type describer interface {
	Describe(c connection.Connection) (sdk.Description, error)
}

type rememberer interface {
	LastKnown(ctx context.Context, c connection.Connection) (connection.State, error)
}

type currenter interface {
	Current(context.Context) (*indexer.State, error)
}

// Service answers. Concurrency: any number of calls at once.
type Service struct{ Config }

// New makes a Service.
func New(c Config) *Service { return &Service{c} }

// TableRef names a table on the wire; a part that the engine has not is null.
type TableRef struct {
	Catalog *string `json:"catalog"`
	DB      *string `json:"db"`
	Name    string  `json:"name"`
}

// SearchRequest asks for references to whatever fits a question.
type SearchRequest struct {
	Query      string
	Connection connection.ID // "" = all
	Kinds      []string      // as search.Kind spells them; none = all
	Limit      int           // 0 = 15
}

// SearchAnswer is a page of references, best first.
type SearchAnswer struct {
	Refs []Ref `json:"refs"`
	// Notes say where the answer is not of the latest state, or lacks something.
	Notes []string `json:"notes,omitempty"`
}

// Ref is a reference to one thing.
type Ref struct {
	Kind         string        `json:"kind"`
	ID           string        `json:"id"`
	Score        float64       `json:"score"`
	Summary      *string       `json:"summary"`
	Snippet      *string       `json:"snippet"`
	MatchedOn    string        `json:"matchedOn"`
	ConnectionID connection.ID `json:"connectionId,omitempty"`
	TableRef     *TableRef     `json:"tableRef,omitempty"`
	ColumnName   string        `json:"columnName,omitempty"`
}

// Search answers from everything that is indexed.
func (s *Service) Search(context.Context, SearchRequest) (*SearchAnswer, error) { return nil, todo() }

// EntitiesRequest asks for tables in detail.
type EntitiesRequest struct {
	Connection connection.ID
	Entities   []EntityQuery
}

// EntityQuery names a table and, if not all are wanted, its columns.
type EntityQuery struct {
	// Display is the table as one string; Ref is used where it is "".
	Display string
	Ref     sdk.TableRef
	Columns []string
}

// EntitiesAnswer has an entity or an error for each query, in their order.
type EntitiesAnswer struct {
	Entities []Entity      `json:"entities"`
	Errors   []EntityError `json:"errors"`
}

// Entity is a table as its snapshot has it.
type Entity struct {
	ConnectionID  connection.ID `json:"connectionId"`
	TableRef      TableRef      `json:"tableRef"`
	Display       string        `json:"display"`
	Kind          string        `json:"kind"`
	Comment       *string       `json:"comment"`
	Description   *string       `json:"description"`
	EstimatedRows *int64        `json:"estimatedRows"`
	Columns       []Column      `json:"columns"`
	ForeignKeys   []ForeignKey  `json:"foreignKeys"`
	Snapshot      Snapshot      `json:"snapshot"`
}

// Column is a column of an Entity.
type Column struct {
	Name           string  `json:"name"`
	NativeType     string  `json:"nativeType"`
	NormalizedType string  `json:"normalizedType"`
	DimensionType  string  `json:"dimensionType"`
	Nullable       bool    `json:"nullable"`
	PrimaryKey     bool    `json:"primaryKey"`
	Comment        *string `json:"comment"`
	Description    *string `json:"description"`
}

// ForeignKey is one column pair of a key; a composite one has as many, of one
// constraint name.
type ForeignKey struct {
	FromColumn     string   `json:"fromColumn"`
	ToCatalog      *string  `json:"toCatalog"`
	ToDB           *string  `json:"toDb"`
	ToTable        string   `json:"toTable"`
	ToColumn       string   `json:"toColumn"`
	ConstraintName *string  `json:"constraintName"`
	Origin         string   `json:"origin"`
	Confidence     *float64 `json:"confidence"`
}

// Snapshot says which snapshot an answer is from.
type Snapshot struct {
	SyncID      string  `json:"syncId"`
	ExtractedAt string  `json:"extractedAt"` // RFC 3339
	ScanRunID   *string `json:"scanRunId"`
}

// EntityError says why an EntityQuery has no entity.
type EntityError struct {
	Input      string   `json:"input"`
	Code       string   `json:"code"`
	Message    string   `json:"message"`
	Candidates []string `json:"candidates"`
}

// Entities answers from the latest snapshot.
func (s *Service) Entities(context.Context, EntitiesRequest) (*EntitiesAnswer, error) {
	return nil, todo()
}

// ValuesRequest asks where values are.
type ValuesRequest struct {
	Values     []string
	Connection connection.ID // "" = all
}

// ValuesAnswer says what was searched and, in the order of the request, what
// was found. A miss proves nothing: only sampled values are searched.
type ValuesAnswer struct {
	Searched []Searched    `json:"searched"`
	Results  []ValueResult `json:"results"`
	Notes    []string      `json:"notes,omitempty"`
}

// Searched is a connection whose values were searched, if it has any.
type Searched struct {
	ConnectionID connection.ID `json:"connectionId"`
	Coverage     Coverage      `json:"coverage"`
	Status       string        `json:"status"`
}

// Coverage is how much of a connection's values is known.
type Coverage struct {
	SampledRows     *int64  `json:"sampledRows"`
	ValuesPerColumn *int    `json:"valuesPerColumn"`
	ProfiledColumns int     `json:"profiledColumns"`
	SyncID          *string `json:"syncId"`
	ProfiledAt      *string `json:"profiledAt"` // RFC 3339
}

// ValueResult is what was found of one value.
// Shape: Total counts all matches; Truncated says that Matches are fewer.
type ValueResult struct {
	Value     string       `json:"value"`
	Matches   []ValueMatch `json:"matches"`
	Misses    []ValueMiss  `json:"misses"`
	Total     int          `json:"total"`
	Truncated bool         `json:"truncated"`
}

// ValueMatch is a column that holds a value.
type ValueMatch struct {
	ConnectionID connection.ID `json:"connectionId"`
	SourceName   string        `json:"sourceName"`
	ColumnName   string        `json:"columnName"`
	MatchedValue string        `json:"matchedValue"`
	Cardinality  *int64        `json:"cardinality"`
}

// ValueMiss says why a connection has no match.
type ValueMiss struct {
	ConnectionID connection.ID `json:"connectionId"`
	Reason       string        `json:"reason"`
}

// Values answers from the sampled values.
func (s *Service) Values(context.Context, ValuesRequest) (*ValuesAnswer, error) { return nil, todo() }

// WikiAnswer is a page of wiki pages, best first.
type WikiAnswer struct {
	Results []WikiHit `json:"results"`
	Total   int       `json:"total"`
	Notes   []string  `json:"notes,omitempty"`
}

// WikiHit is a wiki page that was found.
type WikiHit struct {
	Key           string   `json:"key"`
	Title         string   `json:"title"`
	Summary       *string  `json:"summary"`
	Snippet       string   `json:"snippet"`
	Score         float64  `json:"score"`
	MatchedOn     string   `json:"matchedOn"`
	Tags          []string `json:"tags"`
	ConnectionIDs []string `json:"connectionIds"`
	UpdatedAt     string   `json:"updatedAt"` // RFC 3339
}

// SearchWiki searches the wiki's pages alone.
func (s *Service) SearchWiki(ctx context.Context, query string, limit int) (*WikiAnswer, error) {
	return nil, todo()
}

// WikiPage is a page with its text.
type WikiPage struct {
	Key        string     `json:"key"`
	Title      string     `json:"title"`
	Summary    *string    `json:"summary"`
	Tags       []string   `json:"tags"`
	Refs       []string   `json:"refs"`
	SLRefs     []string   `json:"slRefs"`
	Body       string     `json:"body"`
	Scope      string     `json:"scope"`
	Provenance Provenance `json:"provenance"`
	Links      []string   `json:"links"`
}

// Provenance says where a page comes from.
type Provenance struct {
	Origin    string  `json:"origin"`
	Source    *string `json:"source"`
	UpdatedAt string  `json:"updatedAt"` // RFC 3339
	Reviewed  bool    `json:"reviewed"`
}

// ReadWiki returns a page as it is on disk now.
// Errors: KindNotFound with the nearest keys; KindInvalid for a broken file.
func (s *Service) ReadWiki(ctx context.Context, key string) (*WikiPage, error) { return nil, todo() }

// Scanned returns what the last snapshot of a connection is; nil when it was
// never scanned.
func (s *Service) Scanned(id connection.ID) (*catalog.Identity, error) { return nil, todo() }

func todo() error { return sdk.Errorf(sdk.KindUnsupported, sdk.SourceHost, "not built") }
