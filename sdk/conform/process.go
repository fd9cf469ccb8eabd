package conform

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/loam-data/loam/sdk"
)

// Above these the result has a remark. They are not failures, because they depend on the machine.
const (
	quickStart = 500 * time.Millisecond
	smallIdle  = 64 << 20
)

func processChecks() []check {
	return []check{
		{"cookie", processCookie},
		{"stdin_eof", processStdin},
		{"crash", processCrash},
		{"stdout", processStdout},
		{"start", processStart},
		{"memory", processMemory},
	}
}

// processCookie: started by hand, the program prints an explanation and ends.
func processCookie(p *probe) {
	if said := p.refusesToServe("without the host's cookie"); said == "" {
		p.errorf("the program without the host's cookie says nothing")
	}
}

// refusesToServe starts the program without a valid cookie, and returns its output.
func (p *probe) refusesToServe(how string, environment ...string) string {
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	var stdout, stderr bytes.Buffer
	command := p.run.target.command()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Env, cmd.Stdout, cmd.Stderr = append(p.run.target.environment(), environment...), &stdout, &stderr
	err := cmd.Run()
	if ctx.Err() != nil {
		p.fatalf("the program %s runs on", how)
	}
	if _, ok := errors.AsType[*exec.ExitError](err); !ok {
		p.errorf("the program %s ends with %v, want an exit code other than 0", how, err)
	}
	if strings.Contains(stdout.String(), "|grpc|") {
		p.errorf("the program %s serves: %s", how, stdout.String())
	}
	return stdout.String() + stderr.String()
}

// freshProcess starts a program of its own for a check.
func (p *probe) freshProcess() *process {
	s, _ := p.fresh()
	return s.(*process)
}

// processStdin: the program ends when its standard input ends, because its host has ended.
func processStdin(p *probe) {
	child := p.freshProcess()
	defer p.stop(child)
	session := p.open(child)
	ctx, cancel := context.WithCancel(p.ctx)
	defer cancel()
	statement := p.startSlow(ctx, session, sdk.Limits{})
	closed := time.Now()
	p.must("close the standard input", child.child.stdin.Close())
	if !child.child.ended(p.run.pace.Settle) {
		p.fatalf("the program runs on %s after the end of its standard input", p.run.pace.Settle)
	}
	p.remark("gone %s after the end of the standard input", time.Since(closed).Round(time.Millisecond))
	p.want("the statement that ran", statement.wait(p.run.pace.Settle), sdk.KindUnavailable, sdk.KindCanceled)
	p.wantEnded()
	if left := sockets(child.sockets); len(left) > 0 {
		p.errorf("sockets are left behind: %q", left)
	}
}

// sockets lists the files two levels below a folder.
func sockets(folder string) []string {
	var left []string
	outer, _ := os.ReadDir(folder)
	for _, dir := range outer {
		inner, _ := os.ReadDir(folder + "/" + dir.Name())
		for _, file := range inner {
			left = append(left, file.Name())
		}
	}
	return left
}

// processCrash: after the program is killed, calls return an error that may be retried.
func processCrash(p *probe) {
	child := p.freshProcess()
	defer p.stop(child)
	session := p.open(child)
	statement := p.startSlow(p.ctx, session, sdk.Limits{})
	p.must("kill", child.child.Kill(p.ctx))
	if !child.child.ended(p.run.pace.Settle) {
		p.fatalf("the program survives its kill")
	}
	if e := p.want("a statement whose program was killed", statement.wait(p.run.pace.Settle), sdk.KindUnavailable); !e.Retry {
		p.errorf("the error is not marked as worth a retry: %v", e)
	}
	again := p.freshProcess()
	defer p.stop(again)
	p.wantRows("a new program", p.queryOn(p.open(again), p.rowsSQL(1), sdk.Limits{}), 1)
	p.endLeft()
}

// processStdout: the standard output has only the handshake.
func processStdout(p *probe) {
	child := p.subject().(*process)
	if lines := strings.Count(child.stdout.String(), "\n"); lines != 1 {
		p.errorf("the standard output has %d lines; only the handshake belongs there:\n%s", lines, child.stdout)
	}
	if stray := child.stray.String(); stray != "" {
		p.errorf("the program prints beside its log: %q", stray)
	}
}

func processStart(p *probe) {
	child := p.freshProcess()
	p.stop(child)
	p.remark("started in %s%s", child.started.Round(time.Millisecond), over(child.started > quickStart, quickStart))
}

func over[T any](is bool, limit T) string {
	if !is {
		return ""
	}
	return fmt.Sprintf(" (warning: over %v)", limit)
}

func processMemory(p *probe) {
	child := p.freshProcess()
	defer p.stop(child)
	p.closeSession(p.open(child))
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", child.pid))
	if err != nil {
		p.skipf("the memory of a process cannot be seen here: %v", err)
	}
	for line := range strings.Lines(string(raw)) {
		fields := strings.Fields(line)
		if len(fields) < 2 || fields[0] != "VmRSS:" {
			continue
		}
		kib, err := strconv.Atoi(fields[1])
		p.must("VmRSS", err)
		p.remark("%d MiB resident%s", kib>>10, over(kib<<10 > smallIdle, fmt.Sprintf("%d MiB", smallIdle>>20)))
		return
	}
	p.skipf("the system does not tell the memory of a process")
}

// secretInProcess: command line and environment, which other programs can read, contain no secret.
func secretInProcess(p *probe) {
	p.needSecrets()
	p.shareSession()
	child := p.subject().(*process)
	for _, name := range []string{"cmdline", "environ"} {
		raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", child.pid, name))
		if err != nil {
			p.skipf("the %s of a process cannot be seen here: %v", name, err)
		}
		for _, secret := range p.run.secrets {
			if bytes.Contains(raw, []byte(secret)) {
				p.errorf("the program's %s shows a secret", name)
			}
		}
	}
}
