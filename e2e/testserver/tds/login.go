package tds

import (
	"crypto/tls"
	"errors"
	"net"
)

// Login is what a client says of itself.
type Login struct {
	User, Password string
	Database       string // as asked for; "" = the login's default
	Application    string
	Host           string // the client's
	ReadOnly       bool   // ApplicationIntent=ReadOnly
	Encrypted      bool   // all of the connection is
	// Disconnect ends the connection without a word. It may be called at any time.
	Disconnect func()
}

// What a client and a server say of encryption in PRELOGIN.
const (
	encryptLogin    = 0
	encryptAll      = 1
	encryptNone     = 2
	encryptRequired = 3
)

// prelogin answers a client's PRELOGIN and returns the connection to go on with.
func (s *Server) prelogin(raw net.Conn) (net.Conn, bool, error) {
	m, err := readMessage(raw)
	if err != nil {
		return nil, false, err
	}
	if m.kind != messagePrelogin {
		return nil, false, errors.New("the first message is no PRELOGIN")
	}
	asked := preloginOption(m.data, 1)
	answer := byte(encryptNone)
	if s.tls != nil && asked != encryptNone {
		answer = encryptAll
	} else if s.tls != nil && s.requireTLS {
		answer = encryptRequired
	}
	// Three options, each a kind, an offset and a length: VERSION, ENCRYPTION, MARS.
	p := packets{w: raw, kind: messageAnswer, buf: []byte{
		0, 0, 16, 0, 6,
		1, 0, 22, 0, 1,
		4, 0, 23, 0, 1,
		0xFF,
		version[0], version[1], version[2], version[3], 0, 0,
		answer,
		0,
	}}
	if err := p.send(true); err != nil {
		return nil, false, err
	}
	if answer != encryptAll {
		return raw, false, nil
	}
	inner := &handshakeConn{Conn: raw}
	conn := tls.Server(inner, s.tls)
	if err := conn.Handshake(); err != nil {
		return nil, false, err
	}
	inner.over = true
	return conn, true, nil
}

// version is 16.0.4210, SQL Server 2022.
var version = [4]byte{16, 0, 0x10, 0x72}

// preloginOption returns the first byte of an option; encryptNone when it is missing.
func preloginOption(data []byte, kind byte) byte {
	for i := 0; i+5 <= len(data) && data[i] != 0xFF; i += 5 {
		offset := int(data[i+1])<<8 | int(data[i+2])
		if data[i] == kind && offset < len(data) {
			return data[offset]
		}
	}
	return encryptNone
}

// readLogin reads LOGIN7: fixed fields, then texts by offset and length.
func readLogin(m message) (Login, error) {
	const (
		fixed      = 94
		typeFlags  = 26
		host       = 36
		user       = 40
		password   = 44
		appName    = 48
		database   = 68
		intentFlag = 0x20
	)
	if m.kind != messageLogin || len(m.data) < fixed {
		return Login{}, errors.New("no LOGIN7 after PRELOGIN")
	}
	var err error
	field := func(at int) []byte {
		offset, n := int(little.Uint16(m.data[at:])), 2*int(little.Uint16(m.data[at+2:]))
		if offset+n > len(m.data) {
			err = errors.New("a field of LOGIN7 ends behind it")
			return nil
		}
		return m.data[offset : offset+n]
	}
	hidden := append([]byte(nil), field(password)...)
	for i, b := range hidden {
		b ^= 0xA5
		hidden[i] = b<<4 | b>>4
	}
	return Login{
		User: utf16Text(field(user)), Password: utf16Text(hidden), Database: utf16Text(field(database)),
		Application: utf16Text(field(appName)), Host: utf16Text(field(host)),
		ReadOnly: m.data[typeFlags]&intentFlag != 0,
	}, err
}

// accept tells the client that it is logged in.
func (a *Answer) accept(database string) {
	a.change(changeDatabase, append(shortText(database), shortText("master")...))
	a.Info(5701, "Changed database context to '"+database+"'.")
	a.change(changeCollation, append([]byte{byte(len(collation))}, append(collation, 0)...))
	body := append([]byte{1, 0x74, 0, 0, 4}, shortText("Microsoft SQL Server")...)
	a.token(tokenLoginAck, append(body, version[:]...))
	a.change(changePacketSize, append(shortText("4096"), shortText("4096")...))
	a.done(tokenDone, 0, 0)
}
