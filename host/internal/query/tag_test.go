package query

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/telemetry"
	"github.com/loam-data/loam/sdk"
)

func TestTagsAreThoseThatTheEngineTakes(t *testing.T) {
	t.Parallel()
	ctx, call := telemetry.Begin(t.Context(), nil)
	call.From("sql_execution", "Some Agent\n2")
	named := caller.With(ctx, &caller.Caller{Principal: "Ada Löv", Named: true})
	s := &Service{project: "Shop.EU"}
	for _, tt := range []struct {
		name  string
		ctx   context.Context
		rules sdk.TagRules
		want  map[string]string
	}{
		{"a connector of 1.0", named, sdk.TagRules{}, map[string]string{"principal": "Ada Löv"}},
		{"a connector of 1.0, nobody named", ctx, sdk.TagRules{}, nil},
		{"any text", named, sdk.TagRules{MaxTags: 9, Characters: "*"}, map[string]string{
			"principal": "Ada Löv", "client": "Some Agent_2", "tool": "sql_execution", "project": "Shop.EU", "request_id": "r1", "product": "loam",
		}},
		{"labels", named, sdk.TagRules{MaxTags: 9, MaxKeyChars: 63, MaxValueChars: 6, Characters: "_-", LowerCase: true}, map[string]string{
			"principal": "ada_l_", "client": "some_a", "tool": "sql_ex", "project": "shop_e", "request_id": "r1", "product": "loam",
		}},
		{"letters alone", ctx, sdk.TagRules{MaxTags: 9}, map[string]string{
			"client": "SomeAgent2", "tool": "sqlexecution", "project": "ShopEU", "requestid": "r1", "product": "loam",
		}},
		{"two", named, sdk.TagRules{MaxTags: 2, Characters: "*"}, map[string]string{"principal": "Ada Löv", "client": "Some Agent_2"}},
		{"few bytes", named, sdk.TagRules{MaxTags: 9, MaxBytes: 28, Characters: "*"}, map[string]string{"principal": "Ada Löv", "product": "loam"}},
		{"outside of a call", t.Context(), sdk.TagRules{MaxTags: 9, Characters: "*"}, map[string]string{
			"project": "Shop.EU", "request_id": "r1", "product": "loam",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, s.Tags(tt.ctx, tt.rules, "r1")); diff != "" {
				t.Errorf("tags (-want +got):\n%s", diff)
			}
		})
	}
}
