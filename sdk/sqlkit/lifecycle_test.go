package sqlkit_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// staged is a session of which only the stages count.
type staged struct {
	sdk.Session
	info   sdk.ServerInfo
	closed int
}

func (s *staged) Server() sdk.ServerInfo { return s.info }

func (s *staged) Close(context.Context) error {
	s.closed++
	return nil
}

type stagedConfig struct {
	Host string `json:"host" doc:"A host." required:"true"`
}

var stagedRequest = sdk.OpenRequest{Config: sdk.Config{JSON: []byte(`{"host": "h"}`)}}

func TestLifecycleOpen(t *testing.T) {
	t.Parallel()
	refused := sdk.Errorf(sdk.KindDenied, sdk.SourceWarehouse, "no")
	for _, tt := range []struct {
		name         string
		req          sdk.OpenRequest
		made, failed error
		want         sdk.Kind
		closed       int
	}{
		{"opens", stagedRequest, nil, nil, "", 0},
		{"wrong configuration", sdk.OpenRequest{}, nil, nil, sdk.KindInvalid, 0},
		{"is not made", stagedRequest, refused, nil, sdk.KindDenied, 0},
		{"does not pass the examination", stagedRequest, nil, refused, sdk.KindDenied, 1},
	} {
		s := &staged{}
		life := sqlkit.Lifecycle[stagedConfig]{New: func(c *stagedConfig, req sdk.OpenRequest) (*sqlkit.Stages, error) {
			if c.Host != "h" || req.MaxOpen == 0 || req.StatementTimeout == 0 {
				t.Errorf("%s: made of %+v, %+v", tt.name, c, req)
			}
			return &sqlkit.Stages{Session: s, Examine: func(context.Context) error { return tt.failed }}, tt.made
		}}
		got, err := life.Open(t.Context(), tt.req)
		if sdk.KindOf(err) != tt.want || (got == nil) == (tt.want == "") || s.closed != tt.closed {
			t.Errorf("%s: %v, %v, closed %d times", tt.name, got, err, s.closed)
		}
	}
}

func TestLifecycleTest(t *testing.T) {
	t.Parallel()
	const readOnly = "read-only by session: a mode"
	fails := func(kind sdk.Kind) error { return sdk.Errorf(kind, sdk.SourceWarehouse, "no") }
	risky := []sdk.Diagnostic{{Summary: "may write"}, {Summary: "may drop"}}
	for _, tt := range []struct {
		name     string
		problems []sdk.Diagnostic
		unmade   error
		reach    error
		login    sqlkit.Login
		examined error
		read     error
		warnings []sdk.Diagnostic
		write    error
		state    sdk.State
		resume   bool
		want     []string
	}{
		{
			name: "good", login: sqlkit.Login{Secured: true, Detail: "TLS"}, write: fails(sdk.KindNotReadOnly),
			want: []string{"config", "tcp", "tls TLS", "login me", "database shop on Toy 1", "read", "no_write " + readOnly},
		},
		{
			name: "to be looked at", problems: []sdk.Diagnostic{{Severity: sdk.SeverityWarning, Summary: "odd"}}, warnings: risky,
			login: sqlkit.Login{Detail: "plain", Warning: true}, write: fails(sdk.KindDenied),
			want: []string{"config odd !", "tcp", "tls plain !", "login me", "database shop on Toy 1", "read", "no_write may write; may drop; " + readOnly + " ! CREATE USER"},
		},
		{
			name: "suspended", state: sdk.StateSuspended, write: fails(sdk.KindNotReadOnly),
			want: []string{
				"config", "tcp", "tls", "login me", "database shop on Toy 1",
				"compute suspended: the next statement resumes it, which is billed !", "read", "no_write " + readOnly,
			},
		},
		{
			name: "resumed", state: sdk.StateSuspended, resume: true, write: fails(sdk.KindNotReadOnly),
			want: []string{"config", "tcp", "tls", "login me", "database shop on Toy 1", "compute suspended", "read", "no_write " + readOnly},
		},
		{
			name: "running", state: sdk.StateRunning, write: fails(sdk.KindNotReadOnly),
			want: []string{"config", "tcp", "tls", "login me", "database shop on Toy 1", "compute running", "read", "no_write " + readOnly},
		},
		{name: "not made", unmade: fails(sdk.KindInvalid), want: []string{"config = invalid"}},
		{name: "not reached", reach: fails(sdk.KindUnavailable), want: []string{"config", "tcp = unavailable"}},
		{name: "no TLS", login: sqlkit.Login{Err: fails(sdk.KindUnavailable)}, want: []string{"config", "tcp", "tls = unavailable"}},
		{name: "broke off", login: sqlkit.Login{Err: fails(sdk.KindUnavailable), Secured: true}, want: []string{"config", "tcp", "tls", "login me = unavailable"}},
		{name: "wrong password", login: sqlkit.Login{Err: fails(sdk.KindUnauthenticated)}, want: []string{"config", "tcp", "tls", "login me = unauthenticated"}},
		{name: "no database", login: sqlkit.Login{Err: fails(sdk.KindNotFound)}, want: []string{"config", "tcp", "tls", "login me", "database = not_found"}},
		{name: "examined", examined: fails(sdk.KindTimeout), want: []string{"config", "tcp", "tls", "login me", "database = timeout"}},
		{name: "unread", read: fails(sdk.KindDenied), want: []string{"config", "tcp", "tls", "login me", "database shop on Toy 1", "read = denied"}},
		{name: "written", want: []string{"config", "tcp", "tls", "login me", "database shop on Toy 1", "read", "no_write " + readOnly + " = internal"}},
		{name: "unwritten", write: fails(sdk.KindTimeout), want: []string{"config", "tcp", "tls", "login me", "database shop on Toy 1", "read", "no_write " + readOnly + " = timeout"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := &staged{info: sdk.ServerInfo{
				Product: "Toy", Version: "1", Database: "shop", ReadOnly: sdk.ReadOnlySession, ReadOnlyMechanism: "a mode", Warnings: tt.warnings,
				State: tt.state,
			}}
			life := sqlkit.Lifecycle[stagedConfig]{
				Problems: func(*stagedConfig) []sdk.Diagnostic { return tt.problems },
				New: func(*stagedConfig, sdk.OpenRequest) (*sqlkit.Stages, error) {
					return &sqlkit.Stages{
						Session: s, Account: "me",
						Reach: func(_ context.Context, steps *sqlkit.Steps) bool {
							return steps.Run("tcp", func(*sdk.TestStep) error { return tt.reach })
						},
						Login:   func(context.Context) sqlkit.Login { return tt.login },
						Examine: func(context.Context) error { return tt.examined },
						Read:    func(context.Context, *sdk.TestStep) error { return tt.read },
						Write:   func(context.Context) error { return tt.write },
						Reader:  func() []string { return []string{"CREATE USER"} },
					}, tt.unmade
				},
			}
			var got []string
			req := stagedRequest
			req.Resume = tt.resume
			err := life.Test(t.Context(), req, func(step sdk.TestStep) {
				text := step.Name
				if step.Detail != "" {
					text += " " + step.Detail
				}
				if step.Warning {
					text += " !"
				}
				for _, statement := range step.Statements {
					text += " " + statement
				}
				if step.Err != nil {
					text += " = " + string(step.Err.Kind)
				}
				got = append(got, text)
			})
			if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
			if made := tt.unmade == nil; made != (s.closed == 1) {
				t.Errorf("closed %d times", s.closed)
			}
		})
	}
}

func TestAuthority(t *testing.T) {
	t.Parallel()
	rights := []sdk.Diagnostic{{Summary: "may write"}}
	for _, tt := range []struct {
		name, standby string
		rights        []sdk.Diagnostic
		level         sdk.ReadOnlyLevel
		mechanism     string
	}{
		{"a writer", "", rights, sdk.ReadOnlySession, "a mode"},
		{"a reader", "", nil, sdk.ReadOnlyEngine, "the account has no right to write; a mode"},
		{"a writer on a standby", "a standby", rights, sdk.ReadOnlyEngine, "a standby; a mode"},
	} {
		var life sqlkit.Life
		life.Authority("a mode", tt.standby, tt.rights)
		if info := life.Server(); info.ReadOnly != tt.level || info.ReadOnlyMechanism != tt.mechanism || len(info.Warnings) != len(tt.rights) {
			t.Errorf("%s: %+v", tt.name, info)
		}
	}
}

// What ended a statement goes before what the engine or the driver says of it.
func TestEnding(t *testing.T) {
	t.Parallel()
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	late, cancelLate := context.WithTimeout(t.Context(), 0)
	defer cancelLate()
	native := errors.New("the engine says")
	known := sdk.Errorf(sdk.KindNotReadOnly, sdk.SourceCaller, "no")
	for _, tt := range []struct {
		name    string
		ctx     context.Context
		err     error
		stopped bool
		took    time.Duration
		want    sdk.Kind
		code    string
	}{
		{"done", t.Context(), nil, false, 0, "", ""},
		{"done as the caller went", canceled, nil, false, 0, "", ""},
		{"enough", t.Context(), sdk.ErrLimit, false, 0, "", ""},
		{"canceled", canceled, native, true, 0, sdk.KindCanceled, ""},
		{"canceled when the time was over", canceled, native, true, time.Hour, sdk.KindCanceled, ""},
		{"canceled, and an error of its own", canceled, native, false, 0, sdk.KindSyntax, "7"},
		{"the caller's deadline", late, native, true, 0, sdk.KindTimeout, ""},
		{"the limit", t.Context(), native, true, time.Minute, sdk.KindTimeout, "7"},
		{"the limit, without an error", t.Context(), nil, true, time.Minute, sdk.KindTimeout, ""},
		{"ended by others", t.Context(), native, true, 0, sdk.KindSyntax, "7"},
		{"known", t.Context(), known, true, 0, sdk.KindNotReadOnly, ""},
		{"lost", t.Context(), errors.New("eof"), true, 0, sdk.KindUnavailable, ""},
	} {
		ending := sqlkit.Ending{
			Err: tt.err, Stopped: tt.stopped, Took: tt.took, Limit: time.Minute, Lost: func(err error) error { return sqlkit.Lost(err) },
			Native: func(err error) *sdk.Error {
				if err != native {
					return nil
				}
				return sqlkit.Caller(sdk.KindSyntax, "correct it").Error("7", "wrong", err)
			},
		}
		err := ending.Error(tt.ctx)
		e := &sdk.Error{}
		if err != nil {
			e = sdk.AsError(err, "")
		}
		if e.Kind != tt.want || e.Code != tt.code || tt.want == sdk.KindTimeout && !e.Retry {
			t.Errorf("%s: got %v, code %q", tt.name, err, e.Code)
		}
	}
}

func TestLifecycleWarehouse(t *testing.T) {
	t.Parallel()
	life := sqlkit.Lifecycle[stagedConfig]{Problems: func(*stagedConfig) []sdk.Diagnostic { return []sdk.Diagnostic{{Path: "host"}} }}
	c := life.Warehouse(sdk.Connector{ID: "x", Capabilities: sdk.Capabilities{CostEstimate: true}})
	want := sdk.Capabilities{Explain: true, Validate: true, Profile: true, QueryLog: true, ServerCancel: true, Params: true, CostEstimate: true}
	if diff := cmp.Diff(want, c.Capabilities); diff != "" || c.ID != "x" || c.Open == nil || c.Test == nil {
		t.Errorf("%+v (-want +got):\n%s", c, diff)
	}
	if found := c.ValidateConfig(stagedRequest.Config); len(found) != 1 {
		t.Errorf("problems: %v", found)
	}
}
