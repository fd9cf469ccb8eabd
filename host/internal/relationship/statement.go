package relationship

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

const (
	// maxDistinct is how many distinct values of a child are looked for at most.
	maxDistinct = 100_000
	// sampledAbove is the size of a child from which on a random choice of about
	// sampledRows is looked at, where the dialect can write one.
	sampledAbove, sampledRows = 5_000_000, 1_000_000
)

// Statements returns alternative queries that validate a candidate: the first that
// the engine accepts is enough; rows is the child's number of rows, as far as
// known.
// Shape: each returns one row: the number of checked values, of those that the
// parent has, and of the parent's duplicate keys (0 when not counted, else at most
// 1).
func (c Candidate) Statements(d *dialect.Dialect, rows int64) []string {
	q := question{d: d, c: c}
	child := q.table(c.From)
	chosen := child
	if rows > sampledAbove {
		percent := strconv.FormatFloat(100*sampledRows/float64(rows), 'f', 6, 64)
		if sample, ok := d.Expand(dialect.Sample, map[string]string{"table": child, "percent": percent}); ok {
			chosen = sample
		}
	}
	return []string{q.join(chosen), q.member(child)}
}

// question writes the queries for one candidate.
type question struct {
	d *dialect.Dialect
	c Candidate
}

func (q question) table(ref sdk.TableRef) string {
	var parts []string
	for _, part := range []string{ref.Catalog, ref.Schema, ref.Name} {
		if part != "" {
			parts = append(parts, q.d.QuoteIdentifier(part))
		}
	}
	return strings.Join(parts, ".")
}

// each writes something for each of several columns.
func (q question) each(columns []string, separator string, write func(i int, quoted string) string) string {
	all := make([]string, len(columns))
	for i, column := range columns {
		all[i] = write(i, q.d.QuoteIdentifier(column))
	}
	return strings.Join(all, separator)
}

// first bounds a query to n rows; list is what follows SELECT.
func (q question) first(n int, list, rest string) string {
	switch q.d.Limit {
	case dialect.LimitTop:
		distinct, plain := strings.CutPrefix(list, "DISTINCT ")
		if plain {
			return fmt.Sprintf("SELECT DISTINCT TOP (%d) %s %s", n, distinct, rest)
		}
		return fmt.Sprintf("SELECT TOP (%d) %s %s", n, list, rest)
	case dialect.LimitFetch:
		return fmt.Sprintf("SELECT %s %s FETCH FIRST %d ROWS ONLY", list, rest, n)
	}
	return fmt.Sprintf("SELECT %s %s LIMIT %d", list, rest, n)
}

// values is the child's distinct values as k0, k1, ….
func (q question) values(from string) string {
	list := q.each(q.c.Columns, ", ", func(i int, quoted string) string { return fmt.Sprintf("%s AS k%d", quoted, i) })
	some := q.each(q.c.Columns, " AND ", func(_ int, quoted string) string { return quoted + " IS NOT NULL" })
	return q.first(maxDistinct, "DISTINCT "+list, "FROM "+from+" WHERE "+some)
}

// twice counts a key of the parent that comes more than once.
func (q question) twice() string {
	if q.c.Unique {
		return "0"
	}
	keys := q.each(q.c.ToColumns, ", ", func(_ int, quoted string) string { return quoted })
	some := q.each(q.c.ToColumns, " AND ", func(_ int, quoted string) string { return quoted + " IS NOT NULL" })
	grouped := q.first(1, keys, "FROM "+q.table(q.c.To)+" WHERE "+some+" GROUP BY "+keys+" HAVING COUNT(*) > 1")
	return "(SELECT COUNT(*) FROM (" + grouped + ") AS d)"
}

// join reads the child once. What the join adds to a value without a match may
// be NULL or 0, but is not 1.
func (q question) join(from string) string {
	parent := "SELECT "
	if !q.c.Unique {
		parent = "SELECT DISTINCT "
	}
	parent += q.each(q.c.ToColumns, ", ", func(i int, quoted string) string { return fmt.Sprintf("%s AS r%d", quoted, i) })
	on := q.each(q.c.Columns, " AND ", func(i int, _ string) string { return fmt.Sprintf("p.r%d = c.k%d", i, i) })
	return fmt.Sprintf("SELECT COUNT(*) AS checked, SUM(CASE WHEN p.hit = 1 THEN 1 ELSE 0 END) AS found, %s AS twice FROM (%s) AS c LEFT JOIN (%s, 1 AS hit FROM %s) AS p ON %s",
		q.twice(), q.values(from), parent, q.table(q.c.To), on)
}

// member is for engines that join in another way: it reads the child twice.
func (q question) member(from string) string {
	keys := q.each(q.c.Columns, ", ", func(i int, _ string) string { return fmt.Sprintf("k%d", i) })
	if len(q.c.Columns) > 1 {
		keys = "(" + keys + ")"
	}
	parent := q.each(q.c.ToColumns, ", ", func(_ int, quoted string) string { return quoted })
	none, _ := q.d.Expand(dialect.EmptyFrom, nil)
	return strings.TrimSpace(fmt.Sprintf("SELECT (SELECT COUNT(*) FROM (%s) AS c) AS checked, (SELECT COUNT(*) FROM (%s) AS c WHERE %s IN (SELECT %s FROM %s)) AS found, %s AS twice %s",
		q.values(from), q.values(from), keys, parent, q.table(q.c.To), q.twice(), none))
}
