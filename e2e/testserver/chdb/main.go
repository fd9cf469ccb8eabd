//go:build cgo && linux

// Command chdb is a test server: ClickHouse's engine as the library libchdb
// behind the part of ClickHouse's HTTP interface that its Go driver uses.
//
// SQL, types, settings, limits, read-only modes, grants, error codes and texts,
// the list of processes and KILL QUERY are the engine's. The front adds what the
// library has no server for, and is not the real thing in this:
//
//   - Accounts are the front's: it checks the password and gives the session the
//     role of the account, whose grants the engine checks, and its readonly
//     setting. To the engine every account is the user "default", which
//     currentUser() and SHOW GRANTS show; messages name the account.
//   - The engine gives each statement a query id of its own. The front carries
//     the caller's in the setting query_cache_tag, which is visible as changed,
//     and rewrites system.processes, SHOW PROCESSLIST and the query_id of KILL
//     QUERY to it. The result of KILL QUERY and queryID() show the engine's.
//   - The library writes blocks for no client revision; the front adds the block
//     header and the serialization marks that the revision asked for wants.
//   - system.query_log is the front's: one entry per statement, when it ends,
//     without memory, tables, columns and profile events. No other log is there.
//   - There are no sessions (session_id), roles (role), external tables, request
//     handlers or progress headers.
//   - Tables are MergeTree and the rest; nothing is replicated or remote.
//   - Bodies may be gzip, deflate, br or framed (decompress=1); answers gzip,
//     deflate, br or framed LZ4 and ZSTD (compress=1).
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "chdb:", err)
		os.Exit(1)
	}
}

// run serves until the process is killed. The folder gets the engine's data and,
// when requests can be made, the file "address": the plain address and, with a
// certificate, the one for TLS, a line each.
func run() error {
	library := flag.String("library", "", "path of libchdb.so")
	folder := flag.String("folder", "", "an empty folder to work in")
	certificate := flag.String("certificate", "", "PEM file of a certificate for TLS")
	key := flag.String("key", "", "PEM file of its key")
	flag.Parse()
	if err := loadLibrary(*library); err != nil {
		return err
	}
	f, err := newFront(*folder)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: f, ReadHeaderTimeout: 10 * time.Second}
	failed := make(chan error, 2)
	plain, err := listen()
	if err != nil {
		return err
	}
	go func() { failed <- server.Serve(plain) }()
	addresses := []string{plain.Addr().String()}
	if *certificate != "" {
		secure, err := listen()
		if err != nil {
			return err
		}
		go func() { failed <- server.ServeTLS(secure, *certificate, *key) }()
		addresses = append(addresses, secure.Addr().String())
	}
	partial := filepath.Join(*folder, "address.new")
	if err := errors.Join(
		os.WriteFile(partial, []byte(strings.Join(addresses, "\n")+"\n"), 0o644),
		os.Rename(partial, filepath.Join(*folder, "address")),
	); err != nil {
		return err
	}
	return <-failed
}

func listen() (net.Listener, error) {
	var config net.ListenConfig
	return config.Listen(context.Background(), "tcp", "127.0.0.1:0")
}
