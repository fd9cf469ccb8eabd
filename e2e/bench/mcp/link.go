package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"time"
)

// A link is a client of one server: one call at a time, and as little work of
// its own as a client can have, the same for every server.
type link interface {
	// call sends a request and returns its result.
	call(method, params string) (json.RawMessage, error)
	// tell sends a notification.
	tell(method string) error
	close() error
}

const (
	version    = "2025-06-18"
	initialize = `{"protocolVersion":"` + version + `","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}`
	patience   = 30 * time.Second
)

// begin opens a session.
func begin(l link) error {
	if _, err := l.call("initialize", initialize); err != nil {
		return fmt.Errorf("initialize: %w", err)
	}
	return l.tell("notifications/initialized")
}

func request(id int, method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params)
}

func notification(method string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":%q}`, method)
}

// result takes the result out of an answer.
func result(answer []byte, id int) (json.RawMessage, error) {
	var a struct {
		ID            int
		Result, Error json.RawMessage
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		return nil, fmt.Errorf("%w in %.200s", err, answer)
	}
	if a.ID != id || a.Result == nil {
		return nil, fmt.Errorf("request %d was answered with %.300s", id, answer)
	}
	if bytes.Contains(a.Result, []byte(`"isError":true`)) {
		return nil, fmt.Errorf("the tool failed: %.300s", a.Result)
	}
	return a.Result, nil
}

// pipe is a link to a child process.
type pipe struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	id  int
}

func openPipe(cmd *exec.Cmd) (*pipe, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &pipe{cmd: cmd, in: in, out: bufio.NewReaderSize(out, 1<<20)}, nil
}

func (p *pipe) call(method, params string) (json.RawMessage, error) {
	p.id++
	if _, err := io.WriteString(p.in, request(p.id, method, params)+"\n"); err != nil {
		return nil, err
	}
	for {
		line, err := p.out.ReadBytes('\n')
		if err != nil {
			return nil, err
		}
		if bytes.Contains(line, []byte(`"id":`)) { // else it is a notification
			return result(line, p.id)
		}
	}
}

func (p *pipe) tell(method string) error {
	_, err := io.WriteString(p.in, notification(method)+"\n")
	return err
}

// close ends the server by the end of its input, and kills one that stays.
func (p *pipe) close() error {
	err := p.in.Close()
	late := time.AfterFunc(patience, func() { _ = p.cmd.Process.Kill() })
	defer late.Stop()
	return errors.Join(err, p.cmd.Wait())
}

// post is a link over HTTP: one connection that is kept open, written and read
// without a client library.
type post struct {
	ctx              context.Context // of the run
	address, session string
	conn             net.Conn
	in               *bufio.Reader
	id               int
}

func (p *post) call(method, params string) (json.RawMessage, error) {
	p.id++
	text, err := p.exchange(request(p.id, method, params))
	if err != nil {
		return nil, err
	}
	return result(text, p.id)
}

func (p *post) tell(method string) error {
	_, err := p.exchange(notification(method))
	return err
}

func (p *post) exchange(body string) (text []byte, err error) {
	if p.conn == nil {
		if p.conn, err = new(net.Dialer).DialContext(p.ctx, "tcp", p.address); err != nil {
			return nil, err
		}
		p.in = bufio.NewReaderSize(p.conn, 64<<10)
	}
	if err := p.conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return nil, err
	}
	if _, err := io.WriteString(p.conn, p.head(len(body))+body); err != nil {
		return nil, err
	}
	resp, err := http.ReadResponse(p.in, nil)
	if err != nil {
		return nil, err
	}
	text, err = io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return nil, err
	}
	if resp.StatusCode/100 != 2 {
		return nil, fmt.Errorf("%s: %.200s", resp.Status, text)
	}
	if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
		p.session = id
	}
	if resp.Close {
		if err := p.close(); err != nil {
			return nil, err
		}
	}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		_, text, _ = bytes.Cut(text[max(0, bytes.LastIndex(text, []byte("\ndata: "))):], []byte("data: "))
	}
	return text, nil
}

func (p *post) head(length int) string {
	head := fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: %d\r\n", p.address, length)
	if p.session != "" {
		head += "Mcp-Session-Id: " + p.session + "\r\n"
	}
	if p.id > 1 { // the first request settles the version
		head += "Mcp-Protocol-Version: " + version + "\r\n"
	}
	return head + "\r\n"
}

func (p *post) close() error {
	if p.conn == nil {
		return nil
	}
	conn := p.conn
	p.conn, p.in = nil, nil
	return conn.Close()
}
