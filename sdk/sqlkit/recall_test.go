package sqlkit_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/loam-data/loam/sdk/sqlkit"
)

func TestRecall(t *testing.T) {
	t.Parallel()
	var r sqlkit.Recall[int]
	if v, ok := r.Get("SELECT 1"); ok || v != 0 {
		t.Errorf("nothing was put: %d, %t", v, ok)
	}
	long := "SELECT '" + strings.Repeat("x", 1<<20) + "'"
	r.Put("SELECT 1", 1)
	r.Put(long, 2)
	r.Put(long, 3)
	if v, ok := r.Get(long); !ok || v != 3 {
		t.Errorf("got %d, %t", v, ok)
	}
	r.Forget("SELECT 1")
	r.Forget("SELECT 2")
	if _, ok := r.Get("SELECT 1"); ok {
		t.Error("it is not forgotten")
	}
	known := 0
	for i := range 1000 {
		r.Put(fmt.Sprint(i), i)
	}
	for i := range 1000 {
		if _, ok := r.Get(fmt.Sprint(i)); ok {
			known++
		}
	}
	if v, ok := r.Get("999"); !ok || v != 999 || known > 256 {
		t.Errorf("the last is %d, %t; %d are remembered", v, ok, known)
	}
}
