package peer

import "golang.org/x/sys/unix"

// Source: unix(7), SO_PEERCRED. A dialed socket has the credentials of the process that
// called listen, an accepted one those of the process that called connect.
func peerOf(fd int) (identity, error) {
	who, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return identity{}, err
	}
	return identity{pid: int(who.Pid), uid: int(who.Uid)}, nil
}
