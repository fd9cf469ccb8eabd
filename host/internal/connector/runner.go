package connector

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-plugin/runner"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/offspring"
)

const (
	// outputGrace bounds the reading of output after the program's end, because a descendant may keep
	// the pipes open.
	outputGrace = 250 * time.Millisecond
	// busyRetries and busyPause are for waiting until no process has the program's file open for
	// writing; see textBusy.
	busyRetries = 20
	busyPause   = 10 * time.Millisecond
	// maxHandshakeBytes bounds the first line, which may include a certificate.
	maxHandshakeBytes = 16 << 10
)

// exit says how a program ended.
type exit struct {
	code     int    // -1 after a signal
	signal   string // "killed", or ""
	panicked string // the line that began a panic, or ""
	memory   bool   // it ran out of memory
	tail     []string
}

// String describes the end: "exited with code 2 (panic: boom)".
func (e exit) String() string {
	text := "exited with code " + strconv.Itoa(e.code)
	if e.signal != "" {
		text = "was ended by signal " + strconv.Quote(e.signal)
	}
	switch {
	case e.panicked != "":
		return text + " (" + e.panicked + ")"
	case len(e.tail) > 0:
		return text + " (its last words: " + e.tail[len(e.tail)-1] + ")"
	default:
		return text
	}
}

// programRunner runs one verified program for go-plugin. Other than go-plugin's runner, it gives the
// program a standard input that ends when the host ends, only the given environment, and its own
// process group, which is killed as a whole; and it parses standard error itself.
type programRunner struct {
	exe     *executable
	command string   // the program that runs exe; "" = exe itself
	args    []string // the whole command line; args[0] is the name of the process
	env     []string
	spawner *spawner
	log     *slog.Logger
	relog   *relog
	stray   io.Writer
	sockets string // the folder of the program's socket; "" = it uses TCP
	memory  int64  // memory limit in bytes
	mark    string // identifies this run's descendants; see package offspring

	cmd   *exec.Cmd
	hello *io.PipeReader
	done  chan struct{} // closed when the program has ended and its output was read; nil = it never ran

	mu        sync.Mutex
	group     processGroup
	stopped   bool // Kill was called
	reaped    bool
	firstLine string
	stranger  *sdk.Error // why a connection to the socket was refused
	oomKills  int64      // the system's count when the program started
	ended     exit
}

var _ runner.Runner = (*programRunner)(nil)

// pipes are the ends of a program's standard streams.
type pipes struct {
	childIn, stdin, stdout, childOut, stderr, childErr *os.File
}

func (p *pipes) all() []*os.File {
	return []*os.File{p.childIn, p.stdin, p.stdout, p.childOut, p.stderr, p.childErr}
}

func openPipes() (*pipes, error) {
	p := &pipes{}
	var err error
	for _, pair := range [][2]**os.File{{&p.childIn, &p.stdin}, {&p.stdout, &p.childOut}, {&p.stderr, &p.childErr}} {
		if *pair[0], *pair[1], err = os.Pipe(); err != nil {
			closeAll(p.all()...)
			return nil, err
		}
	}
	return p, nil
}

// closeAll closes pipe ends. Their errors have no consequence.
func closeAll(files ...*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close()
		}
	}
}

// Start starts the program.
func (r *programRunner) Start(ctx context.Context) error {
	p, err := openPipes()
	if err != nil {
		return err
	}
	err = r.spawn(ctx, p)
	closeAll(p.childIn, p.childOut, p.childErr)
	if err != nil {
		closeAll(p.stdin, p.stdout, p.stderr)
		return err
	}
	r.done = make(chan struct{})
	hello, handshake := io.Pipe()
	r.hello = hello
	var reading sync.WaitGroup
	reading.Go(func() { r.readOutput(p.stdout, handshake) })
	reading.Go(func() { r.readErrors(p.stderr) })
	go r.reap(p, &reading)
	if !r.exe.unchanged() {
		err := r.kill()
		<-r.done
		return errors.Join(err, sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "%s was changed while it was started", r.exe.path))
	}
	return nil
}

// spawn starts the command, and retries while its file is busy.
func (r *programRunner) spawn(ctx context.Context, p *pipes) error {
	for attempt := 1; ; attempt++ {
		cmd := &exec.Cmd{Path: r.command, Args: r.args, Env: r.env, Stdin: p.childIn, Stdout: p.childOut, Stderr: p.childErr}
		switch {
		case r.command != "":
		case execsOpenFile():
			cmd.Path, cmd.ExtraFiles = openFilePath, []*os.File{r.exe.file}
		default:
			cmd.Path = r.exe.path
		}
		prepare(cmd)
		err := r.spawner.start(cmd)
		switch {
		case err == nil:
			return r.adopt(cmd)
		case !textBusy(err) || attempt == busyRetries:
			return err
		}
		select {
		case <-time.After(busyPause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (r *programRunner) adopt(cmd *exec.Cmd) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.group.adopt(cmd); err != nil {
		return errors.Join(err, cmd.Process.Kill(), ignoreExit(cmd.Wait()))
	}
	if r.stopped {
		return errors.Join(context.Canceled, r.group.kill(), ignoreExit(cmd.Wait()), r.group.release())
	}
	if err := errors.Join(restrict(cmd.Process.Pid), r.group.limit(r.memory)); err != nil {
		r.log.Warn("the limits of a connector could not all be set", "error", err)
	}
	r.oomKills = oomKills()
	r.cmd = cmd
	return nil
}

// limit changes the memory limit.
func (r *programRunner) limit(bytes int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cmd == nil || r.reaped || r.memory == bytes {
		return
	}
	r.memory = bytes
	if err := r.group.limit(bytes); err != nil {
		r.log.Warn("the memory of a connector could not be limited", "error", err)
	}
}

// counted returns the memory that counts towards the program's limit, 0 if it is not known, and the
// limit, in bytes.
func (r *programRunner) counted() (held, limit int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cmd == nil || r.reaped {
		return 0, r.memory
	}
	return memoryOf(r.cmd.Process.Pid, dataField), r.memory
}

// ignoreExit drops an *exec.ExitError.
func ignoreExit(err error) error {
	if _, ok := errors.AsType[*exec.ExitError](err); ok {
		return nil
	}
	return err
}

// reap waits for the end of the program, kills its descendants, and lets the readers finish. Only reap
// waits for the process.
func (r *programRunner) reap(p *pipes, reading *sync.WaitGroup) {
	var waitErr error
	held := awaitExit(r.cmd.Process)
	if !held {
		waitErr = r.cmd.Wait()
	}
	r.mu.Lock()
	killErr := errors.Join(r.group.kill(), offspring.End(r.mark))
	if held {
		waitErr = r.cmd.Wait()
	}
	r.reaped = true
	releaseErr := r.group.release()
	r.mu.Unlock()
	if err := errors.Join(killErr, releaseErr); err != nil {
		r.log.Warn("a connector's process group did not end cleanly", "error", err)
	}
	closeAll(p.stdin)
	grace := time.AfterFunc(outputGrace, func() {
		closeAll(p.stdout, p.stderr)
		_ = r.hello.Close() // never fails
	})
	reading.Wait()
	grace.Stop()
	closeAll(p.stdout, p.stderr)
	r.conclude(waitErr)
	close(r.done)
}

func (r *programRunner) conclude(waitErr error) {
	state := r.cmd.ProcessState
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = exit{code: -1}
	if state == nil {
		r.ended.tail = []string{waitErr.Error()}
		return
	}
	r.ended.code, r.ended.signal = state.ExitCode(), signalOf(state)
	r.ended.panicked, r.ended.memory, r.ended.tail = r.relog.notes.read()
	if killed := state.ExitCode() == -1 && !r.stopped; killed && oomKills() > r.oomKills {
		r.ended.memory = true
	}
}

// readOutput passes on the first line, the handshake, and writes the rest to stray.
func (r *programRunner) readOutput(stdout io.Reader, handshake *io.PipeWriter) {
	defer func() { _ = handshake.Close() }() // never fails
	first := true
	err := readLines(stdout, maxHandshakeBytes, func(line []byte, _ bool) {
		if !first {
			_, _ = r.stray.Write(line) // a strayWriter never fails
			return
		}
		first = false
		r.mu.Lock()
		r.firstLine = string(line)
		r.mu.Unlock()
		_, _ = handshake.Write(append(line, '\n')) // fails only when the reader has given up
	})
	if err != nil && !errors.Is(err, os.ErrClosed) {
		r.log.Debug("reading a connector's output failed", "error", err)
	}
}

func (r *programRunner) readErrors(stderr io.Reader) {
	if err := readLines(stderr, maxLineBytes, r.relog.line); err != nil && !errors.Is(err, os.ErrClosed) {
		r.log.Debug("reading a connector's log failed", "error", err)
	}
	r.relog.budget.report()
}

// Wait waits until the program has ended and its output was read.
func (r *programRunner) Wait(ctx context.Context) error {
	select {
	case <-r.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Kill implements runner.Runner.
func (r *programRunner) Kill(context.Context) error { return r.kill() }

// kill kills the program and its process group.
func (r *programRunner) kill() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopped = true
	if r.cmd == nil || r.reaped {
		return nil
	}
	return r.group.kill()
}

// Stdout returns the handshake line, and then blocks until the program ends.
func (r *programRunner) Stdout() io.ReadCloser { return r.hello }

// Stderr is empty: readers of programRunner parse the lines, because go-plugin's parser panics on a log
// entry whose message is not a string.
func (r *programRunner) Stderr() io.ReadCloser { return io.NopCloser(strings.NewReader("")) }

func (r *programRunner) Name() string { return r.exe.path }

// ID is the process id.
func (r *programRunner) ID() string {
	if pid := r.pid(); pid != 0 {
		return strconv.Itoa(pid)
	}
	return ""
}

func (r *programRunner) pid() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cmd == nil {
		return 0
	}
	return r.cmd.Process.Pid
}

// report describes a program that has ended: its first line, how it ended, and whether it did so by
// itself.
func (r *programRunner) report() (hello string, ended exit, byItself bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.firstLine, r.ended, r.reaped && (!r.stopped || r.ended.signal == "")
}

// Diagnose is empty: startFailure explains a failed start.
func (r *programRunner) Diagnose(context.Context) string { return "" }
