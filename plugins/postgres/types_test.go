package postgres

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/loam-data/loam/sdk"
)

// What other statements forget while a type is looked up is looked up again.
func TestTypesForgottenOnTheWay(t *testing.T) {
	t.Parallel()
	const element, array = 90_001, 90_002
	known := &types{}
	learn := func(now time.Time) {
		known.learn([]typeRow{{oid: element, kind: 'b'}, {oid: array, kind: 'b', part: element, delim: ','}}, map[typeName]string{{array, -1}: "mood[]"}, now)
	}
	now := time.Now()
	for name, c := range map[string]struct {
		forget func(lookup int)
		want   sdk.Kind
	}{
		"nobody": {func(int) {}, ""},
		"once, because they are old": {func(lookup int) {
			if lookup == 1 {
				known.columns(nil, now.Add(2*typeAge))
			}
		}, ""},
		"always": {func(int) { known.drop() }, sdk.KindConflict},
	} {
		known.drop()
		lookups := 0
		err := settle(func() []typeName {
			_, missing := known.columns([]pgconn.FieldDescription{{Name: "v", DataTypeOID: array, TypeModifier: -1}}, now)
			return missing
		}, func([]typeName) error {
			lookups++
			learn(now)
			c.forget(lookups)
			return nil
		})
		if sdk.KindOf(err) != c.want {
			t.Errorf("%s forgets: %v after %d lookups", name, err, lookups)
		}
	}
}
