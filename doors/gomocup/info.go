package gomocup

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"strconv"
	"strings"
	"time"

	"tengen/doors/manager"
)

// settings are the manager's INFO values, except times.
type settings struct {
	memory  int64 // bytes of the process; 0: no limit
	rule    int   // a key of rules if supported
	threads int   // 0: Options.Threads
	depth   int   // plies of alpha-beta; 0: no limit
	nodes   int   // simulations; 0: no limit
	detail  int   // detailRealtime and detailFigures
	ponder  bool  // think on the opponent's time
}

// Bits of settings.detail.
const (
	detailRealtime = 1 // shows the search on the board
	detailFigures  = 2 // prints its figures
)

// rules maps a rule, the sum of 1 for exactly five and 8 for Caro, to its part of a game's name.
var rules = map[int]string{0: "", 1: ",exact", 8: ",caro", 9: ",exact,caro"}

func (s settings) problem() error {
	_, played := rules[s.rule]
	switch {
	case !played:
		return fmt.Errorf("rule %d is not supported, only 0 (five or more in a row win), 1 (exactly five), 8 (Caro) and 9 (Caro, exactly five)", s.rule)
	case s.memory > 0 && s.memory < manager.MinMemory:
		return fmt.Errorf("max_memory is %d, but must be at least %d bytes", s.memory, manager.MinMemory)
	}
	return nil
}

const unlimitedTime = math.MaxInt32 // as time_left

// inform obeys INFO key value. It ignores unknown keys and malformed numbers.
func (s *session) inform(text string) {
	key, value, _ := strings.Cut(text, " ")
	n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) { // after ErrRange, n is the nearest int64
		return
	}
	switch strings.ToLower(key) {
	case "timeout_turn":
		s.clock.Turn = milliseconds(max(0, n))
	case "timeout_match":
		s.clock.Match = milliseconds(max(0, n))
		s.clock.Start()
	case "time_left":
		s.clock.Left, s.clock.Limited, s.clock.LeftSet = milliseconds(n), n < unlimitedTime, true
	case "time_increment":
		s.clock.Increment = milliseconds(max(0, n))
	case "max_memory":
		s.info.memory = max(0, n)
	case "rule":
		s.info.rule = int(n)
	case "thread_num":
		s.info.threads = int(min(max(1, n), int64(runtime.GOMAXPROCS(0)), manager.MaxThreads))
	case "max_depth":
		s.info.depth = count(n)
	case "max_node":
		s.info.nodes = count(n)
	case "show_detail":
		s.info.detail = int(n & 3)
	case "pondering":
		s.info.ponder = n == 1
	}
}

// milliseconds returns n ms, limited to 1000 hours.
func milliseconds(n int64) time.Duration {
	const limit = int64(1000 * time.Hour / time.Millisecond)
	return time.Duration(min(max(-limit, n), limit)) * time.Millisecond
}

// count returns n, or 0 for no limit if n is negative or above 31 bits.
func count(n int64) int {
	if n < 0 || n > math.MaxInt32 {
		return 0
	}
	return int(n)
}
