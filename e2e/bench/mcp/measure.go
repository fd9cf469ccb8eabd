package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	small    = "SELECT id, name, country_code FROM regions WHERE id = 3"
	thousand = "SELECT id, status, currency FROM orders ORDER BY id LIMIT 1000"
	clients  = 16
)

// subject is a server while it is measured: each figure's samples, or why there
// is none.
type subject struct {
	*server
	stdin   *pipe
	daemon  *daemon
	over    *post
	figures map[figure][]float64
	reasons map[figure]string
	small   rows
	large   rows
}

func (s *subject) add(f figure, value float64) { s.figures[f] = append(s.figures[f], value) }

// fails notes that a server cannot do what a figure measures.
func (s *subject) fails(err error, figures ...figure) {
	for _, f := range figures {
		delete(s.figures, f)
		s.reasons[f] = err.Error()
	}
}

// can reports whether nothing is known against a figure.
func (s *subject) can(f figure) bool { return s.reasons[f] == "" }

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// start measures how long a server takes until it answers initialize.
func (s *subject) start() error {
	began := time.Now()
	p, err := openPipe(s.stdio())
	if err != nil {
		return err
	}
	if err := begin(p); err != nil {
		_ = p.cmd.Process.Kill()
		return errors.Join(err, p.close())
	}
	s.add(startTime, milliseconds(time.Since(began)))
	return p.close()
}

// open starts the servers whose calls are measured. What they hold in memory is
// read before the first call, after a moment of rest.
func (s *subject) open(ctx context.Context) {
	p, err := openPipe(s.stdio())
	if err == nil {
		if err = begin(p); err != nil {
			_ = p.cmd.Process.Kill()
			err = errors.Join(err, p.close())
		} else {
			s.stdin = p
		}
	}
	if err != nil {
		s.fails(fmt.Errorf("over stdio: %w", err), stdioP50, stdioP99)
	}
	if s.daemon, err = s.listen(ctx); err == nil {
		s.over, err = s.daemon.client(ctx)
	}
	if err != nil {
		s.fails(fmt.Errorf("over HTTP: %w", err), httpP50, httpP99, perSecond, largeP50, idle, loaded, listSize)
		return
	}
	time.Sleep(time.Second)
	mib, err := resident(s.daemon.cmd.Process.Pid, true)
	if err != nil {
		s.fails(err, idle)
		return
	}
	s.add(idle, mib)
	list, err := s.over.call("tools/list", "{}")
	if err != nil {
		s.fails(err, listSize)
		return
	}
	s.add(listSize, float64(len(list)))
}

// ask reads the rows of both statements over each transport once: what is
// measured later is the same.
func (s *subject) ask() error {
	for _, l := range s.links() {
		small, err := s.query(l, small)
		if err != nil {
			return err
		}
		large, err := s.query(l, thousand)
		if err != nil {
			return err
		}
		if s.small == nil {
			s.small, s.large = small, large
		}
		if diff := s.small.differ(small) + s.large.differ(large); diff != "" {
			return fmt.Errorf("its transports answer differently: %s", diff)
		}
	}
	return nil
}

func (s *subject) links() (all []link) {
	if s.stdin != nil {
		all = append(all, s.stdin)
	}
	if s.over != nil {
		all = append(all, s.over)
	}
	return all
}

func (s *subject) query(l link, sql string) (rows, error) {
	answer, err := l.call("tools/call", s.params(sql))
	if err != nil {
		return nil, err
	}
	return s.rows(answer)
}

// calls measures the same call n times in a row. Every answer must be as long as
// the first but for figures in it, such as how long it took.
func (s *subject) calls(l link, sql string, n int) (took []float64, err error) {
	params := s.params(sql)
	first := 0
	for i := range n + n/10 {
		began := time.Now()
		answer, err := l.call("tools/call", params)
		elapsed := time.Since(began)
		if err != nil {
			return nil, err
		}
		if first == 0 {
			first = len(answer)
		}
		if off := len(answer) - first; off > 16 || off < -16 {
			return nil, fmt.Errorf("an answer of %d bytes after one of %d: %.200s", len(answer), first, answer)
		}
		if i >= n/10 { // those before warm up
			took = append(took, milliseconds(elapsed))
		}
	}
	return took, nil
}

// round measures a part of every call, so that what else the machine does meets
// all servers alike.
func (s *subject) round(ctx context.Context, n int) {
	s.sample(s.stdin != nil, stdioP50, stdioP99, func() ([]float64, error) { return s.calls(s.stdin, small, n) })
	s.sample(s.over != nil, httpP50, httpP99, func() ([]float64, error) { return s.anew(ctx, small, n) })
	s.sample(s.over != nil, largeP50, largeP50, func() ([]float64, error) { return s.anew(ctx, thousand, n/10) })
}

// anew measures calls in a session of their own: some servers close a connection
// that rested while the others were measured.
func (s *subject) anew(ctx context.Context, sql string, n int) (took []float64, err error) {
	p, err := s.daemon.client(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	return s.calls(p, sql, n)
}

func (s *subject) sample(can bool, p50, p99 figure, calls func() ([]float64, error)) {
	if !can || !s.can(p50) {
		return
	}
	took, err := calls()
	if err != nil {
		s.fails(err, p50, p99)
		return
	}
	slices.Sort(took)
	s.add(p50, quantile(took, 0.5))
	if p99 != p50 {
		s.add(p99, quantile(took, 0.99))
	}
}

// crowd measures how many calls many clients make, each over its own connection.
func (s *subject) crowd(ctx context.Context, long time.Duration) error {
	all := make([]*post, clients)
	for i := range all {
		p, err := s.daemon.client(ctx)
		if err != nil {
			return err
		}
		defer func() { _ = p.close() }()
		all[i] = p
	}
	var made atomic.Int64
	var wg sync.WaitGroup
	failures := make(chan error, clients)
	params := s.params(small)
	began := time.Now()
	for _, p := range all {
		wg.Go(func() {
			for time.Since(began) < long {
				if _, err := p.call("tools/call", params); err != nil {
					failures <- err
					return
				}
				made.Add(1)
			}
		})
	}
	wg.Wait()
	took := time.Since(began)
	close(failures)
	for err := range failures {
		return err
	}
	s.add(perSecond, float64(made.Load())/took.Seconds())
	return nil
}

// close ends the servers.
func (s *subject) close() error {
	var errs []error
	if s.stdin != nil {
		_ = s.stdin.close() // some end with an error when their input does
	}
	if s.over != nil {
		errs = append(errs, s.over.close())
	}
	if s.daemon != nil {
		errs = append(errs, s.daemon.stop())
	}
	return errors.Join(errs...)
}

// quantile of sorted values.
func quantile(sorted []float64, q float64) float64 {
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

// typical is the median of a figure's samples.
func (s *subject) typical(f figure) (value float64, known bool) {
	all := slices.Sorted(slices.Values(s.figures[f]))
	if len(all) == 0 {
		return 0, false
	}
	return quantile(all, 0.5), true
}

// same tests that a peer answers as the product does.
func (s *subject) same(ours *subject) error {
	for name, diff := range map[string]string{small: ours.small.differ(s.small), thousand: ours.large.differ(s.large)} {
		if diff != "" {
			return fmt.Errorf("%s answers %q otherwise: %s", s.name, name, diff)
		}
	}
	return nil
}
