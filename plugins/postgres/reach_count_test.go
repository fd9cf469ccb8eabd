package postgres_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strconv"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/plugins/postgres"
	"github.com/loam-data/loam/sdk"
)

// wire stands between a session and its server, and notes what is sent together.
type wire struct {
	net.Listener
	group   sync.WaitGroup
	mu      sync.Mutex
	batches [][]string
}

// tapped opens a session through a wire.
func tapped(t *testing.T, db *testserver.PostgresDatabase, role string) (*wire, *postgres.Session) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{Listener: listener}
	w.group.Go(func() { w.serve(t, net.JoinHostPort(db.Host, strconv.Itoa(db.Port))) })
	t.Cleanup(func() {
		if err := listener.Close(); err != nil {
			t.Error(err)
		}
		w.group.Wait()
	})
	return w, openWith(t, sdk.OpenRequest{ConnectionID: "test", Config: configOf(db, role, map[string]any{
		"host": "127.0.0.1", "port": listener.Addr().(*net.TCPAddr).Port, "sslmode": "disable",
	})})
}

func (w *wire) serve(t *testing.T, server string) {
	for {
		client, err := w.Accept()
		if err != nil {
			return // closed
		}
		up, err := net.Dial("tcp", server)
		if err != nil {
			t.Error(err)
			return
		}
		w.group.Go(func() {
			// A connection that ends while something is under way is no fault here.
			_, _ = io.Copy(client, up)
			_ = client.Close()
		})
		w.group.Go(func() {
			if err := w.forward(up, client); err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, net.ErrClosed) {
				t.Error(err)
			}
			_ = up.Close()
		})
	}
}

// forward passes on what a client sends, and notes it.
// Source: "Message Formats" in PostgreSQL's manual.
func (w *wire) forward(server io.Writer, client io.Reader) error {
	in := bufio.NewReader(client)
	var batch []string
	for started := false; ; {
		head := make([]byte, 5)
		if !started {
			head = head[:4] // messages have no type until the session starts
		}
		if _, err := io.ReadFull(in, head); err != nil {
			return err
		}
		body := make([]byte, binary.BigEndian.Uint32(head[len(head)-4:])-4)
		if _, err := io.ReadFull(in, body); err != nil {
			return err
		}
		switch {
		case !started:
			started = binary.BigEndian.Uint16(body) == 3 // the version
		case head[0] == 'P':
			_, rest, _ := bytes.Cut(body, []byte{0})
			sql, _, _ := bytes.Cut(rest, []byte{0})
			batch = append(batch, string(sql))
		case head[0] == 'S':
			w.note(batch)
			batch = nil
		}
		if _, err := server.Write(append(head, body...)); err != nil {
			return err
		}
	}
}

// note counts a batch, but for those that reset a connection.
func (w *wire) note(batch []string) {
	if len(batch) == 1 && (batch[0] == "ROLLBACK" || batch[0] == "DISCARD ALL") {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.batches = append(w.batches, batch)
}

// taken returns how many round trips were made since the last call, and how many
// statements they had.
func (w *wire) taken() sent {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := sent{RoundTrips: len(w.batches)}
	for _, b := range w.batches {
		s.Statements += len(b)
	}
	w.batches = nil
	return s
}

type sent struct{ RoundTrips, Statements int }

// What a look-up costs does not grow with the catalogue, and nothing is asked
// where nothing has changed. The rows of a small one are listed at once. One statement takes one round trip when it is
// repeated, and two when it is not.
func TestReachRoundTrips(t *testing.T) {
	t.Parallel()
	steps := []struct {
		name, change string
		small, large sent // of ten functions, and of a thousand
	}{
		{"first", "SELECT", sent{7, 15}, sent{7, 15}}, // five for the catalogue
		{"unchanged", "SELECT", sent{1, 6}, sent{1, 6}},
		{"another transaction", "INSERT INTO t VALUES (1)", sent{3, 13}, sent{3, 13}}, // one to find out
		{"one more", "INSERT INTO t VALUES (1)", sent{2, 7}, sent{2, 7}},
		{"function changed", "CREATE OR REPLACE FUNCTION f1(a int) RETURNS int LANGUAGE sql AS 'SELECT 1'", sent{3, 10}, sent{4, 11}}, // one for what changed, or two
		{"view changed", "CREATE OR REPLACE VIEW v10 AS SELECT id, f2(id) AS x FROM t WHERE id > 7", sent{3, 10}, sent{4, 11}},
		{"table made", "CREATE TABLE other (id int CHECK (id > 0))", sent{3, 10}, sent{4, 11}},
		{"function gone", "DROP FUNCTION f3(int)", sent{2, 7}, sent{3, 9}},
		{"unchanged since", "SELECT", sent{2, 7}, sent{2, 7}},
		{"unchanged again", "SELECT", sent{1, 6}, sent{1, 6}},
	}
	server := testserver.NewPostgres(t) // where nobody else commits anything
	for _, n := range []int{10, 1000} {
		db := manyFunctionsOn(t, server, n)
		db.Exec(t, testserver.PostgresAdmin, "ALTER SYSTEM SET autovacuum = off")
		db.Exec(t, testserver.PostgresAdmin, "SELECT pg_reload_conf()")
		w, s := tapped(t, db, testserver.PostgresReader)
		w.taken()
		for _, step := range steps {
			db.Exec(t, testserver.PostgresOwner, step.change)
			if _, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT id FROM t WHERE false"}); err != nil {
				t.Fatal(err)
			}
			want := step.small
			if n > 10 {
				want = step.large
			}
			if diff := cmp.Diff(want, w.taken()); diff != "" {
				t.Errorf("%s of %d functions (-want +got):\n%s", step.name, n, diff)
			}
		}
	}
}
