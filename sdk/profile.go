package sdk

// ProfileRequest asks for statistics and a sample of one table.
type ProfileRequest struct {
	Table TableRef
	// Columns to profile; none = all.
	Columns []string
	// SampleRows is how many random rows to read, over the whole table and
	// never its head; 0 = no sample rows.
	SampleRows int
	// MaxValues is the distinct count up to which a column's whole value list is
	// wanted; above it the TopValues most frequent. 0 = no values.
	MaxValues, TopValues int
	// Quantiles wanted of numbers and times, each in (0,1).
	Quantiles []float64
	// SketchSize is the k of the bottom-k sketch of key-like columns; 0 = none.
	SketchSize int
	Limits     Limits
	// MaxBytesScanned is the budget where the engine bills by bytes; 0 = none.
	MaxBytesScanned int64
}

// ColumnStats are the statistics of one column.
// Shape: Values pairs with Counts, most frequent first; values are text in the
// form the JSON results use; nil Min and Max mean that there was no value to
// compare.
// Units: a value of more than 512 bytes is counted, but neither listed nor a
// bound, and the Values of a column are at most 100 KiB.
type ColumnStats struct {
	Column string
	// Rows that were read; Complete: they are the whole table.
	Rows     int64
	Complete bool
	Nulls    int64
	// Distinct non-NULL values among Rows; -1 = not counted.
	Distinct       int64
	DistinctApprox bool
	Min, Max       *string
	Quantiles      []string // as many as were asked for, or none
	// MinLength, MaxLength and AvgLength of text, in characters; -1 = not text.
	MinLength, MaxLength int64
	AvgLength            float64
	Values               []string
	Counts               []int64
	// ValuesComplete: Values holds every distinct value of Rows.
	ValuesComplete bool
	// Sketch holds the k smallest 64-bit hashes of the distinct values (FNV-1a
	// over the value's text, then the murmur3 finaliser), ascending.
	Sketch []uint64
}

// ProfileWriter receives a profile: the sample's columns and batches if one was
// asked for, then one ColumnStats per column.
type ProfileWriter interface {
	Sample() *RowWriter
	Stats(ColumnStats) error
	Warning(Warning) error
	Progress(Progress)
}
