package sdk

// TableRef names a table. Catalog and Schema are "" where the engine has none
// or the default is meant.
type TableRef struct {
	Catalog string
	Schema  string
	Name    string
}

// String returns the parts that are set, joined by dots, unquoted: for people
// and messages, never for SQL.
func (r TableRef) String() string {
	s := r.Name
	if r.Schema != "" {
		s = r.Schema + "." + s
	}
	if r.Catalog != "" {
		s = r.Catalog + "." + s
	}
	return s
}

// Within returns the reference with its missing parts taken from another one: a foreign
// key may leave out the catalog and schema that both tables share.
func (r TableRef) Within(other TableRef) TableRef {
	if r.Schema == "" {
		r.Schema = other.Schema
	}
	if r.Catalog == "" {
		r.Catalog = other.Catalog
	}
	return r
}

// Facet is an optional part of a scan.
type Facet string

const (
	FacetColumns     Facet = "columns"
	FacetKeys        Facet = "keys"
	FacetComments    Facet = "comments"
	FacetEstimates   Facet = "estimates"
	FacetDefinitions Facet = "definitions"
)

// ScanRequest selects what to scan.
type ScanRequest struct {
	// Include and Exclude are globs over "catalog.schema.table", with as many
	// parts as the engine has levels; no Include means all the configured ones.
	Include, Exclude []string
	// Facets to fetch; none = all.
	Facets []Facet
	// Since is the token of an earlier ScanSummary for the same facets: tables that have
	// not changed since may be sent as Unchanged. "", or a token that the connector does
	// not know, = a full scan.
	Since string
	// MaxObjects stops the scan with KindLimit beyond so many tables; 0 = no limit.
	MaxObjects int
	// MaxBytesScanned bounds the bytes that all queries of the scan read, where the
	// engine bills by bytes; 0 = no limit.
	MaxBytesScanned int64
}

// TableKind is the kind of a table.
type TableKind string

const (
	TableBase         TableKind = "table"
	TableView         TableKind = "view"
	TableMaterialized TableKind = "materialized_view"
	TableExternal     TableKind = "external"
	// TablePartitioned is a parent whose rows live in partitions; the partitions
	// themselves are not listed.
	TablePartitioned TableKind = "partitioned"
)

// PropertyForeignServer is the key of Table.Properties with which a connector
// marks a table that lives on another server, by that server's name: the host
// neither profiles it nor checks its relationships unless the connection asks.
const PropertyForeignServer = "foreign_server"

// Table is one table, view or other queryable object.
type Table struct {
	TableRef
	Kind    TableKind
	Comment string
	Columns []Column
	Keys    []Key
	// RowEstimate and ByteEstimate come from the engine's statistics; -1 = unknown.
	RowEstimate, ByteEstimate int64
	// Definition is the SQL of a view, where the account may see it.
	Definition string
	// Fingerprint changes when the structure does; "" = the engine offers none.
	Fingerprint string
	// Unchanged: the table, with its comment and definition, is as the scan of
	// ScanRequest.Since found it. Only TableRef, Kind, Fingerprint and the present
	// estimates are set.
	Unchanged  bool
	Properties map[string]string
}

// KeyKind is the kind of a key.
type KeyKind uint8

const (
	KeyPrimary KeyKind = iota + 1
	KeyUnique
	KeyForeign
	KeyPartition
	KeyCluster
)

// Key is a key of a table, whole: a composite one is one Key.
// Shape: RefColumns pairs with Columns, for a foreign key only.
type Key struct {
	Kind       KeyKind
	Name       string
	Columns    []string
	Ref        TableRef
	RefColumns []string
	// Enforced: the engine enforces it whatever a session says, so that joins may rely on it.
	Enforced bool
}

// ScanSummary ends a scan.
type ScanSummary struct {
	// Tables that were sent, and the columns they came with.
	Tables, Columns int64
	// Since is the token for the next incremental scan, or "". It is a text of up to a
	// few megabytes that only the connector interprets.
	Since string
	// Complete: everything selected was sent or warned about. The host commits
	// a snapshot only then.
	Complete bool
	// BytesBilled are the bytes billed for the scan; 0 = unknown.
	BytesBilled int64
}

// ScanWriter receives a scan. An error from Table means: stop and return it.
type ScanWriter interface {
	Table(*Table) error
	Warning(Warning) error
	Progress(Progress)
}
