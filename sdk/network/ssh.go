package network

import (
	"crypto/x509"
	"errors"
	"net"
	"os"
	"strconv"

	"golang.org/x/crypto/ssh"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// SSH is the part of a configuration that names a tunnel: with a host, every
// connection to the warehouse goes through it. Connectors have it as the field
// "ssh".
type SSH struct {
	Host       string     `json:"host" doc:"SSH server to go through; without it, there is no tunnel"`
	Port       int        `json:"port" doc:"Port of the SSH server" default:"22" min:"1" max:"65535"`
	User       string     `json:"user" doc:"Account on the SSH server"`
	Key        string     `json:"key" doc:"File of the private key to log in with" format:"path"`
	Passphrase sdk.Secret `json:"passphrase" doc:"Passphrase of the private key, if it has one"`
	Password   sdk.Secret `json:"password" doc:"Password of the account, where it is not a key that counts"`
	KnownHosts string     `json:"known_hosts" doc:"File of the SSH servers' public keys; without it, .ssh/known_hosts of the home folder. A server that is not in it is refused" format:"path"`
}

// Problems checks rules that the schema cannot express; the paths are those of
// the field "ssh".
func (s *SSH) Problems() []sdk.Diagnostic {
	var found sqlkit.Problems
	if !s.configured() {
		some := s.User != "" || s.Key != "" || s.KnownHosts != "" || !s.Password.IsZero() || !s.Passphrase.IsZero()
		found.Wrong(some, "ssh.host", "is required for a tunnel")
		return found
	}
	found.Wrong(s.User == "", "ssh.user", "is required for a tunnel")
	found.Wrong(s.Key == "" && s.Password.IsZero(), "ssh.key", "is required for a tunnel, or a password")
	found.Wrong(s.Key == "" && !s.Passphrase.IsZero(), "ssh.passphrase", "is of no use without a key")
	return found
}

// configured reports whether there is a tunnel.
func (s *SSH) configured() bool { return s.Host != "" }

func (s *SSH) address() string { return net.JoinHostPort(s.Host, strconv.Itoa(s.Port)) }

// client returns what the SSH library needs to know.
// Errors: KindInvalid for a key or a known_hosts file that cannot be used;
// KindUnauthenticated for a server that is not in it.
func (s *SSH) client() (*ssh.ClientConfig, error) {
	known, err := s.hostKeys()
	if err != nil {
		return nil, err
	}
	c := &ssh.ClientConfig{User: s.User, HostKeyCallback: known.check, HostKeyAlgorithms: known.algorithms}
	if s.Key != "" {
		key, err := s.signer()
		if err != nil {
			return nil, err
		}
		c.Auth = append(c.Auth, ssh.PublicKeys(key))
	}
	if !s.Password.IsZero() {
		c.Auth = append(c.Auth, ssh.Password(s.Password.Reveal()), ssh.KeyboardInteractive(s.answer()))
	}
	return c, nil
}

func (s *SSH) signer() (ssh.Signer, error) {
	text, err := os.ReadFile(s.Key)
	if err != nil {
		return nil, s.invalid("set ssh.key to a readable file of a private key", "ssh.key: %w", err)
	}
	key, err := ssh.ParsePrivateKey(text)
	if _, locked := errors.AsType[*ssh.PassphraseMissingError](err); locked {
		if s.Passphrase.IsZero() {
			return nil, s.invalid("set ssh.passphrase by reference", "ssh.key: %s is encrypted", s.Key)
		}
		key, err = ssh.ParsePrivateKeyWithPassphrase(text, []byte(s.Passphrase.Reveal()))
		if errors.Is(err, x509.IncorrectPasswordError) {
			return nil, s.invalid("correct the passphrase that ssh.passphrase refers to", "ssh.passphrase does not open %s", s.Key)
		}
	}
	if err != nil {
		return nil, s.invalid("set ssh.key to a private key in OpenSSH's or PEM form", "ssh.key: %s: %w", s.Key, err)
	}
	return key, nil
}

// answer gives the password to the first hidden question, as servers ask for it
// that know no plain passwords. A second question would be for something else.
func (s *SSH) answer() ssh.KeyboardInteractiveChallenge {
	asked := false
	return func(_, _ string, questions []string, echo []bool) ([]string, error) {
		if len(questions) == 0 {
			return nil, nil
		}
		if asked || len(questions) > 1 || echo[0] {
			return nil, s.refused("log in with a key, or have the server ask for a password alone", "the SSH server asks %q", questions[len(questions)-1])
		}
		asked = true
		return []string{s.Password.Reveal()}, nil
	}
}
