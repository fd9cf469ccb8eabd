package oracle_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/semantic/oracle"
)

// The foreign keys of random worlds survive being written, their rows keep those that are enforced,
// and a row that breaks one is seen.
func TestEnforcedKeys(t *testing.T) {
	t.Parallel()
	enforced, declared, composite := 0, 0, 0
	for n := range uint64(200) {
		c := oracle.NewGenerator(*seed, n).World()
		if broken := c.Broken(); broken != "" {
			t.Fatalf("case %d: %s", n, broken)
		}
		tables, _, err := oracle.ParseTables(oracle.FormatTables(c.Tables, c.Data))
		if err != nil {
			t.Fatal(err)
		}
		for i, table := range c.Tables {
			if diff := cmp.Diff(table.ForeignKeys, tables[i].ForeignKeys); diff != "" {
				t.Fatalf("case %d: %s (-want +got):\n%s", n, table.Ref.Name, diff)
			}
			for _, k := range table.ForeignKeys {
				if declared++; !k.Enforced {
					continue
				}
				if enforced++; len(k.Columns) > 1 {
					composite++
				}
			}
		}
	}
	if composite == 0 || enforced == declared {
		t.Errorf("%d keys, %d of them enforced, %d of those composite", declared, enforced, composite)
	}
	tables, data, err := oracle.ParseTables("a id:int!\n1\n\nb id:int! a_id:int>a.id c_id:int?a.id\n1 | 2 | 9\n")
	if err != nil {
		t.Fatal(err)
	}
	c := &oracle.Case{Tables: tables, Data: data}
	if got := c.Broken(); !strings.HasPrefix(got, "b(a_id) has 2") {
		t.Errorf("a row that breaks a key: %q", got)
	}
}
