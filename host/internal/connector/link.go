package connector

import (
	"context"
	"errors"
	"io"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/wire"
)

// link is the grpc.ClientConnInterface of one connection. It is below the contract's client, so
// that all calls behave the same: if the process does not know the connection, link opens it
// again and repeats the call once, but only if nothing was received; if the process has ended,
// link returns an error that says how.
type link struct {
	grpc.ClientConnInterface
	calls *calls
	fate  fate
	// reopen opens the connection again; nil for calls without a connection.
	reopen func(context.Context) error
	// refused is called when the warehouse refused the credentials; nil = no call.
	refused func()
}

// fate reports the end of a process.
type fate struct {
	exited <-chan struct{}
	wait   time.Duration
	ending func() ending // valid after exited is closed
}

func (l *link) Invoke(ctx context.Context, method string, args, reply any, opts ...grpc.CallOption) error {
	call, err := l.calls.begin(method, args)
	if err != nil {
		return err
	}
	err = l.ClientConnInterface.Invoke(ctx, method, args, reply, opts...)
	if l.forgotten(err) {
		if err := l.reopen(ctx); err != nil {
			l.calls.answered(call)
			return err
		}
		err = l.ClientConnInterface.Invoke(ctx, method, args, reply, opts...)
	}
	return l.settle(ctx, call, err)
}

func (l *link) NewStream(ctx context.Context, desc *grpc.StreamDesc, method string, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	open := func() (grpc.ClientStream, error) {
		return l.ClientConnInterface.NewStream(ctx, desc, method, opts...)
	}
	stream, err := open()
	if err != nil {
		return nil, l.explain(ctx, nil, err)
	}
	// The stream's context ends with the stream, so this uses the caller's.
	return &linkStream{
		ClientStream: stream, link: l, method: method, open: open,
		reopen: func() error { return l.reopen(ctx) },
		settle: func(c *call, err error) error { return l.settle(ctx, c, err) },
	}, nil
}

// linkStream is a server stream: one message out, any number in.
type linkStream struct {
	grpc.ClientStream
	link     *link
	method   string
	open     func() (grpc.ClientStream, error)
	reopen   func() error
	settle   func(*call, error) error
	call     *call
	sent     any
	received bool
}

func (s *linkStream) SendMsg(m any) (err error) {
	s.sent = m
	if s.call, err = s.link.calls.begin(s.method, m); err != nil {
		return err
	}
	// A caller may stop reading before the end.
	context.AfterFunc(s.Context(), func() { s.link.calls.abandon(s.call) })
	return s.ClientStream.SendMsg(m)
}

func (s *linkStream) RecvMsg(m any) error {
	err := s.ClientStream.RecvMsg(m)
	if !s.received && s.link.forgotten(err) {
		err = s.repeat(m)
	}
	s.received = true
	if err == nil {
		if query := wire.StartedQuery(m); query != "" {
			s.link.calls.started(s.call, wire.ConnectionOf(s.sent), query)
		}
		return nil
	}
	return s.settle(s.call, err)
}

func (s *linkStream) repeat(m any) error {
	if err := s.reopen(); err != nil {
		return err
	}
	stream, err := s.open()
	if err != nil {
		return err
	}
	s.ClientStream = stream
	if err := stream.SendMsg(s.sent); err != nil {
		return err
	}
	if err := stream.CloseSend(); err != nil {
		return err
	}
	return stream.RecvMsg(m)
}

func (l *link) forgotten(err error) bool {
	return err != nil && l.reopen != nil && wire.ErrorCode(err) == sdk.CodeUnknownConnection
}

// settle ends a call, and returns the error for its caller.
func (l *link) settle(ctx context.Context, c *call, err error) error {
	told := l.explain(ctx, c, err)
	if ctx.Err() == nil {
		l.calls.answered(c)
	} else {
		l.calls.abandon(c)
	}
	return told
}

// explain replaces the error of a broken connection by one that says how the process ended.
func (l *link) explain(ctx context.Context, c *call, err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return err
	}
	s, ok := status.FromError(err)
	if !ok {
		return err
	}
	if s.Code() == codes.Unauthenticated && l.refused != nil {
		l.refused()
	}
	if len(s.Details()) > 0 || ctx.Err() != nil {
		return err
	}
	switch s.Code() {
	case codes.Unavailable, codes.Canceled, codes.Unknown, codes.Internal:
	default:
		return err
	}
	timer := time.NewTimer(l.fate.wait)
	defer timer.Stop()
	select {
	case <-l.fate.exited:
		return l.calls.verdict(c, l.fate.ending())
	case <-timer.C:
	case <-ctx.Done():
	}
	return err
}
