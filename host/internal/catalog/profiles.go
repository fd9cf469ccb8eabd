package catalog

import (
	"slices"
	"sync"
	"unsafe"

	"github.com/loam-data/loam/sdk"
)

const (
	// maxProfiles and maxProfileBytes bound the profiles that a snapshot keeps decoded:
	// a query looks at those of a few tables, again and again.
	maxProfiles     = 64
	maxProfileBytes = 4 << 20
)

// profiles are the decoded profiles of a snapshot that were used last.
// Concurrency: any number of goroutines.
type profiles struct {
	mu   sync.Mutex
	all  []keptProfile // the longest unused first
	size int
}

type keptProfile struct {
	position int
	profile  *Profile
	size     int
}

func (p *profiles) get(position int) (*Profile, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := p.find(position)
	if at < 0 {
		return nil, false
	}
	one := p.all[at]
	copy(p.all[at:], p.all[at+1:])
	p.all[len(p.all)-1] = one
	return one.profile, true
}

func (p *profiles) find(position int) int {
	return slices.IndexFunc(p.all, func(k keptProfile) bool { return k.position == position })
}

// put keeps a profile that was decoded from a block of so many bytes, unless another
// goroutine did: all readers get one profile.
func (p *profiles) put(position int, profile *Profile, block int) *Profile {
	one := keptProfile{position, profile, block + profile.bytes()}
	p.mu.Lock()
	defer p.mu.Unlock()
	if at := p.find(position); at >= 0 {
		return p.all[at].profile
	}
	if one.size > maxProfileBytes {
		return profile
	}
	gone := 0
	for len(p.all)-gone == maxProfiles || p.size+one.size > maxProfileBytes {
		p.size -= p.all[gone].size
		gone++
	}
	p.all = append(slices.Delete(p.all, 0, gone), one)
	p.size += one.size
	return profile
}

// bytes is about what a profile takes in memory beside its texts.
func (p *Profile) bytes() int {
	n := len(p.Stats)*int(unsafe.Sizeof(sdk.ColumnStats{})) + len(p.Withheld)*int(unsafe.Sizeof(Withheld{}))
	for i := range p.Stats {
		s := &p.Stats[i]
		n += (len(s.Values)+len(s.Quantiles))*int(unsafe.Sizeof("")) + (len(s.Counts)+len(s.Sketch))*8
	}
	for i := range p.Cells {
		n += int(unsafe.Sizeof(Cells{})) + len(p.Cells[i].Values)*int(unsafe.Sizeof("")+unsafe.Sizeof(&n))
	}
	return n
}

// Column returns the statistics of a column; nil = none.
func (p *Profile) Column(name string) *sdk.ColumnStats {
	if at := slices.IndexFunc(p.Stats, func(s sdk.ColumnStats) bool { return s.Column == name }); at >= 0 {
		return &p.Stats[at]
	}
	return nil
}

// Sample returns the sampled values of a column; nil where there are none.
func (p *Profile) Sample(column string) []*string {
	if at := slices.IndexFunc(p.Cells, func(c Cells) bool { return c.Column == column }); at >= 0 {
		return p.Cells[at].Values
	}
	return nil
}

// Rows returns the number of sample rows.
func (p *Profile) Rows() int {
	if p == nil || len(p.Cells) == 0 {
		return 0
	}
	return len(p.Cells[0].Values)
}

// Repeats reports whether several rows are known to have the same value of a column.
func (p *Profile) Repeats(column string) bool {
	c := p.Column(column)
	return c != nil && !c.DistinctApprox && c.Distinct > 0 && c.Distinct < c.Rows-c.Nulls
}

// Clone returns a copy whose columns may be changed; their lists are shared.
func (p *Profile) Clone() *Profile {
	own := *p
	own.Stats, own.Withheld, own.Cells = slices.Clone(p.Stats), slices.Clone(p.Withheld), slices.Clone(p.Cells)
	return &own
}
