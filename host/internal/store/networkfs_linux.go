package store

import "syscall"

// Source: statfs(2), "The f_type field".
var networkTypes = map[uint32]string{
	0x6969:     "NFS",
	0x517b:     "SMB",
	0xff534d42: "CIFS",
	0xfe534d42: "SMB2",
	0x5346414f: "AFS",
	0x00c36400: "Ceph",
}

// networkFileSystem returns the name of the network file system that dir is on.
func networkFileSystem(dir string) (name string, remote bool) {
	var stat syscall.Statfs_t
	if syscall.Statfs(dir, &stat) != nil {
		return "", false
	}
	name, remote = networkTypes[uint32(stat.Type)]
	return name, remote
}
