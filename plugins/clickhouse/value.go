package clickhouse

import (
	"github.com/loam-data/loam/sdk/sqlkit"
)

// each yields the rows of a block as Go values: nil, int64, and text for all
// else. A row is valid until the function returns.
func (b *block) each(row func(sqlkit.Row) error) error {
	values := make(sqlkit.Row, len(b.columns))
	for i := range b.rows {
		for j, c := range b.columns {
			values[j] = valueOf(c, i)
		}
		if err := row(values); err != nil {
			return err
		}
	}
	return nil
}

func valueOf(c column, row int) any {
	if c.null(row) {
		return nil
	}
	switch c := c.(type) {
	case *texts:
		return string(c.at(row))
	case *optional:
		return valueOf(c.inner, row)
	case *lowCardinality:
		return valueOf(c.values, c.number(row))
	case *fixed:
		if c.scalar.word != nil {
			return c.scalar.word(c.at(row))
		}
		if c.scalar.text != nil {
			return string(c.scalar.text(nil, c.at(row)))
		}
	}
	return string(c.json(nil, row))
}
