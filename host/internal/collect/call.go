package collect

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/chunk"
	"github.com/loam-data/loam/sdk"
)

// maxClientID is the longest name of a call, in characters.
const maxClientID = 64

// call identifies a call that named itself; the zero call did not.
type call struct {
	id        string
	arguments chunk.Hash
}

// nameCall returns the call with a name that its caller chose.
// Errors: KindInvalid for an invalid name.
func nameCall(tool, name string, by change.Actor, arguments any) (c call, err error) {
	if name == "" {
		return c, nil
	}
	if n := utf8.RuneCountInString(name); n > maxClientID || !nameable(name) {
		return c, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the clientId has %d characters, or control characters; the limit is %d", n, maxClientID).
			WithHint("send a shorter one, such as a ULID")
	}
	who, err := json.Marshal([]string{tool, string(by.Channel), by.Principal, by.Client, by.User, name})
	if err != nil {
		return c, err
	}
	said, err := json.Marshal(arguments)
	if err != nil {
		return c, err
	}
	id := sha256.Sum256(who)
	return call{id: hex.EncodeToString(id[:16]), arguments: sha256.Sum256(said)}, nil
}

// before returns the answer of the earlier call with the same name; nil = there is none.
// Errors: KindConflict if that call had other arguments.
func (s *Service) before(ctx context.Context, c *call) (*Answer, error) {
	if c.id == "" {
		return nil, nil
	}
	earlier, err := s.config.Chunks.Call(ctx, c.id)
	if err != nil || earlier == nil {
		return nil, err
	}
	if earlier.Arguments != c.arguments {
		return nil, sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "the clientId was used for a call with other arguments").
			WithHint("give each call a clientId of its own")
	}
	a := &Answer{}
	if err := json.Unmarshal(earlier.Answer, a); err != nil {
		return nil, err
	}
	a.Repeated = true
	return a, nil
}

// answered stores the answer of a call that named itself.
func (s *Service) answered(ctx context.Context, c *call, a *Answer) error {
	if c.id == "" {
		return nil
	}
	text, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return s.config.Chunks.Answered(ctx, &chunk.Call{ID: c.id, Arguments: c.arguments, Answer: text})
}
