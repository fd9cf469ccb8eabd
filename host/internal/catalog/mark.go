package catalog

import (
	"slices"

	"github.com/loam-data/loam/sdk"
)

// The words for keys in the line of a column.
const (
	PrimaryMark   = "key"
	UniqueMark    = "unique"
	ForeignMark   = "fk"
	partitionMark = "partition"
	clusterMark   = "sorted"
)

var marks = map[sdk.KeyKind]string{
	sdk.KeyPrimary: PrimaryMark, sdk.KeyUnique: UniqueMark, sdk.KeyForeign: ForeignMark, sdk.KeyPartition: partitionMark, sdk.KeyCluster: clusterMark,
}

// Marks returns a word for each kind of key that a column is in, in the order of the table's keys; a unique key counts
// if it has no other column. linked = a foreign key that the warehouse does not declare has the column.
func Marks(t *sdk.Table, column string, linked bool) (all []string) {
	for _, k := range t.Keys {
		whole := k.Kind != sdk.KeyUnique || len(k.Columns) == 1
		if mark := marks[k.Kind]; whole && slices.Contains(k.Columns, column) && !slices.Contains(all, mark) {
			all = append(all, mark)
		}
	}
	if linked && !slices.Contains(all, ForeignMark) {
		all = append(all, ForeignMark)
	}
	return all
}
