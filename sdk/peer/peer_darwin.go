package peer

import "golang.org/x/sys/unix"

// Source: unix(4) and sys/un.h of XNU, LOCAL_PEERPID and LOCAL_PEERCRED.
func peerOf(fd int) (identity, error) {
	pid, err := unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID)
	if err != nil {
		return identity{}, err
	}
	who, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return identity{}, err
	}
	return identity{pid: pid, uid: int(who.Uid)}, nil
}
