package conform

import (
	"sync"

	"github.com/loam-data/loam/sdk"
)

func queryLogChecks() []check {
	return []check{{"entries", queryLogEntries}}
}

// logCollector receives a query log.
type logCollector struct {
	p       *probe
	entries []sdk.QueryLogEntry

	mu   sync.Mutex
	last map[string]sdk.Progress
}

func (c *logCollector) Entry(e sdk.QueryLogEntry) error {
	c.entries = append(c.entries, e)
	return nil
}

func (c *logCollector) Progress(progress sdk.Progress) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last == nil {
		c.last = map[string]sdk.Progress{}
	}
	watchProgress(c.p, c.last, progress)
}

func queryLogEntries(p *probe) {
	logger := ability[sdk.QueryLogger](p, p.run.description.Capabilities.QueryLog, "a log of past queries is")
	for range 3 { // something to find
		p.query(p.rowsSQL(1), sdk.Limits{})
	}
	const most = 2
	c := &logCollector{p: p}
	var err error
	p.within(patience, "the query log", func() { err = logger.QueryLog(p.ctx, sdk.QueryLogRequest{MaxEntries: most}, c) })
	p.must("query log", err)
	if len(c.entries) == 0 || len(c.entries) > most {
		p.errorf("%d entries; 1 to %d were to come", len(c.entries), most)
	}
	for i, e := range c.entries {
		if e.SQL == "" || e.Executions < 1 || e.Rows < -1 || e.BytesRead < -1 {
			p.errorf("entry %d: SQL of %d bytes, %d executions, %d rows, %d bytes read", i+1, len(e.SQL), e.Executions, e.Rows, e.BytesRead)
		}
		if i > 0 && !e.StartedAt.IsZero() && e.StartedAt.After(c.entries[i-1].StartedAt) {
			p.errorf("entry %d is newer than the one before it", i+1)
		}
	}
}
