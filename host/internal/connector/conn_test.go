package connector

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

// resolved is a target whose configuration is the given text, and a counter of
// how often it was resolved.
func resolved(config string) (Target, *atomic.Int32) {
	count := &atomic.Int32{}
	target := fakeTarget()
	target.Fingerprint = config
	target.Open = func(context.Context) (sdk.OpenRequest, error) {
		count.Add(1)
		return sdk.OpenRequest{Config: sdk.Config{JSON: []byte(config)}}, nil
	}
	return target, count
}

func TestOneOpenForAllWhoAsk(t *testing.T) {
	t.Parallel()
	o := &fakeOpener{delay: time.Second}
	var told atomic.Int32
	config := Config{OnOpen: func(id string, info sdk.ServerInfo, err error) {
		if id != "warehouse" || info.Product != "Fake" || err != nil {
			t.Errorf("OnOpen(%q, %+v, %v)", id, info, err)
		}
		told.Add(1)
	}}
	supervise(t, &fakeStarter{open: o.open}, config, func(t *testing.T, s *Supervisor) {
		target, count := resolved("{}")
		var wg sync.WaitGroup
		for range 64 {
			wg.Go(func() { mustLease(t, s, target).Release() })
		}
		wg.Wait()
		if len(o.opened()) != 1 || count.Load() != 1 || told.Load() != 1 {
			t.Errorf("%d opened, %d resolved, %d told; want one each", len(o.opened()), count.Load(), told.Load())
		}
	})
}

func TestFailedOpenIsTriedAgain(t *testing.T) {
	t.Parallel()
	o := &fakeOpener{fail: sdk.Errorf(sdk.KindUnauthenticated, sdk.SourceWarehouse, "wrong password")}
	var told []sdk.Kind
	config := Config{OnOpen: func(_ string, _ sdk.ServerInfo, err error) { told = append(told, sdk.KindOf(err)) }}
	supervise(t, &fakeStarter{open: o.open}, config, func(t *testing.T, s *Supervisor) {
		target, count := resolved("{}")
		if _, err := s.Lease(t.Context(), target); sdk.KindOf(err) != sdk.KindUnauthenticated {
			t.Errorf("Lease = %v, want unauthenticated", err)
		}
		o.fail = nil
		mustLease(t, s, target).Release()
		if count.Load() != 2 {
			t.Errorf("resolved %d times, want 2", count.Load())
		}
		if diff := cmp.Diff([]sdk.Kind{sdk.KindUnauthenticated, ""}, told); diff != "" {
			t.Errorf("OnOpen (-want +got):\n%s", diff)
		}
	})
}

func TestMissingSecretOpensNothing(t *testing.T) {
	t.Parallel()
	o := &fakeOpener{}
	missing := sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "env:NOPE is not set")
	supervise(t, &fakeStarter{open: o.open}, Config{}, func(t *testing.T, s *Supervisor) {
		target := fakeTarget()
		target.Open = func(context.Context) (sdk.OpenRequest, error) { return sdk.OpenRequest{}, missing }
		if _, err := s.Lease(t.Context(), target); !errors.Is(err, missing) {
			t.Errorf("Lease = %v, want %v", err, missing)
		}
		if len(o.opened()) != 0 {
			t.Error("something was opened")
		}
	})
}

func TestAbandonedOpenIsCanceled(t *testing.T) {
	t.Parallel()
	o := &fakeOpener{delay: time.Hour}
	supervise(t, &fakeStarter{open: o.open}, Config{}, func(t *testing.T, s *Supervisor) {
		target, _ := resolved("{}")
		first, stopFirst := context.WithTimeout(t.Context(), time.Second)
		defer stopFirst()
		second, stopSecond := context.WithTimeout(t.Context(), time.Minute)
		defer stopSecond()
		var wg sync.WaitGroup
		for _, ctx := range []context.Context{first, second} {
			wg.Go(func() {
				if _, err := s.Lease(ctx, target); sdk.KindOf(err) != sdk.KindTimeout {
					t.Errorf("Lease = %v, want timeout", err)
				}
			})
		}
		time.Sleep(2 * time.Second)
		if o.canceled.Load() != 0 {
			t.Error("the open was canceled although somebody waited for it")
		}
		wg.Wait()
		synctest.Wait()
		if o.canceled.Load() != 1 {
			t.Errorf("%d opens canceled, want 1", o.canceled.Load())
		}
		o.delay = 0
		mustLease(t, s, target).Release()
	})
}

func TestChangedConfiguration(t *testing.T) {
	t.Parallel()
	o := &fakeOpener{}
	supervise(t, &fakeStarter{open: o.open}, Config{}, func(t *testing.T, s *Supervisor) {
		before, _ := resolved("old")
		after, _ := resolved("new")
		running := mustLease(t, s, before)
		changed := mustLease(t, s, after)
		changed.Release()
		old, current := o.opened()["warehouse"], o.opened()["warehouse~2"]
		if old == nil || current == nil || current.config != "new" || changed.Session != sdk.Session(current) {
			t.Fatalf("opened %v, want the old and the new configuration", o.opened())
		}
		synctest.Wait()
		if old.closed.Load() != 0 {
			t.Error("the old connection was closed under a running call")
		}
		running.Release()
		synctest.Wait()
		if old.closed.Load() != 1 || current.closed.Load() != 0 {
			t.Errorf("old closed %d times, new %d; want 1 and 0", old.closed.Load(), current.closed.Load())
		}
	})
}

func TestSameConfigurationStaysOpen(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		first, second string // fingerprints
		resolved      int32
	}{
		"same fingerprint":    {"1", "1", 1},
		"another fingerprint": {"1", "2", 2},
		"no fingerprint":      {"", "", 2},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := &fakeOpener{}
			supervise(t, &fakeStarter{open: o.open}, Config{}, func(t *testing.T, s *Supervisor) {
				target, count := resolved("{}")
				target.Fingerprint = test.first
				mustLease(t, s, target).Release()
				target.Fingerprint = test.second
				mustLease(t, s, target).Release()
				if len(o.opened()) != 1 || count.Load() != test.resolved {
					t.Errorf("%d opened, %d resolved; want 1 and %d", len(o.opened()), count.Load(), test.resolved)
				}
			})
		})
	}
}

func TestLostConnectionIsOpenedUnderItsName(t *testing.T) {
	t.Parallel()
	o := &fakeOpener{}
	f := &fakeStarter{open: o.open}
	supervise(t, f, Config{}, func(t *testing.T, s *Supervisor) {
		target, count := resolved("{}")
		lease := mustLease(t, s, target)
		defer lease.Release()
		lost := o.opened()["warehouse"]
		if err := f.last().reopen(t.Context()); err != nil {
			t.Fatal(err)
		}
		if again := o.opened()["warehouse"]; again == lost || again == nil || count.Load() != 2 {
			t.Errorf("opened %v after %d resolutions, want it anew after 2", o.opened(), count.Load())
		}
	})
}

func TestRefusedCredentialsAreResolvedAgain(t *testing.T) {
	t.Parallel()
	o := &fakeOpener{}
	f := &fakeStarter{open: o.open}
	supervise(t, f, Config{}, func(t *testing.T, s *Supervisor) {
		target, count := resolved("{}")
		mustLease(t, s, target).Release()
		f.last().refused()
		mustLease(t, s, target).Release()
		mustLease(t, s, target).Release()
		if len(o.opened()) != 2 || count.Load() != 2 {
			t.Errorf("%d opened, %d resolved; want 2 and 2", len(o.opened()), count.Load())
		}
	})
}

func TestDigestTellsConfigurationsApart(t *testing.T) {
	t.Parallel()
	secret := func(v string) map[string]sdk.Secret { return map[string]sdk.Secret{"password": sdk.NewSecret(v)} }
	base := sdk.OpenRequest{ConnectionID: "a", Config: sdk.Config{JSON: []byte("{}"), Secrets: secret("one")}, MaxOpen: 1}
	cases := map[string]struct {
		other sdk.OpenRequest
		same  bool
	}{
		"connection id": {sdk.OpenRequest{ConnectionID: "b", Config: base.Config, MaxOpen: 1}, true},
		"config":        {sdk.OpenRequest{Config: sdk.Config{JSON: []byte("{ }"), Secrets: secret("one")}, MaxOpen: 1}, false},
		"secret":        {sdk.OpenRequest{Config: sdk.Config{JSON: []byte("{}"), Secrets: secret("two")}, MaxOpen: 1}, false},
		"limits":        {sdk.OpenRequest{Config: base.Config, MaxOpen: 2}, false},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := digest(base) == digest(test.other); got != test.same {
				t.Errorf("same = %v, want %v", got, test.same)
			}
		})
	}
}
