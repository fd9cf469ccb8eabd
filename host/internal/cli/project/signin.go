package project

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// longestSignIn bounds a sign-in whose connector names no deadline.
const longestSignIn = 15 * time.Minute

// errExpired is the cause of a sign-in that reached its deadline.
var errExpired = errors.New("the time of the sign-in is over")

// signIn shows a person the prompts of a sign-in and waits for it.
type signIn struct {
	term    *terminal.Terminal
	browser bool // open each address
	expire  *time.Timer
	stop    func() // removes the line of progress
}

func newSignIn(term *terminal.Terminal, browser bool) *signIn {
	return &signIn{term: term, browser: browser, stop: func() {}}
}

// run signs a person in.
// Errors: KindCanceled, KindTimeout, those of the connector.
func (s *signIn) run(ctx context.Context, services *Services, c connection.Connection) (sdk.Credentials, error) {
	limited, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s.expire = time.AfterFunc(longestSignIn, func() { cancel(errExpired) })
	defer s.expire.Stop()
	credentials, err := services.SignIn(limited, c, s.prompt)
	s.stop()
	if err == nil {
		return credentials, nil
	}
	again := "sign in again: loam connection login " + string(c.ID)
	switch {
	case ctx.Err() != nil:
		return sdk.Credentials{}, sdk.Errorf(sdk.KindCanceled, sdk.SourceCaller, "cancelled: nobody signed in, and nothing was changed").WithHint("%s", again)
	case context.Cause(limited) == errExpired:
		return sdk.Credentials{}, sdk.Errorf(sdk.KindTimeout, sdk.SourceCaller, "nobody signed in while the address could be used").WithHint("%s", again)
	}
	e := *sdk.AsError(err, sdk.SourceConnector)
	if e.Kind == sdk.KindUnauthenticated || e.Kind == sdk.KindTimeout {
		if e.Hint != "" {
			again = e.Hint + "\n" + again
		}
		e.Hint = again
	}
	return sdk.Credentials{}, &e
}

// prompt shows a prompt to the person.
func (s *signIn) prompt(p sdk.Prompt) error {
	s.stop()
	if !terminal.IsWebAddress(p.URL) {
		return sdk.Errorf(sdk.KindInternal, sdk.SourceConnector, "the connector's sign-in names no web address to open").
			WithHint("report this to the author of the connector")
	}
	until := longestSignIn
	if !p.Expires.IsZero() {
		until = time.Until(p.Expires)
	}
	s.expire.Reset(until)
	if err := s.show(p, until); err != nil {
		return err
	}
	if s.browser {
		if err := terminal.OpenBrowser(p.URL); err != nil {
			s.term.Warn(err)
		}
	}
	s.wait(until)
	return nil
}

func (s *signIn) show(p sdk.Prompt, until time.Duration) error {
	if s.term.JSON {
		d := promptDocument{URL: p.URL, Code: p.Code}
		if !p.Expires.IsZero() {
			d.Expires = p.Expires.UTC().Format(time.RFC3339)
		}
		return d.write(s.term)
	}
	s.term.Infof("open this address in a browser, and sign in there:\n\n  %s\n", terminal.Escape(p.URL))
	if p.Code != "" {
		s.term.Infof("the code to enter: %s", terminal.Escape(p.Code))
	}
	if !p.Expires.IsZero() {
		s.term.Infof("both can be used until %s, for %s", text.Clock(p.Expires), text.Elapsed(max(0, until)))
	}
	s.term.Infof("waiting until you have signed in; ctrl-c ends it")
	return nil
}

// wait shows the elapsed time as progress, until s.stop.
func (s *signIn) wait(until time.Duration) {
	line := s.term.NewProgress()
	started, done := time.Now(), make(chan struct{})
	var shown sync.WaitGroup
	shown.Go(func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-done:
				line.Clear()
				return
			case <-tick.C:
				past := time.Since(started)
				line.Update(min(1, past.Seconds()/until.Seconds()), "of the time is over; "+text.Elapsed(max(0, until-past))+" left to sign in")
			}
		}
	})
	s.stop = func() {
		s.stop = func() {}
		close(done)
		shown.Wait()
	}
}
