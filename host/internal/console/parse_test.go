package console

import "testing"

func TestLayoutParses(t *testing.T) {
	t.Parallel()
	if _, err := New(Config{}).routes(); err != nil {
		t.Error(err)
	}
}
