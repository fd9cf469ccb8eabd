package connection

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Defaults and bounds of the scan settings of loam.yaml.
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

// Scan is the scan settings of a connection: which tables are scanned, and which
// of their values are kept. A zero field is not set.
type Scan struct {
	// Mode is ScanStructural or ScanEnriched.
	Mode string
	// Include and Exclude are globs over catalog.schema.table.
	Include, Exclude []string
	// ProfileViews profiles plain views too: each is a query of its own, of
	// unknown cost.
	ProfileViews bool
	// ForeignTables profiles tables of other servers and checks their
	// relationships, by queries that run there.
	ForeignTables bool
	// ProfileBudget bounds the time that profiles take.
	ProfileBudget time.Duration
	// MaxBytes bounds what the warehouse reads and bills for one scan.
	MaxBytes int64
	// ValuesPerColumn is the number of distinct values up to which all values of
	// a column are kept.
	ValuesPerColumn int
	// KeepValues and WithholdValues are globs over schema.table.column: columns
	// whose values are always kept, and columns whose values never are.
	// WithholdValues takes precedence.
	KeepValues, WithholdValues []string
	// WithholdRows: no sample rows are kept.
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

// Source changes when the configuration leads to another warehouse: a snapshot
// of one source is void for another.
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
