package sqlkit

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/loam-data/loam/sdk"
)

// Lifecycle implements a connector's ValidateConfig, Open and Test with a configuration C
// and the Stages of its sessions.
type Lifecycle[C any] struct {
	// Problems checks rules that the schema of C cannot express. Optional.
	Problems func(*C) []sdk.Diagnostic
	// New returns a session that has not connected yet. The defaults of the request are
	// filled in.
	New func(*C, sdk.OpenRequest) (*Stages, error)
}

// Stages are the steps that open a session.
type Stages struct {
	Session sdk.Session
	// Examine connects and examines the server and the account. After a failed attempt it
	// is called once more at most.
	Examine func(context.Context) error

	// What follows is for Test alone.

	// Account is the name that the connection logs in with.
	Account string
	// Reach runs the steps before TLS, such as "dns" and "tcp", and reports whether
	// they passed. Optional.
	Reach func(context.Context, *Steps) bool
	// Login connects once.
	Login func(context.Context) Login
	// Read fills in the step "read": the objects that the account can read. Neither Read
	// nor Write resumes a suspended warehouse, unless the request has Resume.
	Read func(context.Context, *sdk.TestStep) error
	// Write tries a writing statement that would change nothing even if it ran.
	Write func(context.Context) error
	// Reader returns the statements that create an account that can only read.
	Reader func() []string
}

// Login is the result of an attempt to connect.
type Login struct {
	Err error
	// Secured: TLS, if any, was established. Detail describes how the connection is
	// protected; Warning: the protection is too weak.
	Secured bool
	Detail  string
	Warning bool
}

// Warehouse completes the description of a connector whose sessions are Warehouses: it
// adds the functions of the lifecycle and the capabilities that every Warehouse has.
func (l Lifecycle[C]) Warehouse(c sdk.Connector) *sdk.Connector {
	c.ValidateConfig, c.Open, c.Test = l.ValidateConfig, l.Open, l.Test
	can := &c.Capabilities
	can.Explain, can.Validate, can.Profile, can.QueryLog, can.ServerCancel, can.Params = true, true, true, true, true, true
	return &c
}

// ValidateConfig implements sdk.Connector.ValidateConfig.
func (l Lifecycle[C]) ValidateConfig(config sdk.Config) []sdk.Diagnostic {
	c := new(C)
	if err := config.Decode(c); err != nil {
		return []sdk.Diagnostic{{Severity: sdk.SeverityError, Summary: err.Error()}}
	}
	if l.Problems == nil {
		return nil
	}
	return l.Problems(c)
}

// Open implements sdk.Connector.Open: a session that does not pass Examine is closed.
func (l Lifecycle[C]) Open(ctx context.Context, req sdk.OpenRequest) (sdk.Session, error) {
	s, _, err := l.stages(req)
	if err != nil {
		return nil, withNext(err, req.ConnectionID)
	}
	if err := s.Examine(ctx); err != nil {
		return nil, errors.Join(withNext(err, req.ConnectionID), s.Session.Close(context.WithoutCancel(ctx)))
	}
	return s.Session, nil
}

// withNext adds to the hint of an error that a change of the connection mends the command
// that shows whether it is mended. The caller's own name or text is none while a
// connection opens: it is the configuration's.
func withNext(err error, id string) error {
	e, ok := errors.AsType[*sdk.Error](err)
	if ok && e.Source == sdk.SourceCaller {
		e.Source = sdk.SourceHost
	}
	if ok && e.Source == sdk.SourceHost && e.Hint != "" && id != "" && !strings.Contains(e.Hint, "loam connection ") {
		e.Hint += "; then: loam connection test " + id
	}
	return err
}

func (l Lifecycle[C]) stages(req sdk.OpenRequest) (*Stages, *C, error) {
	c, err := Decode(req.Config, l.Problems)
	if err != nil {
		return nil, nil, err
	}
	s, err := l.New(c, Defaults(req))
	return s, c, err
}

// Test implements sdk.Connector.Test: config, the steps of Stages.Reach, tls, login,
// database, compute where the session has a state, read, no_write.
func (l Lifecycle[C]) Test(ctx context.Context, req sdk.OpenRequest, report func(sdk.TestStep)) error {
	steps := NewSteps(report)
	var s *Stages
	ok := steps.Run("config", func(step *sdk.TestStep) (err error) {
		var c *C
		if s, c, err = l.stages(req); err == nil && l.Problems != nil {
			Warn(step, l.Problems(c))
		}
		return err
	})
	if !ok {
		return nil
	}
	defer func() { _ = s.Session.Close(context.WithoutCancel(ctx)) }() // the steps have said what is wrong
	if s.Reach != nil && !s.Reach(ctx, steps) {
		return nil
	}
	s.login(ctx, steps)
	s.compute(steps, req.Resume)
	steps.Run("read", func(step *sdk.TestStep) error { return s.Read(ctx, step) })
	steps.noWrite(ctx, s)
	return nil
}

// compute reports the state of what computes, where the session says it.
func (s *Stages) compute(steps *Steps, resume bool) {
	if steps.failed {
		return
	}
	state := s.Session.Server().State
	if state == "" {
		return
	}
	steps.Run("compute", func(step *sdk.TestStep) error {
		step.Detail = string(state)
		if state == sdk.StateSuspended && !resume {
			step.Warning = true
			step.Detail += ": the next statement resumes it, which is billed"
		}
		return nil
	})
}

// login connects once and reports what the attempt came to in three steps.
func (s *Stages) login(ctx context.Context, steps *Steps) {
	login := s.Login(ctx)
	// The password was right where the account or its database is the problem.
	kind := sdk.KindOf(login.Err)
	known := kind == sdk.KindNotFound || kind == sdk.KindDenied
	steps.Run("tls", func(step *sdk.TestStep) error {
		if login.Err != nil && !login.Secured && !known && kind != sdk.KindUnauthenticated {
			return login.Err
		}
		step.Detail, step.Warning = login.Detail, login.Warning
		return nil
	})
	steps.Run("login", func(step *sdk.TestStep) error {
		step.Detail = s.Account
		if known {
			return nil
		}
		return login.Err
	})
	steps.Run("database", func(step *sdk.TestStep) error {
		if login.Err != nil {
			return login.Err
		}
		if err := s.Examine(ctx); err != nil {
			return err
		}
		info := s.Session.Server()
		step.Detail = fmt.Sprintf("%s on %s %s", info.Database, info.Product, info.Version)
		return nil
	})
}
