//go:build !unix

package testserver

import "errors"

func startMariaDB(*mariaDBPrograms, []string) (*MariaDBServer, error) {
	return nil, errors.ErrUnsupported
}
