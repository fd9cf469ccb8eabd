package project

import "testing"

func TestWorkspace(t *testing.T) {
	t.Parallel()
	p, err := parse("/p", []byte("version: 1\nworkspace: {checkpoints: {days: 7, most: 50}, remediations: {days: 30}}\n"))
	if want := (Workspace{CheckpointDays: 7, MostCheckpoints: 50, RemediationDays: 30}); err != nil || p.Workspace != want {
		t.Errorf("%+v, %v", p, err)
	}
	for _, text := range []string{"checkpoints: {days: 0}", "checkpoints: {most: 1000001}", "remediations: {days: 3651}", "remediations: {most: 3}"} {
		if _, err := parse("/p", []byte("version: 1\nworkspace: {"+text+"}\n")); err == nil {
			t.Errorf("%s is accepted", text)
		}
	}
}
