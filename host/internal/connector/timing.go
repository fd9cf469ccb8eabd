package connector

import "time"

// startTimeout bounds a start until Describe has answered.
const startTimeout = 15 * time.Second

// timing has every interval of supervision. Tests use shorter ones.
type timing struct {
	start, firstStart time.Duration // see startTimeout, firstStartTimeout
	// ping is the interval of pings, also while calls run. A process hangs when it misses
	// pingMisses in a row.
	ping, pingTimeout time.Duration
	pingMisses        int
	look              time.Duration // between checks of a process's memory
	weigh             time.Duration // between checks of an idle process's memory, see renew
	idle              time.Duration // until an unused process is stopped
	drain             time.Duration // for running calls when it is stopped
	stop              time.Duration // for the process to end by itself
	// exit bounds the wait, after the error of a broken connection, for the report that the
	// process has ended, which was measured to arrive up to 6 ms later.
	exit time.Duration
	// A process that crashed may start again after backoff, which doubles with each crash within
	// window, up to maxBackoff. After several crashes it is disabled.
	backoff, maxBackoff, window time.Duration
	maxCrashes                  int
	// A disabled process may start again after pause, which doubles with each further crash.
	pause, maxPause time.Duration
	remember        time.Duration // how long a charge of a call is kept
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

// backoffAfter returns the wait after a number of crashes within the window.
func (t timing) backoffAfter(crashes int) time.Duration {
	return doubled(t.backoff, crashes-1, t.maxBackoff)
}

// pauseAfter returns how long a connector is disabled, or a call is refused, for the nth time.
func (t timing) pauseAfter(n int) time.Duration { return doubled(t.pause, n-1, t.maxPause) }

func doubled(wait time.Duration, times int, longest time.Duration) time.Duration {
	for range times {
		wait = min(2*wait, longest)
	}
	return wait
}
