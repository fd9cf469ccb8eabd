//go:build cgo

package duckdb_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// busy reports whether a thread of this process or of a child of it computes
// without a pause. DuckDB has no list of running statements that another
// connection could read; all else here waits most of the time.
func busy(context.Context) (bool, error) {
	const looks, pause = 6, 4 * time.Millisecond
	seen := map[string]int{}
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for range looks {
		running, err := runningThreads()
		if err != nil {
			return false, err
		}
		for _, thread := range running {
			seen[thread]++
		}
		<-tick.C
	}
	for _, times := range seen {
		if times == looks {
			return true, nil
		}
	}
	return false, nil
}

// runningThreads returns the threads of this process and its children that run or could run.
// Source: proc(5): the state follows the name, which is in parentheses; then the parent.
func runningThreads() (running []string, err error) {
	self := fmt.Sprint(os.Getpid())
	all, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, err
	}
	for _, stat := range all {
		id := filepath.Base(filepath.Dir(stat))
		if state, parent := threadState(stat); state == "" || id != self && parent != self {
			continue
		}
		threads, err := filepath.Glob("/proc/" + id + "/task/*/stat")
		if err != nil {
			return nil, err
		}
		for _, thread := range threads {
			if state, _ := threadState(thread); state == "R" {
				running = append(running, thread)
			}
		}
	}
	return running, nil
}

// threadState returns "" for a thread that has ended meanwhile.
func threadState(stat string) (state, parent string) {
	text, err := os.ReadFile(stat)
	if err != nil {
		return "", ""
	}
	_, rest, _ := strings.Cut(string(text[max(0, strings.LastIndexByte(string(text), ')')):]), " ")
	fields := strings.Fields(rest)
	if len(fields) < 2 {
		return "", ""
	}
	return fields[0], fields[1]
}
