package bigquery

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	bq "google.golang.org/api/bigquery/v2"
)

// catalog is what BigQuery knows of datasets and tables and DuckDB does not hold.
type catalog struct {
	project  string
	location string // of datasets that name none

	mu       sync.RWMutex
	datasets map[string]*dataset
	closed   map[string]map[string]bool // datasets that an account may not read; "" = nobody may
	version  int                        // grows with each change
}

type dataset struct {
	id, location, description string
	labels                    map[string]string
	created                   time.Time
	tables                    map[string]*table
}

type table struct {
	dataset, id, kind string // TABLE, VIEW, MATERIALIZED_VIEW, EXTERNAL, SNAPSHOT
	fields            []*bq.TableFieldSchema
	options           []option
	partition         *bq.TimePartitioning
	ranges            *bq.RangePartitioning
	clustering        []string
	query             string // of a view
	constraints       *bq.TableConstraints
	created           time.Time
	ddl               string
}

// option is one of OPTIONS (…): its value as text, and as the statement has it.
type option struct {
	name, typ, source, text string
	labels                  map[string]string
}

func (t *table) option(name string) string {
	for _, o := range t.options {
		if o.name == name {
			return o.text
		}
	}
	return ""
}

func (c *catalog) find(dataset, table string) *table {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if d := c.datasets[dataset]; d != nil {
		return d.tables[table]
	}
	return nil
}

// change applies a change to the catalogue.
func (c *catalog) change(apply func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	apply()
	c.version++
}

// deniedTo is whether an account may not read a dataset.
func (c *catalog) deniedTo(user, dataset string) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.closed[dataset][user] || c.closed[dataset][""]
}

// readable says why an account cannot query a table: names are case-sensitive.
func (c *catalog) readable(user, dataset, table string) error {
	c.mu.RLock()
	d := c.datasets[dataset]
	var found bool
	if d != nil {
		found = d.tables[table] != nil
	}
	c.mu.RUnlock()
	full := c.project + ":" + dataset + "." + table
	switch {
	case d == nil:
		return missing("Dataset %s:%s was not found in location %s", c.project, dataset, c.location)
	case c.deniedTo(user, dataset):
		return denied("Table %s: User does not have permission to query table %s, or perhaps it does not exist.", full, full)
	case !found:
		return missing("Table %s was not found in location %s", full, d.location)
	}
	return nil
}

// locationOf is where a dataset is; "" when there is none.
func (c *catalog) locationOf(dataset string) string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if d := c.datasets[dataset]; d != nil {
		return d.location
	}
	return ""
}

// sorted returns the datasets by name.
func (c *catalog) sorted() []*dataset {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return slices.SortedFunc(maps.Values(c.datasets), func(a, b *dataset) int { return strings.Compare(a.id, b.id) })
}

// sortedTables returns a dataset's tables by name.
func (c *catalog) sortedTables(d *dataset) []*table {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return slices.SortedFunc(maps.Values(d.tables), func(a, b *table) int { return strings.Compare(a.id, b.id) })
}

func (c *catalog) dataset(id string) *dataset {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.datasets[id]
}

// current is the catalogue's version.
func (c *catalog) current() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.version
}
