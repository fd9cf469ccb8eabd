package postgres

// question is one of several that are sent together.
type question struct {
	sql    string
	params [][]byte
	each   func(row [][]byte) error
}

// together is query for several, in one round trip.
func (r *reading) together(questions ...question) error {
	if len(questions) == 0 {
		return nil
	}
	if err := r.ask(questions); err != nil {
		return err
	}
	return r.hear(questions)
}

// ask sends questions, whose answers hear reads.
func (r *reading) ask(questions []question) error {
	r.queue(questions)
	return r.p.Sync()
}

func (r *reading) hear(questions []question) error {
	if err := r.answers(questions); err != nil {
		return err
	}
	return r.synced()
}

func (r *reading) queue(questions []question) {
	r.unnamed = false
	if r.apart {
		r.queueApart(questions)
		return
	}
	for _, q := range questions {
		r.p.SendQueryParams(q.sql, q.params, nil, nil, nil)
	}
}

// answers reads the answers to questions that were queued.
func (r *reading) answers(questions []question) error {
	for _, q := range questions {
		if err := r.answer(q.each); err != nil {
			return err
		}
	}
	return nil
}

// answer reads the rows that answer the next request.
func (r *reading) answer(each func(row [][]byte) error) error {
	rows, err := r.result()
	if err != nil {
		return err
	}
	for rows.NextRow() {
		if err := each(rows.Values()); err != nil {
			r.stop()
			return err
		}
	}
	_, err = rows.Close()
	return err
}
