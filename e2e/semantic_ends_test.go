//go:build !windows

package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// largeRequest is a request of many measures and computed dimensions, with totals.
func largeRequest(t *testing.T) string {
	t.Helper()
	var measures, dimensions []map[string]string
	for i := range 60 {
		measures = append(measures, map[string]string{"expr": fmt.Sprintf("sum(orders.amount + %d)", i), "name": fmt.Sprintf("m%d", i)})
	}
	for i := range 16 {
		dimensions = append(dimensions, map[string]string{"expr": fmt.Sprintf("orders.id + %d", i), "name": fmt.Sprintf("d%d", i)})
	}
	text, err := json.Marshal(map[string]any{"connection_id": "shop", "measures": measures, "dimensions": dimensions, "totals": true})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestCompilingEnds sends SIGTERM to a server that has begun to compile 100 large requests: it ends with exit code 0, and
// answers what it compiles no more with an error.
func TestCompilingEnds(t *testing.T) {
	heavy(t, "a server that compiles while it is ended")
	t.Parallel()
	const calls = 100
	dir, request := semanticProject(t), largeRequest(t)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "loam"), "mcp", "stdio", "--rate", "0", "--project-dir", dir)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	sent := make(chan error, 1)
	go func() { // the server reads while it answers
		var all strings.Builder
		all.WriteString(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"e2e","version":"1"}}}` + "\n")
		for i := range calls {
			fmt.Fprintf(&all, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"sl_query","arguments":%s}}`+"\n", i+1, request)
		}
		_, err := in.Write([]byte(all.String()))
		sent <- err
	}()
	answers, said, ended := bufio.NewReaderSize(out, 1<<20), 0, 0
	for {
		line, err := answers.ReadBytes('\n')
		if err != nil {
			break
		}
		if !json.Valid(line) {
			t.Errorf("an answer is no JSON: %.200s", line)
		}
		if bytes.Contains(line, []byte(`"isError":true`)) {
			ended++
		}
		if said++; said == 2 { // the handshake, and the first request is compiled
			if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Error(err)
			}
		}
	}
	err = cmd.Wait()
	if err != nil || ctx.Err() != nil {
		t.Errorf("the server ends with %v (%v) after %d answers", err, ctx.Err(), said)
	}
	if said < 2 || ended == 0 && said > calls {
		t.Errorf("%d answers to %d requests, %d of them errors", said, calls, ended)
	}
	<-sent // what was not read is not written: an error is expected
}
