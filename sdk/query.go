package sdk

import "time"

// Value is one bound parameter: nil, bool, int64, float64, string or []byte.
type Value any

// Limits bound one result. A zero field is "no limit of the caller's own".
type Limits struct {
	MaxRows  int64
	MaxBytes int64 // encoded bytes of all batches
	// MaxCellBytes clips longer TEXT and BYTES cells (visibly, see
	// Summary.CellsClipped); a longer cell of another type is KindLimit. 0 = 1 MiB.
	MaxCellBytes int
	// Timeout is for the engine; the context's deadline is the caller's own.
	Timeout time.Duration
	// BatchRows and BatchBytes bound one batch; 0 = 2,048 rows, 1 MiB.
	BatchRows  int
	BatchBytes int
	// MaxBytesScanned bounds the bytes that the engine reads, where it bills by bytes: it
	// refuses or stops a statement that needs more, with KindLimit.
	MaxBytesScanned int64
}

// ExecuteRequest is one statement to run.
type ExecuteRequest struct {
	RequestID string // for logs and the warehouse's own query tag
	SQL       string
	Params    []Value
	Limits    Limits
	Tags      map[string]string
}

// TruncatedBy is the limit that truncated a result; "" = it is complete.
type TruncatedBy string

const (
	TruncatedNot     TruncatedBy = ""
	TruncatedByRows  TruncatedBy = "rows"
	TruncatedByBytes TruncatedBy = "bytes"
)

// Summary ends a result.
type Summary struct {
	Rows         int64
	Bytes        int64
	TruncatedBy  TruncatedBy
	CellsClipped int64
	Elapsed      time.Duration
	// BytesScanned is the engine's own figure; 0 = it gave none.
	BytesScanned int64
	// BytesBilled may differ from BytesScanned; 0 = unknown.
	BytesBilled int64
	QueryID     string
}

// ExplainRequest asks for a plan. The statement is never run.
type ExplainRequest struct {
	SQL     string
	Params  []Value
	Timeout time.Duration
}

// Explanation is a plan. A negative estimate means the engine gave none.
type Explanation struct {
	Format           string // "text", "json", "xml"
	Text             string
	EstimatedRows    int64
	EstimatedBytes   int64
	EstimatedCostUSD float64
}

// ValidateRequest asks whether a statement would run.
type ValidateRequest struct {
	SQL     string
	Timeout time.Duration
}

// Validation is the result of planning or preparing a statement. Validate returns one only
// for a statement that the engine accepted as a read.
type Validation struct {
	// Columns of the result, where the engine names them before running. A type that depends
	// on the values is TypeUnspecified, or the declared type.
	Columns []Column
	// Warnings such as an implicit cast that the engine reported.
	Warnings []Warning
	// StatementType is the engine's own word, "SELECT"; "" = it has none.
	StatementType string
	// Tables are the tables that the statement reads, where the engine reports them.
	Tables []TableRef
	// EstimatedBytes are the bytes that the statement would read. Without an Estimate it is
	// not set.
	EstimatedBytes int64
	Estimate       Estimate
}

// Estimate is the precision of an engine's figure; "" = there is no figure.
type Estimate string

const (
	EstimateExact Estimate = "exact"
	EstimateUpper Estimate = "upper_bound"
	EstimateGuess Estimate = "guess"
)

// QueryLogRequest asks for past queries, newest first.
type QueryLogRequest struct {
	Since, Until time.Time // zero = open
	MaxEntries   int       // 0 = 1,000
}

// QueryLogEntry is one past query, or several of the same shape.
type QueryLogEntry struct {
	QueryID     string
	SQL         string
	User        string
	StartedAt   time.Time // zero = unknown
	Elapsed     time.Duration
	Rows        int64 // -1 = unknown
	BytesRead   int64 // -1 = unknown
	Executions  int64 // how many runs the entry stands for, at least 1
	Fingerprint string
	Failed      bool
	// Database and SearchPath are where unqualified names of the text are looked up.
	Database    string
	SearchPath  []string
	Normalised  bool      // placeholders stand for literals
	Truncated   bool      // the text was cut, by the engine or on the way
	LastSeen    time.Time // of several executions; zero = unknown
	Application string
	BytesBilled int64 // 0 = unknown
}

// QueryLogWriter receives a query log.
type QueryLogWriter interface {
	Entry(QueryLogEntry) error
	Progress(Progress)
}
