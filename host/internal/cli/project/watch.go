package project

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"
)

// watchEvery is how often the files are looked at.
const watchEvery = 300 * time.Millisecond

// watch calls run, and again whenever one of the files changes, also while it runs, until
// ctx ends. It waits until a change is whole: until two looks in succession see the same.
// files is asked before each run.
func watch(ctx context.Context, files func() []string, run func()) {
	for ctx.Err() == nil {
		watched := files()
		before := stamp(watched)
		run()
		for seen, last := stamp(watched), ""; seen == before || seen != last; {
			select {
			case <-ctx.Done():
				return
			case <-time.After(watchEvery):
			}
			seen, last = stamp(watched), seen
		}
	}
}

// stamp is another text when a file was written, made or removed.
func stamp(files []string) string {
	var b strings.Builder
	for _, name := range files {
		if info, err := os.Stat(name); err == nil {
			fmt.Fprint(&b, name, " ", info.Size(), " ", info.ModTime().UnixNano(), "\n")
		}
	}
	return b.String()
}
