package testserver

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// statementLimit is how long a statement of a test takes at most. None takes a
// third of it on a busy machine: one that is still running waits for what never
// comes.
const statementLimit = 3 * time.Minute

// limited runs a statement of a test and ends it after the limit. The error then
// has the rows of show, which say what the server was busy with.
func limited(ctx context.Context, limit time.Duration, run func(context.Context) error, show func(context.Context) ([][]string, error)) error {
	within, end := context.WithCancelCause(ctx)
	defer end(nil)
	timer := time.AfterFunc(limit, func() {
		brief, stop := context.WithTimeout(ctx, 10*time.Second)
		defer stop()
		rows, err := show(brief)
		var busy strings.Builder
		for _, row := range rows {
			busy.WriteString("\n  " + strings.Join(row, " | "))
		}
		end(errors.Join(fmt.Errorf("it took longer than %s; the server was busy with:%s", limit, busy.String()), err))
	})
	defer timer.Stop()
	err := run(within)
	if err != nil && within.Err() != nil {
		return errors.Join(err, context.Cause(within))
	}
	return err
}
