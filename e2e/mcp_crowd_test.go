package e2e

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"crowd","version":"1"}}}`

// openSession opens a session over a raw client and returns its id.
func openSession(c *http.Client, endpoint string) (string, error) {
	resp, err := c.Post(endpoint, "application/json", strings.NewReader(hello))
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("initialize: %s: %s", resp.Status, text)
	}
	return resp.Header.Get("Mcp-Session-Id"), err
}

func mustOpen(t *testing.T, c *http.Client, endpoint string) string {
	t.Helper()
	id, err := openSession(c, endpoint)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// TestAbandonedSessions: clients that open sessions and never come back cost no
// more memory than the sessions that are kept, and do not keep others out.
func TestAbandonedSessions(t *testing.T) {
	heavy(t, "10,000 sessions that nobody ends")
	cmd, endpoint := startHTTP(t, demoProject(t))
	c := &http.Client{Timeout: time.Minute}
	defer c.CloseIdleConnections()
	open := func(n int) (last string) {
		for range n {
			last = mustOpen(t, c, endpoint)
		}
		return last
	}
	open(2_000) // as many as are kept, and more
	before := resident(t, cmd.Process.Pid, "VmRSS")
	last := open(8_000)
	grown := resident(t, cmd.Process.Pid, "VmRSS") - before
	t.Logf("resident: %d KiB after 2,000 sessions, %d KiB more after 8,000 others", before, grown)
	if grown > 32<<10 {
		t.Errorf("8,000 abandoned sessions cost %d KiB", grown)
	}
	if status := pinged(t, c, endpoint, last); status != http.StatusOK {
		t.Errorf("the last session: status %d", status)
	}
}

func pinged(t *testing.T, c *http.Client, endpoint, session string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, endpoint, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Mcp-Session-Id", session)
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode
}

// TestSlowReaders: a thousand clients that ask for long answers and read none of
// them cost bounded memory, and others are served meanwhile.
func TestSlowReaders(t *testing.T) {
	heavy(t, "a thousand clients that read no answer")
	const readers, asked = 1_000, 10
	cmd, endpoint := startHTTP(t, demoProject(t), "--sessions-per-address", strconv.Itoa(readers+1))
	at, err := url.Parse(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	c := &http.Client{Timeout: time.Minute}
	defer c.CloseIdleConnections()
	before := resident(t, cmd.Process.Pid, "VmRSS")
	conns := make([]net.Conn, readers)
	var wg sync.WaitGroup
	for part := range 10 {
		wg.Go(func() {
			for i := part; i < readers; i += 10 {
				session, err := openSession(c, endpoint)
				if err == nil {
					conns[i], err = slowReader(at.Host, session, asked)
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	defer func() {
		for _, conn := range conns {
			if conn != nil {
				_ = conn.Close()
			}
		}
	}()
	if status := pinged(t, c, endpoint, mustOpen(t, c, endpoint)); status != http.StatusOK {
		t.Errorf("another client meanwhile: status %d", status)
	}
	peak := resident(t, cmd.Process.Pid, "VmHWM")
	t.Logf("resident: %d KiB before, at most %d KiB with %d readers that asked for %d answers each", before, peak, readers, asked)
	if peak-before > 192<<10 {
		t.Errorf("%d slow readers cost %d KiB", readers, peak-before)
	}
}

// slowReader asks for long answers over one connection and reads none of
// them but the first byte.
func slowReader(host, session string, asked int) (net.Conn, error) {
	const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sql_execution","arguments":{"connectionId":"shop","sql":"SELECT hex(zeroblob(19000)) AS t"}}}`
	request := fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nMcp-Session-Id: %s\r\nContent-Length: %d\r\n\r\n%s",
		host, session, len(body), body)
	conn, err := net.Dial("tcp", host)
	if err != nil {
		return nil, err
	}
	err = conn.(*net.TCPConn).SetReadBuffer(4 << 10)
	if err == nil {
		_, err = io.WriteString(conn, strings.Repeat(request, asked))
	}
	if err == nil {
		_, err = io.ReadFull(conn, make([]byte, 1)) // the first answer is being written
	}
	return conn, err
}
