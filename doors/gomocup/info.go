package gomocup

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// settings are the manager's INFO values other than times.
type settings struct {
	memory  int64 // bytes of the whole process; 0: no limit
	rule    int   // a key of rules, or an unsupported rule
	threads int   // 0: Options.Threads
	depth   int   // plies of alpha-beta; 0: no limit
	nodes   int   // simulations of a network or pure search; 0: no limit
	detail  int   // show_detail: bit 1 shows the search on the board, bit 2 tells its figures
	ponder  bool  // think on the opponent's time
}

// Bits of settings.detail.
const (
	detailRealtime = 1
	detailFigures  = 2
)

// leastMemory is what the program, a network and a small tree need.
const leastMemory = 100 << 20

// rules has what a supported rule adds to a board's name, by its number in the protocol: the sum of 1, exactly five,
// and 8, Caro.
var rules = map[int]string{0: "", 1: ",exact", 8: ",caro", 9: ",exact,caro"}

// problem returns an error if a setting cannot be met.
func (s settings) problem() error {
	_, played := rules[s.rule]
	switch {
	case !played:
		return fmt.Errorf("rule %d is not supported, only 0 (five or more in a row win), 1 (exactly five), 8 (Caro) and 9 (Caro, exactly five)", s.rule)
	case s.memory > 0 && s.memory < leastMemory:
		return fmt.Errorf("max_memory of %d bytes is too little, at least %d are needed", s.memory, leastMemory)
	}
	return nil
}

// unlimitedTime is the time_left of a match without a limit.
const unlimitedTime = math.MaxInt32

// inform takes INFO key value. It ignores unknown keys and values that are no numbers.
func (s *session) inform(text string) {
	key, value, _ := strings.Cut(text, " ")
	n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) { // a number out of range is the largest or the least
		return
	}
	switch strings.ToLower(key) {
	case "timeout_turn":
		s.clock.turn = milliseconds(max(0, n))
	case "timeout_match":
		s.clock.match = milliseconds(max(0, n))
		s.clock.start()
	case "time_left":
		s.clock.left, s.clock.limited, s.clock.told = milliseconds(n), n < unlimitedTime, true
	case "time_increment":
		s.clock.increment = milliseconds(max(0, n))
	case "max_memory":
		s.info.memory = max(0, n)
	case "rule":
		s.info.rule = int(n)
	case "thread_num":
		s.info.threads = int(min(max(1, n), int64(runtime.GOMAXPROCS(0)), maxThreads))
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

// milliseconds returns n ms, at most 1000 hours either way.
func milliseconds(n int64) time.Duration {
	const most = int64(1000 * time.Hour / time.Millisecond)
	return time.Duration(min(max(-most, n), most)) * time.Millisecond
}

// count returns a limit, 0 if n is none: negative or above 31 bits.
func count(n int64) int {
	if n < 0 || n > math.MaxInt32 {
		return 0
	}
	return int(n)
}
