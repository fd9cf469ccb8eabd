// Package signature signs and verifies what publishers release, with minisign's keys and files.
// Source: https://jedisct1.github.io/minisign/.
package signature

import (
	"crypto/rand"
	"strings"

	"aead.dev/minisign"

	"github.com/loam-data/loam/sdk"
)

// Key is the public key of a publisher: 56 characters that begin with RW.
type Key string

// ParseKey reads a public key, bare or as a file has it.
// Errors: KindInvalid.
func ParseKey(text string) (Key, error) {
	var key minisign.PublicKey
	if err := key.UnmarshalText([]byte(strings.TrimSpace(text))); err != nil {
		return "", sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "this is no public key of minisign").
			WithHint("a public key is 56 characters that begin with RW; loam connector keygen makes a pair")
	}
	return Key(key.String()), nil
}

// File is the key as minisign writes it into a file.
func (k Key) File() []byte {
	return []byte("untrusted comment: minisign public key\n" + string(k) + "\n")
}

// Verify reports whether the key signed a message.
// Errors: KindDenied.
func (k Key) Verify(message, signature []byte) error {
	var key minisign.PublicKey
	if err := key.UnmarshalText([]byte(k)); err != nil {
		return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "%q is no public key of minisign", string(k))
	}
	var s minisign.Signature
	switch err := s.UnmarshalText(signature); {
	case err != nil:
		return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "the signature is none of minisign")
	case s.KeyID != key.ID():
		return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "the signature is of another key than %s", k)
	case !minisign.Verify(key, message, signature):
		return sdk.Errorf(sdk.KindDenied, sdk.SourceHost, "the signature does not fit: this is not what the key %s signed", k)
	}
	return nil
}

// Signer is a key pair.
type Signer struct{ private minisign.PrivateKey }

// NewSigner makes a key pair.
func NewSigner() (*Signer, error) {
	_, private, err := minisign.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	return &Signer{private}, nil
}

// Encrypted reports whether the file of a secret key needs its passphrase.
func Encrypted(file []byte) bool { return minisign.IsEncrypted(file) }

// ReadSigner reads the file of a secret key. The passphrase of one that is not encrypted is ignored.
// Errors: KindInvalid for a file that is none, KindDenied for a wrong passphrase.
func ReadSigner(file []byte, passphrase sdk.Secret) (*Signer, error) {
	if Encrypted(file) {
		private, err := minisign.DecryptKey(passphrase.Reveal(), file)
		if err != nil {
			return nil, sdk.Errorf(sdk.KindDenied, sdk.SourceCaller, "the passphrase of the secret key is wrong")
		}
		return &Signer{private}, nil
	}
	var private minisign.PrivateKey
	if err := private.UnmarshalText(file); err != nil {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "this is no secret key of minisign").
			WithHint("loam connector keygen makes a pair")
	}
	return &Signer{private}, nil
}

// File is the secret key as minisign writes it into a file, encrypted unless the passphrase is empty.
func (s *Signer) File(passphrase sdk.Secret) ([]byte, error) {
	if passphrase.IsZero() {
		return s.private.MarshalText()
	}
	return minisign.EncryptKey(passphrase.Reveal(), s.private)
}

// Key is the public key of the pair.
func (s *Signer) Key() Key { return Key(s.private.Public().(minisign.PublicKey).String()) }

// Sign returns the signature of a message. The comment is signed, too, and shown to who verifies it; the same message and
// comment have the same signature.
func (s *Signer) Sign(message []byte, comment string) []byte {
	return minisign.SignWithComments(s.private, message, comment, "signature of "+string(s.Key()))
}
