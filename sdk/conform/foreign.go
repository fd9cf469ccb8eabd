package conform

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/types/known/emptypb"

	plugin "github.com/hashicorp/go-plugin"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/peer"
	"github.com/loam-data/loam/sdk/wire"
)

// foreignChecks check what the sdk does for connectors in Go and connectors in other languages
// implement themselves: the handshake, the end of the process, and messages of other versions.
func foreignChecks() []check {
	return []check{
		{"hello", foreignHello},
		{"mutual_tls", foreignMutualTLS},
		{"wrong_cookie", func(p *probe) { p.refusesToServe("with another cookie", wire.Handshake.MagicCookieKey+"=another") }},
		{"health", foreignHealth},
		{"stdin", foreignStdin},
		{"sigterm", foreignTerm},
		{"shutdown", foreignShutdown},
		{"drain", foreignDrain},
		{"unknown_fields", foreignFields},
		{"unknown_call", foreignCall},
		{"invalid_utf8", foreignUTF8},
		{"large_message", foreignLarge},
		{"many_calls", foreignCalls},
		{"many_statements", foreignStatements},
		{"heartbeat", foreignHeartbeat},
	}
}

func (p *probe) process() *process { return p.subject().(*process) }

// foreignHello reads the first line field by field.
// Source: go-plugin's documentation of the protocol.
func foreignHello(p *probe) {
	child := p.process()
	h := helloOf(child.stdout.String())
	if len(h) < 5 || len(h) > 7 {
		p.fatalf("the first line has %d fields, want core|version|network|address|grpc and the certificate: %q", len(h), h)
	}
	for i, want := range []string{strconv.Itoa(plugin.CoreProtocolVersion), strconv.Itoa(wire.ProtocolVersion)} {
		if h[i] != want {
			p.note(Finding{Text: fmt.Sprintf("field %d of the first line is %q, want %q", i+1, h[i], want), Wanted: want, Got: h[i]})
		}
	}
	switch h[2] {
	case "unix":
		if folder := child.sockets; !below(h[3], folder) {
			p.errorf("the socket %q is not in the folder that PLUGIN_UNIX_SOCKET_DIR names", h[3])
		}
	case "tcp":
		if peer.Supported {
			p.errorf("the connector listens on TCP, where other users of the machine can reach it")
		}
	default:
		p.errorf("the network is %q, want unix or tcp", h[2])
	}
	if h[4] != "grpc" {
		p.errorf("the protocol is %q, want grpc", h[4])
	}
	if peer.Supported && h.certificate() != "" {
		p.errorf("the connector sends a certificate that the host did not ask for")
	}
}

// below reports whether a path lies below a folder.
func below(path, folder string) bool {
	relative, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(relative)
}

// foreignMutualTLS: hosts on Windows request mutual TLS, and so did old hosts, which did not verify
// the process at the other end.
func foreignMutualTLS(p *probe) {
	child, err := startProcess(p.ctx, p.run.target, launch{mutualTLS: true, started: p.run.owns})
	if failed, ok := errors.AsType[*startError](err); ok && failed.hello.certificate() == "" {
		p.skipf("the connector has no certificate for a host that asks for one: only Windows needs it")
	}
	p.must("start the connector with PLUGIN_CLIENT_CERT", err)
	p.stop(child)
}

func foreignHealth(p *probe) {
	answer, err := grpc_health_v1.NewHealthClient(p.process().conn).Check(p.ctx, &grpc_health_v1.HealthCheckRequest{Service: plugin.GRPCServiceName})
	p.must("grpc.health.v1.Health/Check", err)
	if answer.GetStatus() != grpc_health_v1.HealthCheckResponse_SERVING {
		p.errorf("the service %q is %s, want SERVING", plugin.GRPCServiceName, answer.GetStatus())
	}
}

// foreignStdin: an idle connector ends, too, when its host ends.
func foreignStdin(p *probe) {
	p.endsBy("the end of its standard input", func(child *process) error { return child.child.stdin.Close() })
}

func foreignTerm(p *probe) {
	if runtime.GOOS == "windows" {
		p.skipf("Windows has no SIGTERM")
	}
	p.endsBy("SIGTERM", func(child *process) error { return child.child.cmd.Process.Signal(syscall.SIGTERM) })
}

// endsBy starts a program, calls end, and checks that the program ends by itself.
func (p *probe) endsBy(what string, end func(*process) error) {
	child := p.freshProcess()
	defer p.stop(child)
	begun := time.Now()
	p.must(what, end(child))
	if !child.child.ended(p.run.pace.Settle) {
		p.fatalf("the program runs on %s after %s", p.run.pace.Settle, what)
	}
	took := time.Since(begun)
	p.remark("gone %s after %s%s", took.Round(time.Millisecond), what, over(took > quickEnd, quickEnd))
}

// foreignShutdown: the host calls plugin.GRPCController/Shutdown, and kills a program that does not end.
func foreignShutdown(p *probe) {
	child := p.freshProcess()
	defer p.stop(child)
	child.plugin.Kill()
	if child.child.killed.Load() {
		p.errorf("the program does not end by plugin.GRPCController/Shutdown: it had to be killed")
	}
}

func foreignDrain(p *probe) {
	child, client := p.fresh()
	defer p.stop(child)
	p.within(drainGrace+p.run.pace.Settle, "drain", func() {
		canceled, err := client.Drain(p.ctx, drainGrace)
		p.must("drain", err)
		if canceled != 0 {
			p.errorf("drain cancelled %d calls, none was running", canceled)
		}
	})
}

// service is the prefix of the paths of the contract's calls.
const service = "/loam.connector.v1.Connector/"

// call makes a call with an encoded message, and returns the encoded answer.
func (p *probe) call(name string, message []byte) (answer []byte, err error) {
	request, response := &emptypb.Empty{}, &emptypb.Empty{}
	request.ProtoReflect().SetUnknown(message)
	p.within(p.run.pace.Settle, name, func() { err = p.process().conn.Invoke(p.ctx, service+name, request, response) })
	return response.ProtoReflect().GetUnknown(), err
}

// wantAlive checks that the connector still answers.
func (p *probe) wantAlive(after string) {
	if _, err := p.call("Describe", nil); err != nil {
		p.errorf("after %s the connector does not answer: %v", after, err)
	}
}

// later is an unknown field, as a later minor version could send it.
var later = protowire.AppendString(protowire.AppendTag(nil, 5000, protowire.BytesType), "of a later minor")

func foreignFields(p *probe) {
	for _, name := range []string{"Describe", "ValidateConfig"} {
		answer, err := p.call(name, later)
		p.must(name+" with an unknown field", err)
		if name == "Describe" && len(answer) == 0 {
			p.errorf("the description is empty")
		}
	}
}

func foreignCall(p *probe) {
	_, err := p.call("ConformNoSuchCall", nil)
	if status.Code(err) != codes.Unimplemented {
		p.note(Finding{Text: fmt.Sprintf("an unknown call: %v, want UNIMPLEMENTED", err), Wanted: codes.Unimplemented.String(), Got: status.Code(err).String()})
	}
	p.wantAlive("an unknown call")
}

// foreignUTF8: invalid UTF-8 may be refused, but must not end the program.
func foreignUTF8(p *probe) {
	_, err := p.call("Describe", protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), []byte("\xff\xfe")))
	p.remark("text that is not UTF-8: %s", status.Code(err))
	p.wantAlive("text that is not UTF-8")
}

// foreignLarge: requests have up to 16 MiB; the default limit of many gRPC libraries is 4 MiB.
func foreignLarge(p *probe) {
	const size = 5 << 20
	object := p.object()
	object["conform_large"] = string(bytes.Repeat([]byte("x"), size))
	raw, err := json.Marshal(object)
	p.must("Target.Config.JSON", err)
	p.within(p.run.pace.Settle, "the check of a large configuration", func() {
		_, err = p.subject().diagnose(p.ctx, sdk.Config{JSON: raw, Secrets: p.run.target.Config.Secrets})
	})
	p.must(fmt.Sprintf("a request of %d MiB", size>>20), err)
}

// many is the number of concurrent calls.
const many = 100

func (p *probe) atOnce(what string, call func(context.Context) error) {
	p.within(patience, what, func() {
		var all sync.WaitGroup
		for range many {
			all.Go(func() {
				p.guarded(func() {
					if err := call(p.ctx); err != nil {
						p.watchError(err)
						p.errorf("one of %d: %v", many, err)
					}
				})
			})
		}
		all.Wait()
	})
}

func foreignCalls(p *probe) {
	s := p.subject()
	p.atOnce("calls at once", func(ctx context.Context) error { _, err := s.describe(ctx); return err })
}

// foreignStatements: a connector may refuse more calls than it declares, with KindLimit or KindRateLimited.
func foreignStatements(p *probe) {
	session, sql := p.shareSession(), p.rowsSQL(3)
	p.atOnce("statements at once", func(ctx context.Context) error {
		_, err := p.execute(ctx, session, sdk.ExecuteRequest{SQL: sql})
		switch p.kind(err) {
		case sdk.KindLimit, sdk.KindRateLimited:
			return nil
		}
		return err
	})
	p.wantRows("after many statements", p.query(p.rowsSQL(3), sdk.Limits{}), 3)
}

// silence is how long a stream may be silent here. A host gives it up after 30 s.
const silence = 20 * time.Second

// Fields of ResultEvent that break a silence.
const (
	eventProgress  = 2
	eventHeartbeat = 7
)

// foreignHeartbeat: while a statement runs without rows, the stream says that it lives.
func foreignHeartbeat(p *probe) {
	p.require(p.run.target.SlowSQL != "", "SlowSQL")
	request := p.request(p.run.target.Config)
	session := p.openFor(request)
	defer p.closeSession(session)
	ctx, cancel := context.WithTimeout(p.ctx, silence)
	defer cancel()
	p.within(silence+p.run.pace.Settle, "a heartbeat", func() {
		stream, err := p.process().conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, service+"Execute")
		p.must("Execute", err)
		execute := &emptypb.Empty{}
		text := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), request.ConnectionID)
		execute.ProtoReflect().SetUnknown(protowire.AppendString(protowire.AppendTag(text, 3, protowire.BytesType), p.run.target.SlowSQL))
		p.asks(p.run.target.SlowSQL)
		p.must("Execute", errors.Join(stream.SendMsg(execute), stream.CloseSend()))
		for {
			event := &emptypb.Empty{}
			switch err := stream.RecvMsg(event); {
			case ctx.Err() != nil:
				p.fatalf("the stream of a statement was silent for %s, want a Heartbeat after 5 s", silence)
			case err != nil:
				p.fatalf("the statement that takes a minute ended: %v", err)
			}
			if field, _, _ := protowire.ConsumeTag(event.ProtoReflect().GetUnknown()); field == eventHeartbeat || field == eventProgress {
				return
			}
		}
	})
}
