package job

import (
	"context"
	"encoding/json"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/sdk"
)

// table is a table in the artifact tables, without profiles.
type table struct {
	Name        string   `json:"name"`
	Kind        string   `json:"kind"`
	Description *string  `json:"description"`
	RowCount    *int64   `json:"rowCount"` // an estimate
	Columns     []column `json:"columns"`
	Keys        []key    `json:"keys"`
}

type column struct {
	Name        string  `json:"name"`
	Type        string  `json:"type"`
	NativeType  string  `json:"nativeType"`
	Nullable    bool    `json:"nullable"`
	Description *string `json:"description"`
}

type key struct {
	Kind       string   `json:"kind"`
	Columns    []string `json:"columns"`
	RefTable   *string  `json:"refTable"`
	RefColumns []string `json:"refColumns,omitempty"`
}

// keyKinds are the words for kinds of keys.
var keyKinds = map[sdk.KeyKind]string{sdk.KeyPrimary: "primary", sdk.KeyUnique: "unique", sdk.KeyForeign: "foreign", sdk.KeyPartition: "partition", sdk.KeyCluster: "cluster"}

// writeTables writes a line per table.
func writeTables(ctx context.Context, s *scanned, e *json.Encoder) error {
	for i := range s.snapshot.Len() {
		t, err := s.snapshot.At(i)
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := e.Encode(tableOf(t)); err != nil {
			return err
		}
	}
	return nil
}

func tableOf(t *catalog.Table) table {
	out := table{Name: catalog.Display(t.TableRef), Kind: string(t.Kind), Description: optional(t.Comment), Columns: []column{}, Keys: []key{}}
	if t.RowEstimate >= 0 {
		out.RowCount = &t.RowEstimate
	}
	for i := range t.Columns {
		c := &t.Columns[i]
		out.Columns = append(out.Columns, column{c.Name, c.Type.String(), c.NativeType, c.Nullable, optional(c.Comment)})
	}
	for _, k := range t.Keys {
		one := key{Kind: keyKinds[k.Kind], Columns: k.Columns, RefColumns: k.RefColumns}
		if k.Kind == sdk.KeyForeign {
			name := catalog.Display(k.Ref)
			one.RefTable = &name
		}
		out.Keys = append(out.Keys, one)
	}
	return out
}

// difference is how a snapshot differs from the one before, by the names of tables.
type difference struct {
	From    string   `json:"fromSyncId"`
	To      string   `json:"toSyncId"`
	Added   []string `json:"added"`
	Removed []string `json:"removed"`
	Changed []string `json:"changed"`
}

func writeDiff(ctx context.Context, s *scanned, e *json.Encoder) error {
	d, err := catalog.Compare(ctx, s.before, s.snapshot)
	if err != nil {
		return err
	}
	out := difference{From: s.before.SyncID, To: s.snapshot.SyncID, Added: names(d.Added), Removed: names(d.Removed), Changed: []string{}}
	for _, c := range d.Changed {
		out.Changed = append(out.Changed, catalog.Display(c.TableRef))
	}
	return e.Encode(out)
}

func names(refs []sdk.TableRef) []string {
	all := make([]string, len(refs))
	for i, r := range refs {
		all[i] = catalog.Display(r)
	}
	return all
}
