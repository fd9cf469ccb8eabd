package scan

import (
	"sync"

	"github.com/dustin/go-humanize"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/sdk"
)

// purse bounds what a scan may have the warehouse bill, where it bills by bytes.
// Concurrency: any number of goroutines.
type purse struct {
	limit int64 // 0 = no bound

	mu     sync.Mutex
	billed int64
}

// newPurse returns the budget of a scan: what the connection says, else a default where
// statements are billed by bytes.
func newPurse(settings connection.Scan, billing sdk.Billing) *purse {
	limit := settings.MaxBytes
	if limit == 0 && billing == sdk.BillingBytes {
		limit = connection.DefaultScanBytes
	}
	return &purse{limit: limit}
}

// left is what the next query may read: 0 = no bound. Nothing may run when it is over.
func (p *purse) left() (bytes int64, over bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.limit == 0 {
		return 0, false
	}
	return p.limit - p.billed, p.billed >= p.limit
}

// pay adds what a query cost; what it scanned where the engine does not say what it bills.
func (p *purse) pay(s sdk.Summary) {
	bytes := s.BytesBilled
	if bytes == 0 && p.limit > 0 {
		bytes = s.BytesScanned
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.billed += bytes
}

func (p *purse) spent() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.billed
}

// String is the bound in words.
func (p *purse) String() string { return humanize.IBytes(uint64(p.limit)) }
