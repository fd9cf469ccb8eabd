package secret

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/zalando/go-keyring"

	"github.com/loam-data/loam/sdk"
)

// ringService is what secrets of Loam are filed under in a key ring.
const ringService = "loam"

// Ring is a key ring: the Keychain of macOS, the Credential Manager of Windows, the
// Secret Service of a Linux desktop. Its methods may wait for a person to unlock it.
// Errors: keyring.ErrNotFound, keyring.ErrSetDataTooBig, those of the system.
type Ring interface {
	Get(service, name string) (string, error)
	Set(service, name, value string) error
	Delete(service, name string) error
}

// System is the key ring of the person who runs this program.
type System struct{}

func (System) Get(service, name string) (string, error) {
	if err := reachable(); err != nil {
		return "", err
	}
	return keyring.Get(service, name)
}

func (System) Set(service, name, value string) error {
	if err := reachable(); err != nil {
		return err
	}
	return keyring.Set(service, name, value)
}

func (System) Delete(service, name string) error {
	if err := reachable(); err != nil {
		return err
	}
	return keyring.Delete(service, name)
}

// busVariable is the address of the bus of a desktop session, where its key ring is.
const busVariable = "DBUS_SESSION_BUS_ADDRESS"

// reachable looks for the bus on which a key ring answers. The library would start a
// bus of its own where there is none, and leave it behind.
func reachable() error {
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" || os.Getenv(busVariable) != "" {
		return nil
	}
	folder := "/run/user/" + strconv.Itoa(os.Getuid())
	for _, name := range []string{"bus", "dbus-session"} {
		if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
			return nil
		}
	}
	return errors.New("there is no desktop session, and " + busVariable + " is not set")
}

// Keys stores secrets in a key ring by name.
// Concurrency: any number of goroutines.
type Keys struct {
	ring    Ring
	timeout time.Duration
}

// unlocking bounds a call of the key ring for which a person may be asked.
const unlocking = time.Minute

// NewKeys returns the secrets of a key ring. Their methods wait up to a minute for a person
// to unlock the ring.
func NewKeys(ring Ring) Keys { return Keys{ring: ring, timeout: unlocking} }

// Set stores a secret under a name, and replaces an earlier one.
// Errors: KindInvalid for an invalid name or an empty value, KindLimit for a value that is
// too large for the key ring, KindUnavailable without a key ring, KindTimeout.
func (k Keys) Set(ctx context.Context, name string, value sdk.Secret) error {
	ref := Reference{Keyring, name}
	if err := ref.checkName(); err != nil {
		return err
	}
	if value.Reveal() == "" {
		return ref.fail(sdk.KindInvalid, "it is empty").WithHint("give it a value, or take it out: loam secret remove %s", name)
	}
	_, err := k.call(ctx, ref, func() (string, error) { return "", k.ring.Set(ringService, name, value.Reveal()) })
	return err
}

// Remove deletes a secret.
// Errors: KindNotFound, those of Set.
func (k Keys) Remove(ctx context.Context, name string) error {
	ref := Reference{Keyring, name}
	if err := ref.checkName(); err != nil {
		return err
	}
	_, err := k.call(ctx, ref, func() (string, error) { return "", k.ring.Delete(ringService, name) })
	return err
}

// Usable reports whether the key ring can be used, as an error that says why not. It may
// wait for a person to unlock the ring.
// Errors: KindUnavailable, KindTimeout; KindInvalid for a name that no secret can have.
func (k Keys) Usable(ctx context.Context, name string) error {
	_, err := k.get(ctx, Reference{Keyring, name})
	if sdk.KindOf(err) == sdk.KindNotFound {
		return nil
	}
	return err
}

// get returns a secret.
// Errors: KindNotFound, those of Set.
func (k Keys) get(ctx context.Context, ref Reference) (string, error) {
	if err := ref.checkName(); err != nil {
		return "", err
	}
	return k.call(ctx, ref, func() (string, error) { return k.ring.Get(ringService, ref.Rest) })
}

// maxName is the length of a name in a key ring.
const maxName = 128

func (r Reference) checkName() error {
	letter := func(c rune) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' }
	odd := func(c rune) bool { return !letter(c) && !strings.ContainsRune("._/@-", c) }
	if name := r.Rest; name != "" && len(name) <= maxName && letter(rune(name[0])) && !strings.ContainsFunc(name, odd) {
		return nil
	}
	return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%q cannot name a secret of the key ring", r.Rest).
		WithHint("use letters, digits and . _ / @ -, at most 128, such as warehouse-password")
}

// call asks the key ring, which may wait for a person and knows no end: what it does
// after the time is up goes on in the background.
func (k Keys) call(ctx context.Context, ref Reference, ask func() (string, error)) (string, error) {
	type answer struct {
		value string
		err   error
	}
	limited, cancel := context.WithTimeout(ctx, k.timeout)
	defer cancel()
	answers := make(chan answer, 1)
	go func() {
		value, err := ask()
		answers <- answer{value, err}
	}()
	select {
	case a := <-answers:
		return a.value, ref.ringError(a.err)
	case <-limited.Done():
		if ctx.Err() != nil {
			return "", sdk.AsError(ctx.Err(), sdk.SourceHost)
		}
		return "", ref.fail(sdk.KindTimeout, "the key ring did not answer within %s", k.timeout).WithHint("unlock it, then try again")
	}
}

func (r Reference) ringError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, keyring.ErrNotFound):
		return r.fail(sdk.KindNotFound, "the key ring has none of that name").WithHint("put it there: loam secret set %s", r.Rest)
	case errors.Is(err, keyring.ErrSetDataTooBig):
		return r.fail(sdk.KindLimit, "it is larger than the key ring of this system holds").WithHint("keep it in a file that you alone can read, and refer to it as file:path")
	}
	return r.fail(sdk.KindUnavailable, "the key ring cannot be used: %v", err).
		WithHint("on a machine without a desktop, use env:NAME, or file:path with a file that you alone can read")
}
