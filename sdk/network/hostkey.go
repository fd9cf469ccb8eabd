package network

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/loam-data/loam/sdk"
)

// hostKeys are the keys that a server may show.
type hostKeys struct {
	ssh  *SSH
	file string
	look ssh.HostKeyCallback
	// algorithms are those of the keys that are known of the server: it must not
	// choose one of which the file has no key.
	algorithms []string
}

// hostKeys reads the file of known servers.
// Errors: KindInvalid for a file that is not there or damaged;
// KindUnauthenticated for a server that is not in it.
func (s *SSH) hostKeys() (*hostKeys, error) {
	k := &hostKeys{ssh: s, file: s.KnownHosts}
	if k.file == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil, s.invalid("set ssh.known_hosts", "the home folder is not known: %w", err)
		}
		k.file = filepath.Join(home, ".ssh", "known_hosts")
	}
	var err error
	k.look, err = knownhosts.New(k.file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, k.unknown()
	case err != nil:
		return nil, s.invalid("correct the file, or set ssh.known_hosts to another", "ssh.known_hosts: %w", err)
	}
	// A key that no server has tells which ones are known.
	miss, ok := errors.AsType[*knownhosts.KeyError](k.look(s.address(), &net.TCPAddr{}, noKey{}))
	if !ok || len(miss.Want) == 0 {
		return nil, k.unknown()
	}
	for _, want := range miss.Want {
		for _, algorithm := range algorithmsOf(want.Key.Type()) {
			if !slices.Contains(k.algorithms, algorithm) {
				k.algorithms = append(k.algorithms, algorithm)
			}
		}
	}
	return k, nil
}

// algorithmsOf returns the algorithms with which a server may prove that it has
// a key, or a certificate that such a key signed.
func algorithmsOf(keyType string) []string {
	if keyType == ssh.KeyAlgoRSA {
		return []string{ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256, ssh.CertAlgoRSASHA512v01, ssh.CertAlgoRSASHA256v01}
	}
	return []string{keyType, keyType + "-cert-v01@openssh.com"}
}

// check implements ssh.HostKeyCallback.
func (k *hostKeys) check(address string, remote net.Addr, key ssh.PublicKey) error {
	err := k.look(address, remote, key)
	if err == nil {
		return nil
	}
	at := k.file
	if miss, ok := errors.AsType[*knownhosts.KeyError](err); ok && len(miss.Want) > 0 {
		at = fmt.Sprintf("line %d of %s", miss.Want[0].Line, k.file)
	}
	e := k.ssh.refused("connect only after the server's administrator confirmed the new key, and replace the old one then",
		"SOMEBODY MAY BE LISTENING: the SSH server %s shows the %s key %s, which is not the one in %s",
		k.ssh.address(), key.Type(), ssh.FingerprintSHA256(key), at)
	e.Err = err
	return e
}

func (k *hostKeys) unknown() *sdk.Error {
	port := ""
	if k.ssh.Port != 22 {
		port = "-p " + strconv.Itoa(k.ssh.Port) + " "
	}
	return k.ssh.refused(
		fmt.Sprintf("run `ssh-keyscan %s%s >> %s` and have the server's administrator confirm the key", port, k.ssh.Host, k.file),
		"the SSH server %s is not in %s", k.ssh.address(), k.file)
}

// noKey is a public key that no server has.
type noKey struct{}

func (noKey) Type() string                        { return "none" }
func (noKey) Marshal() []byte                     { return []byte("none") }
func (noKey) Verify([]byte, *ssh.Signature) error { return errors.ErrUnsupported }
