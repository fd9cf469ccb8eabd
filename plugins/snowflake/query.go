package snowflake

import (
	"context"

	"github.com/snowflakedb/gosnowflake"

	"github.com/loam-data/loam/sdk/sqlkit"
)

// maxTag is how long a QUERY_TAG may be, in characters.
const maxTag = 2000

// tagged gives a statement its tags, and a channel that its id comes through.
func tagged(ctx context.Context, tags map[string]string) (context.Context, <-chan string) {
	ids := make(chan string, 1)
	ctx = gosnowflake.WithQueryIDChan(ctx, ids)
	if len(tags) > 0 {
		tag := sqlkit.Tags(tags, "%s=%s", "&")
		ctx = gosnowflake.WithQueryTag(ctx, "loam&"+tag[:min(len(tag), maxTag-len("loam&"))])
	}
	return ctx, ids
}
