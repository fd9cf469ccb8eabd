package connection_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/sdk"
)

func TestChoose(t *testing.T) {
	t.Parallel()
	first := func(ids ...connection.ID) func(connection.Connection) bool {
		return func(c connection.Connection) bool {
			for _, id := range ids {
				if c.ID == id {
					return true
				}
			}
			return false
		}
	}
	for _, tt := range []struct {
		name       string
		connected  []connection.ID
		named      connection.ID
		fits       []func(connection.Connection) bool
		want       connection.ID
		kind       sdk.Kind
		candidates []string
		says       string
	}{
		{name: "named", connected: []connection.ID{"a", "b"}, named: "b", want: "b"},
		{name: "named, and not there", connected: []connection.ID{"warehouse", "lake"}, named: "warehose", kind: sdk.KindNotFound, candidates: []string{"warehouse"}},
		{name: "none there", kind: sdk.KindNotFound},
		{name: "the only one", connected: []connection.ID{"a"}, want: "a"},
		{name: "the only one, which does not fit", connected: []connection.ID{"a"}, fits: []func(connection.Connection) bool{first()}, want: "a"},
		{name: "several", connected: []connection.ID{"b", "a"}, kind: sdk.KindInvalid, candidates: []string{"a", "b"}},
		{name: "the only one that fits", connected: []connection.ID{"a", "b"}, fits: []func(connection.Connection) bool{first("b"), first("a")}, want: "b"},
		{name: "the only one that fits second", connected: []connection.ID{"a", "b"}, fits: []func(connection.Connection) bool{first(), first("a")}, want: "a"},
		{name: "several fit", connected: []connection.ID{"a", "b", "c"}, fits: []func(connection.Connection) bool{first("b", "c")}, kind: sdk.KindInvalid, candidates: []string{"b", "c"}, says: "2 connections have what is asked for"},
		{name: "several fit second", connected: []connection.ID{"a", "b", "c"}, fits: []func(connection.Connection) bool{first(), first("b", "c")}, kind: sdk.KindInvalid, candidates: []string{"a", "b", "c"}, says: "none has all that is asked for"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var all []connection.Connection
			for _, id := range tt.connected {
				all = append(all, connection.Connection{ID: id})
			}
			registry, err := connection.New(all)
			if err != nil {
				t.Fatal(err)
			}
			got, err := registry.Choose(tt.named, tt.fits...)
			if tt.want != "" {
				if err != nil || got.ID != tt.want {
					t.Errorf("%s, %v; want %s", got.ID, err, tt.want)
				}
				return
			}
			e := sdk.AsError(err, sdk.SourceHost)
			if e == nil || e.Kind != tt.kind || e.Hint == "" || !strings.Contains(e.Msg, tt.says) {
				t.Fatalf("%s, %+v; want %s", got.ID, e, tt.kind)
			}
			if diff := cmp.Diff(tt.candidates, e.Candidates); diff != "" {
				t.Errorf("candidates (-want +got):\n%s", diff)
			}
		})
	}
}
