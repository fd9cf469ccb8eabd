package connector

import "time"

// startTimeout bounds a start until Describe has answered.
const startTimeout = 15 * time.Second

// timing holds every interval of supervision, shorter in tests.
type timing struct {
	start, firstStart time.Duration // see startTimeout, firstStartTimeout
	// A process is pinged, also while calls run; so many misses in a row mean that
	// it hangs.
	ping, pingTimeout time.Duration
	pingMisses        int
	look              time.Duration // between looks at a process's memory
	weigh             time.Duration // between looks at what a process keeps between calls
	idle              time.Duration // until an unused process is stopped
	drain             time.Duration // grace for calls that run when it is stopped
	stop              time.Duration // grace for the process to end by itself
	// exit is how long the error of a broken connection waits for the news that
	// the process has ended: the error comes first, by up to 6 ms as measured.
	exit time.Duration
	// A process that crashed is started again after backoff, doubled with each
	// crash within the window, and after so many of them disabled.
	backoff, maxBackoff, window time.Duration
	maxCrashes                  int
	// It is started again after a pause, doubled with each further crash.
	pause, maxPause time.Duration
	remember        time.Duration // for how long a call is charged with the end of a process
}

func standardTiming() timing {
	return timing{
		start: startTimeout, firstStart: firstStartTimeout,
		ping: 15 * time.Second, pingTimeout: 2 * time.Second, pingMisses: 3,
		look: 2 * time.Second, weigh: 50 * time.Millisecond, idle: 10 * time.Minute, drain: 5 * time.Second, stop: 3 * time.Second,
		exit:    2 * time.Second,
		backoff: 250 * time.Millisecond, maxBackoff: 30 * time.Second, window: 5 * time.Minute, maxCrashes: 5,
		pause: time.Minute, maxPause: 30 * time.Minute, remember: 30 * time.Minute,
	}
}

// backoffAfter returns how long to wait after so many crashes within the window.
func (t timing) backoffAfter(crashes int) time.Duration {
	return doubled(t.backoff, crashes-1, t.maxBackoff)
}

// pauseAfter returns how long a connector is disabled, or a call refused, the nth
// time.
func (t timing) pauseAfter(n int) time.Duration { return doubled(t.pause, n-1, t.maxPause) }

func doubled(wait time.Duration, times int, longest time.Duration) time.Duration {
	for range times {
		wait = min(2*wait, longest)
	}
	return wait
}
