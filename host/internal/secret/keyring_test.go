package secret

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/zalando/go-keyring"

	"github.com/loam-data/loam/sdk"
)

// ring is a key ring in memory.
type ring struct {
	held map[string]string
	fail error
	wait chan struct{} // nil = unlocked
}

func (r *ring) locked() error {
	if r.wait != nil {
		<-r.wait
	}
	return r.fail
}

func (r *ring) Get(service, name string) (string, error) {
	if err := r.locked(); err != nil {
		return "", err
	}
	value, ok := r.held[service+"/"+name]
	if !ok {
		return "", keyring.ErrNotFound
	}
	return value, nil
}

func (r *ring) Set(service, name, value string) error {
	if err := r.locked(); err != nil {
		return err
	}
	r.held[service+"/"+name] = value
	return nil
}

func (r *ring) Delete(service, name string) error {
	if _, err := r.Get(service, name); err != nil {
		return err
	}
	delete(r.held, service+"/"+name)
	return nil
}

// trusting resolves every reference, those to the key ring from r.
func trusting(t *testing.T, r Ring) *Resolver {
	t.Helper()
	resolver := New(t.TempDir(), nil, slog.New(slog.DiscardHandler)).Granting(func(string) bool { return true })
	resolver.ring = r
	return resolver
}

func TestKeyring(t *testing.T) {
	t.Parallel()
	r := &ring{held: map[string]string{}}
	keys := NewKeys(r)
	if err := keys.Set(t.Context(), "team/warehouse", sdk.NewSecret(canary)); err != nil {
		t.Fatal(err)
	}
	got, err := trusting(t, r).Resolve(t.Context(), "keyring:team/warehouse")
	if err != nil || got.Reveal() != canary {
		t.Errorf("resolved %q, %v", got.Reveal(), err)
	}
	untrusted := New(t.TempDir(), nil, slog.New(slog.DiscardHandler))
	untrusted.ring = r
	if _, err := untrusted.Resolve(t.Context(), "keyring:team/warehouse"); sdk.KindOf(err) != sdk.KindDenied {
		t.Errorf("without trust: %v", err)
	}
	if err := keys.Remove(t.Context(), "team/warehouse"); err != nil {
		t.Fatal(err)
	}
	if _, err := trusting(t, r).Resolve(t.Context(), "keyring:team/warehouse"); sdk.KindOf(err) != sdk.KindNotFound || !strings.Contains(sdk.AsError(err, "").Hint, "loam secret set team/warehouse") {
		t.Errorf("after it was removed: %v", err)
	}
}

// A key ring is usable when it answers, whether it has the secret or not; where a value was
// supplied, it is not asked.
func TestUsableKeyring(t *testing.T) {
	t.Parallel()
	if err := NewKeys(&ring{held: map[string]string{}}).Usable(t.Context(), "a"); err != nil {
		t.Errorf("an empty one: %v", err)
	}
	if err := NewKeys(&ring{fail: errors.New("no bus")}).Usable(t.Context(), "a"); sdk.KindOf(err) != sdk.KindUnavailable {
		t.Errorf("none: %v", err)
	}
	resolver := trusting(t, &ring{fail: errors.New("no bus")})
	resolver.Supply("keyring:a", sdk.NewSecret(canary))
	if got, err := resolver.Resolve(t.Context(), "keyring:a"); err != nil || got.Reveal() != canary {
		t.Errorf("supplied: %v", err)
	}
	none := resolver.Granting(func(string) bool { return false })
	if _, err := none.Resolve(t.Context(), "keyring:a"); sdk.KindOf(err) != sdk.KindDenied {
		t.Errorf("supplied and not granted: %v", err)
	}
}

func TestKeyringRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, key, value string
		ring             *ring
		kind             sdk.Kind
	}{
		{"a name with a space", "ware house", canary, &ring{}, sdk.KindInvalid},
		{"a name of another script", "stra\u00dfe", canary, &ring{}, sdk.KindInvalid},
		{"a name that is an option", "-f", canary, &ring{}, sdk.KindInvalid},
		{"a long name", strings.Repeat("n", maxName+1), canary, &ring{}, sdk.KindInvalid},
		{"no name", "", canary, &ring{}, sdk.KindInvalid},
		{"no value", "a", "", &ring{}, sdk.KindInvalid},
		{"too large", "a", canary, &ring{fail: keyring.ErrSetDataTooBig}, sdk.KindLimit},
		{"no key ring", "a", canary, &ring{fail: errors.New("no bus")}, sdk.KindUnavailable},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			err := NewKeys(c.ring).Set(t.Context(), c.key, sdk.NewSecret(c.value))
			if sdk.KindOf(err) != c.kind || sdk.AsError(err, "").Hint == "" || strings.Contains(err.Error(), canary) {
				t.Errorf("%v, want %s with a hint", err, c.kind)
			}
		})
	}
}

// A key ring that waits for a person ends neither the program nor its caller's patience.
func TestLockedKeyring(t *testing.T) {
	t.Parallel()
	r := &ring{wait: make(chan struct{})}
	defer close(r.wait)
	keys := Keys{ring: r, timeout: time.Millisecond}
	if _, err := keys.get(t.Context(), Reference{Keyring, "a"}); sdk.KindOf(err) != sdk.KindTimeout {
		t.Errorf("a locked one: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := NewKeys(r).get(ctx, Reference{Keyring, "a"}); sdk.KindOf(err) != sdk.KindCanceled {
		t.Errorf("a caller who left: %v", err)
	}
}
