package discover

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// facts describes a table as a whole: its size, grain, partitions, copies and profile.
// Errors: those of reading the snapshot.
func (l *entityReader) facts(position int, t *catalog.Table, p *catalog.Profile) (facts []string, err error) {
	if t.ByteEstimate > 0 {
		facts = append(facts, size(t.ByteEstimate))
	}
	if grain := grainOf(&t.Table); grain != "" {
		facts = append(facts, "one row per "+grain)
	}
	for _, k := range t.Keys {
		switch k.Kind {
		case sdk.KeyPartition:
			facts = append(facts, "partitioned by "+strings.Join(k.Columns, ", "))
		case sdk.KeyCluster:
			facts = append(facts, "sorted by "+strings.Join(k.Columns, ", "))
		}
	}
	if by := t.Properties["partition_by"]; by != "" && !slices.ContainsFunc(t.Keys, func(k sdk.Key) bool { return k.Kind == sdk.KeyPartition }) {
		facts = append(facts, "partitioned by "+flat(by))
	}
	if server := t.Properties[sdk.PropertyForeignServer]; server != "" {
		facts = append(facts, "on foreign server "+server)
	}
	copies, err := l.copies(position)
	if err != nil {
		return nil, err
	}
	if n := len(copies); n > 0 {
		facts = append(facts, fmt.Sprintf("%s of the same columns, the last %s", text.Count(n, "other table"), copies[0]))
	}
	switch {
	case p == nil:
		facts = append(facts, "no profile: ranges and values are not known")
	case len(p.Stats) > 0 && !p.Stats[0].Complete:
		facts = append(facts, fmt.Sprintf("profile of %s", text.Count(p.Stats[0].Rows, "sampled row")))
	}
	return facts, nil
}

// grainOf returns the columns that identify a row: the primary key, else the first unique key;
// "" = neither.
func grainOf(t *sdk.Table) string {
	for _, kind := range []sdk.KeyKind{sdk.KeyPrimary, sdk.KeyUnique} {
		for _, k := range t.Keys {
			if k.Kind == kind && len(k.Columns) > 0 {
				return strings.Join(k.Columns, ", ")
			}
		}
	}
	return ""
}

// size formats a number of bytes with three digits and a decimal unit, such as "1.23 GB".
func size(bytes int64) string {
	n, unit := float64(bytes), 0
	units := []string{"bytes", "KB", "MB", "GB", "TB", "PB"}
	for ; n >= 1000 && unit < len(units)-1; unit++ {
		n /= 1000
	}
	if unit == 0 {
		return fmt.Sprintf("%d bytes", bytes)
	}
	return fmt.Sprintf("%.3g %s", n, units[unit])
}

// copies returns the other tables with the same columns and a name that differs only in its
// digits, highest digits first; none when there are fewer than relationship.LeastCopies.
// Errors: those of reading the snapshot.
func (l *entityReader) copies(position int) (names []string, err error) {
	entry := l.snapshot.Entry(position)
	digits := strings.IndexFunc(entry.Name, unicode.IsDigit)
	if digits < 0 {
		return nil, nil
	}
	family, head := familyOf(entry), entry.Name[:digits]
	var shape catalog.Hash
	for i, other := range l.snapshot.Entries() {
		if i == position || other.Columns != entry.Columns || !strings.HasPrefix(other.Name, head) || familyOf(other) != family {
			continue
		}
		if shape == (catalog.Hash{}) {
			if shape, err = l.snapshot.Shape(position); err != nil {
				return nil, err
			}
		}
		if has, err := l.snapshot.Shape(i); err != nil {
			return nil, err
		} else if has == shape {
			names = append(names, catalog.Display(other.TableRef))
		}
	}
	if len(names)+1 < relationship.LeastCopies {
		return nil, nil
	}
	slices.SortFunc(names, func(a, b string) int { return text.CompareInFamily(b, a) })
	return names, nil
}

// Find returns the position of a table by its name, see catalog.Snapshot.Find. A name that no
// table has may be the common part of one family of copies, as orders is of orders_20240101:
// then Find returns the newest, with a note.
// Errors: those of Snapshot.Find, and of reading the snapshot.
func Find(snapshot *catalog.Snapshot, d *dialect.Dialect, name string) (position int, note string, err error) {
	position, err = snapshot.Find(d, name)
	if sdk.KindOf(err) != sdk.KindNotFound {
		return position, "", err
	}
	l, families := entityReader{snapshot: snapshot}, 0
	for _, at := range snapshot.Families(d, name) {
		others, wrong := l.copies(at)
		if wrong != nil {
			return 0, "", wrong
		}
		if len(others) > 0 {
			families++
			position = at
			note = fmt.Sprintf("%q is short for %d tables of the same columns: %s is the newest.", brief(name), len(others)+1, catalog.Display(snapshot.Entry(at).TableRef))
		}
	}
	if families != 1 {
		return 0, "", err
	}
	return position, note, nil
}

// familyOf returns the key of a family of copies: the schema, and the name without digits.
func familyOf(e catalog.Entry) string {
	pattern, _ := text.Family(e.Name)
	return e.Catalog + "\x00" + e.Schema + "\x00" + pattern
}
