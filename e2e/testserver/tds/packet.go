package tds

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"unicode/utf16"
)

var little = binary.LittleEndian

// Kinds of messages, the first byte of a packet.
const (
	messageBatch       = 0x01
	messageCall        = 0x03
	messageAnswer      = 0x04
	messageAttention   = 0x06
	messageTransaction = 0x0E
	messageLogin       = 0x10
	messagePrelogin    = 0x12
)

// Bits of a packet's status.
const (
	statusEnd             = 0x01
	statusReset           = 0x08
	statusResetKeepsTrans = 0x10
)

const (
	headerSize = 8
	packetSize = 4096
	// maxMessage is more than any statement of a test.
	maxMessage = 64 << 20
)

// message is what the packets up to one with statusEnd carry.
type message struct {
	kind, status byte // status is the first packet's
	data         []byte
}

func readPacket(r io.Reader) (message, error) {
	var header [headerSize]byte
	if _, err := io.ReadFull(r, header[:]); err != nil {
		return message{}, err
	}
	n := int(binary.BigEndian.Uint16(header[2:])) - headerSize
	if n < 0 {
		return message{}, fmt.Errorf("a packet of %d bytes", n+headerSize)
	}
	data := make([]byte, n)
	_, err := io.ReadFull(r, data)
	return message{kind: header[0], status: header[1], data: data}, err
}

func readMessage(r io.Reader) (message, error) {
	m, err := readPacket(r)
	last := m.status
	for err == nil && last&statusEnd == 0 {
		var next message
		if next, err = readPacket(r); err != nil {
			break
		}
		if next.kind != m.kind || len(m.data)+len(next.data) > maxMessage {
			return m, errors.New("packets that are no message")
		}
		m.data, last = append(m.data, next.data...), next.status
	}
	return m, err
}

// packets cuts what is written into packets of one message.
type packets struct {
	w    io.Writer
	kind byte
	buf  []byte // not sent yet
	sent byte   // packets of this message
}

// send sends whole packets, and all with the message's end.
func (p *packets) send(end bool) error {
	const most = packetSize - headerSize
	for len(p.buf) > most || end {
		n := min(len(p.buf), most)
		last := end && n == len(p.buf)
		p.sent++
		packet := make([]byte, headerSize, headerSize+n)
		packet[0], packet[6] = p.kind, p.sent
		if last {
			packet[1] = statusEnd
		}
		binary.BigEndian.PutUint16(packet[2:], uint16(headerSize+n))
		if _, err := p.w.Write(append(packet, p.buf[:n]...)); err != nil {
			return err
		}
		p.buf = p.buf[n:]
		if last {
			p.sent = 0
			return nil
		}
	}
	return nil
}

// handshakeConn carries a TLS handshake inside of PRELOGIN messages, as clients of
// TDS 7 do, and bytes as they are afterwards.
type handshakeConn struct {
	net.Conn
	over bool
	in   []byte
}

func (c *handshakeConn) Read(b []byte) (int, error) {
	if c.over && len(c.in) == 0 {
		return c.Conn.Read(b)
	}
	if len(c.in) == 0 {
		m, err := readPacket(c.Conn)
		if err != nil {
			return 0, err
		}
		c.in = m.data
	}
	n := copy(b, c.in)
	c.in = c.in[n:]
	return n, nil
}

func (c *handshakeConn) Write(b []byte) (int, error) {
	if c.over {
		return c.Conn.Write(b)
	}
	p := packets{w: c.Conn, kind: messagePrelogin, buf: b}
	return len(b), p.send(true)
}

// utf16Bytes returns a text as the protocol has it, in UTF-16.
func utf16Bytes(text string) []byte {
	b := make([]byte, 0, 2*len(text))
	for _, r := range text {
		if r < 0x10000 {
			b = little.AppendUint16(b, uint16(r))
			continue
		}
		high, low := utf16.EncodeRune(r)
		b = little.AppendUint16(little.AppendUint16(b, uint16(high)), uint16(low))
	}
	return b
}

func utf16Text(b []byte) string {
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = little.Uint16(b[2*i:])
	}
	return string(utf16.Decode(units))
}

// shortText is a text behind its length in one byte, in units of UTF-16.
func shortText(text string) []byte {
	b := utf16Bytes(text)
	if len(b) > 2*255 {
		b = b[:2*255]
	}
	return append([]byte{byte(len(b) / 2)}, b...)
}

// longText is a text behind its length in two bytes.
func longText(text string) []byte {
	b := utf16Bytes(text)
	if len(b) > 2*65535 {
		b = b[:2*65535]
	}
	return append(little.AppendUint16(nil, uint16(len(b)/2)), b...)
}
