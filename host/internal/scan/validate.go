package scan

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/host/internal/telemetry"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/readonly"
)

const (
	// maxValidation is how long the query about one relationship may take, and
	// maxValidations all of them together.
	maxValidation  = 20 * time.Second
	maxValidations = 2 * time.Minute
)

// validator asks the warehouse how far relationships hold.
type validator struct {
	job     *job
	rows    map[sdk.TableRef]int64
	queries int
	first   int           // which of a candidate's statements the engine understands
	spent   time.Duration // by all queries so far
	lost    int           // queries in a row that did not reach the warehouse
	done    int64
}

// validate implements relationship.Validate.
func (v *validator) validate(ctx context.Context, c relationship.Candidate) (check relationship.Check, err error) {
	if _, over := v.job.purse.left(); over || v.spent >= maxValidations || v.lost >= maxLost {
		return check, relationship.ErrEnough
	}
	started := time.Now()
	defer func() {
		v.spent += time.Since(started)
		v.done++
		v.job.progress.report(sdk.Progress{Phase: phaseRelationships, Done: v.done, Unit: "queries"})
	}()
	statements := c.Statements(v.job.dialect, v.rows[c.From])
	for i := v.first; i < len(statements); i++ {
		if check, err = v.ask(ctx, statements[i]); err == nil {
			v.first, v.lost = i, 0
			return check, nil
		}
		switch sdk.KindOf(err) {
		case sdk.KindUnavailable, sdk.KindUnauthenticated:
			v.lost++
			return check, err
		case sdk.KindTimeout, sdk.KindCanceled, sdk.KindDenied, sdk.KindNotFound, sdk.KindRateLimited:
			return check, err
		}
	}
	return check, err
}

// ask runs one statement. It is made of quoted names and numbers, and passes the
// guard all the same.
func (v *validator) ask(ctx context.Context, statement string) (relationship.Check, error) {
	if err := readonly.Check(statement, v.job.dialect); err != nil {
		return relationship.Check{}, err
	}
	timeout := min(maxValidation, v.job.warehouse.Limits.OrDefault().Timeout)
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	request := telemetry.StatementID(ctx)
	row := &counts{}
	err := v.job.with(limited, func(session sdk.Session) error {
		v.queries++
		w := sdk.NewRowWriter(row, sdk.Limits{MaxRows: 1})
		most, _ := v.job.purse.left()
		err := session.Execute(limited, sdk.ExecuteRequest{RequestID: request, SQL: statement, Tags: v.job.service.Tags(limited, v.job.description.Capabilities.Tags, request), Limits: sdk.Limits{MaxRows: 1, Timeout: timeout, MaxBytesScanned: most}}, w)
		v.job.purse.pay(w.Summary())
		if err != nil {
			return err
		}
		if err := w.Close(); err != nil && !errors.Is(err, sdk.ErrLimit) {
			return err
		}
		return nil
	})
	if err != nil {
		return relationship.Check{}, err
	}
	return row.check()
}

// counts receives the one row of a validation.
type counts struct {
	columns []sdk.Column
	numbers []int64
	err     error
}

// check returns the numbers: the checked values, those found, the keys that
// come twice.
func (c *counts) check() (relationship.Check, error) {
	if c.err == nil && (len(c.numbers) != 3 || c.numbers[1] > c.numbers[0]) {
		c.err = fmt.Errorf("%v", c.numbers)
	}
	if c.err != nil {
		return relationship.Check{}, sdk.Errorf(sdk.KindInternal, sdk.SourceConnector, "a query for three counts gave something else: %w", c.err).
			WithHint("report this to the connector's author")
	}
	return relationship.Check{Checked: c.numbers[0], Missing: c.numbers[0] - c.numbers[1], Duplicates: c.numbers[2]}, nil
}

// Columns implements sdk.ResultSink.
func (c *counts) Columns(columns []sdk.Column) error {
	c.columns = columns
	return nil
}

// Batch implements sdk.ResultSink. Engines count in integers, and sum in
// decimals or doubles; a sum of nothing is NULL.
func (c *counts) Batch(b *sdk.Batch) error {
	for i := range b.Columns {
		if b.Rows == 0 {
			return nil
		}
		if b.Columns[i].IsNull(0) {
			c.numbers = append(c.numbers, 0)
			continue
		}
		n, err := strconv.ParseInt(string(b.Columns[i].AppendText(nil, c.columns[i].Type, 0)), 10, 64)
		c.numbers, c.err = append(c.numbers, n), errors.Join(c.err, err)
	}
	return nil
}

// Started implements sdk.ResultSink.
func (*counts) Started(string) error { return nil }

// Progress implements sdk.ResultSink.
func (*counts) Progress(sdk.Progress) {}

// Notice implements sdk.ResultSink.
func (*counts) Notice(sdk.Warning) {}
