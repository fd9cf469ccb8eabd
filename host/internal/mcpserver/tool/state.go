package tool

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"time"

	"github.com/loam-data/loam/host/internal/caller"
)

// stateTime is how long a client may take to answer what it was asked.
const stateTime = 15 * time.Minute

var errState = errors.New("the state was not issued for this call, or has expired")

// sealer keeps the state of a call with its client: nobody can read it, change it
// or use it for another call or with another token. It is bound to the server, whose
// key nobody else has.
// Concurrency: any goroutine.
type sealer struct {
	box cipher.AEAD
	now func() time.Time
}

func newSealer() *sealer {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // which never fails
	block, err := aes.NewCipher(key)
	if err != nil {
		panic("tool: a key of 32 bytes is none: " + err.Error())
	}
	box, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic("tool: no authenticated encryption: " + err.Error())
	}
	return &sealer{box: box, now: time.Now}
}

func (s *sealer) seal(to []byte, state string) string {
	text := binary.BigEndian.AppendUint64(nil, uint64(s.now().Add(stateTime).Unix()))
	return base64.RawURLEncoding.EncodeToString(s.box.Seal(nil, nil, append(text, state...), to))
}

// open returns what was sealed; nothing was sealed into "".
// Errors: errState.
func (s *sealer) open(to []byte, sealed string) (string, error) {
	if sealed == "" {
		return "", nil
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(sealed)
	if err != nil {
		return "", errState
	}
	text, err := s.box.Open(nil, nil, raw, to)
	if err != nil || len(text) < 8 || s.now().Unix() > int64(binary.BigEndian.Uint64(text)) {
		return "", errState
	}
	return string(text[8:]), nil
}

// boundTo is what tells a call from all others: who makes it, the tool and the
// arguments, however they are spelt.
func boundTo(who *caller.Caller, tool string, arguments json.RawMessage) []byte {
	var value any
	d := json.NewDecoder(bytes.NewReader(arguments))
	d.UseNumber()
	if d.Decode(&value) == nil {
		if text, err := json.Marshal(value); err == nil {
			arguments = text
		}
	}
	sum := sha256.Sum256(append([]byte(who.Principal+"\x00"+tool+"\x00"), arguments...))
	return sum[:]
}
