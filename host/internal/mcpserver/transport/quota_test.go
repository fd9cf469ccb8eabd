package transport

import (
	"fmt"
	"testing"
)

// taking takes for somebody as often as possible.
func taking(q *Quota, who string) int {
	for n := 0; ; n++ {
		if _, taken := q.Take(who); !taken {
			return n
		}
	}
}

func TestQuotaLeavesSomeToOthers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		all  int
		want []int // by one after the other
	}{
		{512, []int{256, 128, 64, 32, 16, 8, 4, 2, 1, 1, 0}},
		{4, []int{2, 1, 1, 0}},
		{3, []int{2, 1, 0}},
		{2, []int{1, 1, 0}},
		{1, []int{1, 0}},
	} {
		t.Run(fmt.Sprint(tt.all), func(t *testing.T) {
			t.Parallel()
			q := NewQuota(tt.all)
			for i, want := range tt.want {
				if got := taking(q, fmt.Sprint(i)); got != want {
					t.Errorf("number %d took %d of %d, want %d", i, got, tt.all, want)
				}
			}
			if has, taken := q.Take("0"); taken || has != tt.all {
				t.Errorf("of a quota with nothing left: %d, %v", has, taken)
			}
			q.Give("0")
			if has, taken := q.Take("late"); !taken || has != 1 {
				t.Errorf("what was given back: %d, %v", has, taken)
			}
		})
	}
}

func TestQuotaOfOneAlone(t *testing.T) {
	t.Parallel()
	q := NewQuota(8)
	if got := taking(q, ""); got != 8 {
		t.Errorf("took %d of 8", got)
	}
	for range 8 {
		q.Give("")
	}
	if len(q.by) != 0 || q.used != 0 {
		t.Errorf("left behind: %v, %d", q.by, q.used)
	}
	taking(q, "a")
	if has, taken := q.Take("a"); taken || has != 4 {
		t.Errorf("a fifth one: has %d, %v", has, taken)
	}
}

func (q *Quota) inUse() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.used
}
