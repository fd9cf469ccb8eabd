package testserver

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

// What the SSH server knows beside its keys.
const (
	SSHUser     = "loam"
	SSHKeyboard = "loam-keyboard" // an account that is asked for its password
	SSHPassword = "open: sesame/1"
	// SSHPassphrase opens SSHServer.LockedKey.
	SSHPassphrase = "a locked key"

	// SSHInside is a name of this machine that only the SSH server knows, SSHSilent
	// one to which a connection is never made nor refused, and SSHForbidden one to
	// which it makes none.
	SSHInside    = "warehouse.inside"
	SSHSilent    = "silent.inside"
	SSHForbidden = "forbidden.inside"
)

// SSHServer is an SSH server inside the test process that forwards connections
// and does nothing else.
type SSHServer struct {
	Host string // a loopback address
	Port int
	// Key is the file of a private key that SSHUser may log in with, LockedKey the
	// same with a passphrase, StrangeKey another, with which nobody may.
	Key, LockedKey, StrangeKey string
	// KnownHosts is the file with the server's public key.
	KnownHosts string

	config   *ssh.ServerConfig
	listener net.Listener
	running  sync.WaitGroup

	mu        sync.Mutex
	conns     map[net.Conn]bool
	closed    bool
	logins    atomic.Int64
	forwarded atomic.Int64
}

// SSH returns an SSH server that ends with the test.
func SSH(t testing.TB) *SSHServer {
	t.Helper()
	s, err := startSSH(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// Options returns the configuration of a tunnel through the server, as the
// object "ssh" of a connection.
func (s *SSHServer) Options() map[string]any {
	return map[string]any{"host": s.Host, "port": s.Port, "user": SSHUser, "key": s.Key, "known_hosts": s.KnownHosts}
}

// Logins returns how many clients have logged in.
func (s *SSHServer) Logins() int64 { return s.logins.Load() }

// Forwarded returns how many connections were forwarded.
func (s *SSHServer) Forwarded() int64 { return s.forwarded.Load() }

// Drop breaks every connection of a client; new ones are welcome.
func (s *SSHServer) Drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		_ = c.Close()
	}
}

// Close ends the server and waits until nothing of it is left. Idempotent.
func (s *SSHServer) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	_ = s.listener.Close()
	s.Drop()
	s.running.Wait()
}

func startSSH(dir string) (*SSHServer, error) {
	s := &SSHServer{
		Host: "127.0.0.1", Key: filepath.Join(dir, "key"), LockedKey: filepath.Join(dir, "locked"),
		StrangeKey: filepath.Join(dir, "strange"), KnownHosts: filepath.Join(dir, "known_hosts"), conns: map[net.Conn]bool{},
	}
	login, err := sshKey(s.Key, s.LockedKey)
	if err != nil {
		return nil, err
	}
	if _, err := sshKey(s.StrangeKey, ""); err != nil {
		return nil, err
	}
	host, err := sshKey("", "")
	if err != nil {
		return nil, err
	}
	s.config = &ssh.ServerConfig{
		PublicKeyCallback: func(c ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
			if c.User() == SSHUser && string(key.Marshal()) == string(login.PublicKey().Marshal()) {
				return nil, nil
			}
			return nil, fmt.Errorf("no such key of %s", c.User())
		},
		PasswordCallback: func(c ssh.ConnMetadata, password []byte) (*ssh.Permissions, error) {
			if c.User() == SSHUser && string(password) == SSHPassword {
				return nil, nil
			}
			return nil, fmt.Errorf("wrong password of %s", c.User())
		},
		KeyboardInteractiveCallback: func(c ssh.ConnMetadata, ask ssh.KeyboardInteractiveChallenge) (*ssh.Permissions, error) {
			answers, err := ask("", "", []string{"Password: "}, []bool{false})
			if err == nil && c.User() == SSHKeyboard && len(answers) == 1 && answers[0] == SSHPassword {
				return nil, nil
			}
			return nil, fmt.Errorf("wrong answer of %s: %w", c.User(), err)
		},
	}
	s.config.AddHostKey(host)
	if s.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return nil, err
	}
	s.Port = s.listener.Addr().(*net.TCPAddr).Port
	line := knownhosts.Line([]string{net.JoinHostPort(s.Host, strconv.Itoa(s.Port))}, host.PublicKey())
	if err := os.WriteFile(s.KnownHosts, []byte(line+"\n"), 0o600); err != nil {
		return nil, err
	}
	s.running.Go(s.accept)
	return s, nil
}

// sshKey makes a key and writes it to a file, if named, and with a passphrase to
// another.
func sshKey(file, locked string) (ssh.Signer, error) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	if file != "" {
		block, err := ssh.MarshalPrivateKey(key, "")
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			return nil, err
		}
	}
	if locked != "" {
		block, err := ssh.MarshalPrivateKeyWithPassphrase(key, "", []byte(SSHPassphrase))
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(locked, pem.EncodeToMemory(block), 0o600); err != nil {
			return nil, err
		}
	}
	return ssh.NewSignerFromKey(key)
}

func (s *SSHServer) accept() {
	for {
		c, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		if s.closed {
			_ = c.Close()
		}
		s.conns[c] = true
		s.mu.Unlock()
		s.running.Go(func() {
			s.serve(c)
			_ = c.Close()
			s.mu.Lock()
			delete(s.conns, c)
			s.mu.Unlock()
		})
	}
}

// serve talks to one client until its connection ends.
func (s *SSHServer) serve(c net.Conn) {
	conn, channels, requests, err := ssh.NewServerConn(c, s.config)
	if err != nil {
		return
	}
	s.logins.Add(1)
	var running sync.WaitGroup
	defer running.Wait()
	running.Go(func() { ssh.DiscardRequests(requests) })
	for channel := range channels {
		running.Go(func() { s.forward(conn, channel) })
	}
}

// forward makes the connection that a client asks for. Source: RFC 4254, 7.2,
// and OpenSSH's PROTOCOL, 2.4.
func (s *SSHServer) forward(conn ssh.Conn, asked ssh.NewChannel) {
	network, address, err := sshTarget(asked)
	host, port, _ := net.SplitHostPort(address) // none of a path
	switch {
	case err != nil:
		_ = asked.Reject(ssh.UnknownChannelType, err.Error())
		return
	case host == SSHForbidden:
		_ = asked.Reject(ssh.Prohibited, "administratively prohibited")
		return
	case host == SSHSilent:
		_ = conn.Wait()
		return
	case host == SSHInside:
		address = net.JoinHostPort("127.0.0.1", port)
	}
	target, err := net.Dial(network, address)
	if err != nil {
		_ = asked.Reject(ssh.ConnectionFailed, err.Error())
		return
	}
	defer target.Close()
	channel, requests, err := asked.Accept()
	if err != nil {
		return
	}
	defer channel.Close()
	s.forwarded.Add(1)
	var running sync.WaitGroup
	running.Go(func() { ssh.DiscardRequests(requests) })
	running.Go(func() {
		_, _ = io.Copy(target, channel)
		_ = target.Close()
	})
	_, _ = io.Copy(channel, target)
	_ = channel.Close()
	running.Wait()
}

func sshTarget(asked ssh.NewChannel) (network, address string, err error) {
	switch asked.ChannelType() {
	case "direct-tcpip":
		var to struct {
			Host       string
			Port       uint32
			OriginHost string
			OriginPort uint32
		}
		err = ssh.Unmarshal(asked.ExtraData(), &to)
		return "tcp", net.JoinHostPort(to.Host, strconv.Itoa(int(to.Port))), err
	case "direct-streamlocal@openssh.com":
		var to struct {
			Path string
			Host string
			Port uint32
		}
		err = ssh.Unmarshal(asked.ExtraData(), &to)
		return "unix", to.Path, err
	default:
		return "", "", fmt.Errorf("channels of type %s are not served", asked.ChannelType())
	}
}
