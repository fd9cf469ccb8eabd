package connection

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// What loam.yaml may ask of a scan, and what it gets when it says nothing.
const (
	DefaultProfileBudget   = 10 * time.Minute
	MaxProfileBudget       = 7 * 24 * time.Hour
	DefaultValuesPerColumn = 1000
	MaxValuesPerColumn     = 100_000
	// DefaultScanBytes is MaxBytes where a warehouse bills by bytes.
	DefaultScanBytes = 10 << 30
	MinScanBytes     = 1 << 20
	MaxScanBytes     = 1 << 50

	ScanStructural = "structural"
	ScanEnriched   = "enriched"
)

// Scan says what a connection's scans look at and what they keep. A zero field
// was not set.
type Scan struct {
	// Mode is ScanStructural or ScanEnriched.
	Mode string
	// Include and Exclude are globs over catalog.schema.table.
	Include, Exclude []string
	// ProfileViews has plain views profiled too: each is a query of its own, of
	// whatever cost.
	ProfileViews bool
	// ForeignTables has tables of other servers profiled, and their relationships
	// checked: each is a query that runs there.
	ForeignTables bool
	// ProfileBudget bounds the time that profiles take.
	ProfileBudget time.Duration
	// MaxBytes is what a scan may have the warehouse read and bill.
	MaxBytes int64
	// ValuesPerColumn is up to how many distinct values a column's whole list is
	// kept.
	ValuesPerColumn int
	// KeepValues and WithholdValues are globs over schema.table.column: whose
	// values are kept whatever they look like, and whose never are. The latter go
	// first.
	KeepValues, WithholdValues []string
	// WithholdRows keeps no rows of tables.
	WithholdRows bool
}

// OrDefault returns the settings with the mode, the budget and the number of
// values filled in.
func (s Scan) OrDefault() Scan {
	if s.Mode == "" {
		s.Mode = ScanEnriched
	}
	if s.ProfileBudget == 0 {
		s.ProfileBudget = DefaultProfileBudget
	}
	if s.ValuesPerColumn == 0 {
		s.ValuesPerColumn = DefaultValuesPerColumn
	}
	return s
}

// Source changes when the connection leads to another warehouse, as far as its
// configuration tells: what was scanned under another one says nothing of it.
// Shape: 32 hexadecimal digits. A secret's value has no part in it.
func (c Connection) Source() string { return c.digest(c.Connector, c.Config) }

// digest returns a hash of parts of the configuration.
func (c Connection) digest(parts ...any) string {
	text, err := json.Marshal(parts)
	if err != nil {
		panic(fmt.Sprintf("connection: configuration of %s is no JSON: %v", c.ID, err))
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

// ShortDuration is d.String() without the parts that are zero: "1m", not "1m0s".
func ShortDuration(d time.Duration) string {
	text := d.String()
	if d%time.Minute == 0 {
		text = strings.TrimSuffix(text, "0s")
	}
	if d%time.Hour == 0 {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
