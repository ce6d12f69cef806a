package external_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"tengen/game"
	"tengen/game/mnk"
	"tengen/game/othello"
	"tengen/players/external"
)

// engineWord is the first argument with which this test program is an engine. A protocol and a fault follow, and perhaps
// a file: the engine has the fault only if it can remove the file, so but once.
const engineWord = "engine"

func TestMain(m *testing.M) {
	if len(os.Args) > 3 && os.Args[1] == engineWord {
		if os.Args[3] == "pass" {
			serve(small())
		} else {
			serve(five())
		}
		return
	}
	os.Setenv("GORACE", "atexit_sleep_ms=10 "+os.Getenv("GORACE")) // of the engines: 1 second is long
	goleak.VerifyTestMain(m)
}

// engine returns the SPEC of the engine with a fault.
func engine(protocol, options, fault string) string {
	return fmt.Sprintf("%s:%s'%s' %s %s %s", protocol, options, os.Args[0], engineWord, protocol, fault)
}

// once is engine for a fault in one game.
func once(t *testing.T, protocol, options, fault string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "once")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	return engine(protocol, options, fault) + " '" + file + "'"
}

// five is a game that all protocols know.
func five() game.Game[mnk.State] { return must(mnk.New(game.Size{Rows: 5, Columns: 5}, 5)) }

// small is a short game with many passes.
func small() game.Game[othello.State] { return must(othello.New(4)) }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// scripted plays the first legal move, and its fault in place of its third.
type scripted[S game.State[S]] struct {
	game    game.Game[S]
	state   S
	fault   string
	asked   int
	program *external.Program // writes moves
}

func serve[S game.State[S]](g game.Game[S]) {
	command := must(external.ParseCommand(os.Args[2], "1s:x"))
	e := &scripted[S]{game: g, state: g.Start(), fault: os.Args[3], program: command.New(external.Board{Game: g.Name(), Size: g.Board()}, nil)}
	switch e.fault {
	case "late":
		time.Sleep(time.Second / 10)
	case "banner":
		fmt.Print("Welcome!\n\n  <o> \n")
	case "chatter":
		os.Stderr.Write(bytes.Repeat([]byte("thinking about it\n"), 200_000))
	case "idle":
		time.Sleep(time.Minute)
	case "end":
		os.Exit(4)
	}
	fixed := map[string]string{
		"list_commands": "= name\nversion\nboardsize\nclear_board\nplay\ngenmove\n", "name": "= scripted\n", "version": "= 1\n",
		"boardsize": "=\n", "clear_board": "=\n", "isready": "readyok", "start": "OK", "restart": "OK",
		"uci":   "option name UCI_Variant type combo default chess var chess var mnk\nid name scripted 1\nuciok",
		"about": `name="scripted", version="1", author="a test"`,
	}
	switch e.fault {
	case "board":
		fixed["boardsize"] = "? unacceptable size\n"
	case "variant":
		fixed["uci"] = "uciok"
	}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		words := append(strings.Fields(lines.Text()), "")
		command := strings.ToLower(words[0])
		switch command {
		case "clear_board", "position", "start", "restart", "board":
			e.state = g.Start()
		}
		text := fixed[command]
		switch command {
		case "play":
			if text = "=\n"; e.asked == 2 && e.fault == "refuse" && e.strikes() || !e.play(words[2]) {
				text = "? illegal move\n"
			}
		case "genmove":
			text = "= " + e.move() + "\n"
		case "position":
			for _, text := range words[min(len(words), 3):] {
				e.play(text)
			}
		case "go":
			move := e.move()
			e.say("info multipv 1 score cp 30 wdl 700 200 100 nodes 7 pv " + move + " " + move)
			text = "info multipv 2 score mate -3 nodes 8 pv e5\nbestmove " + move
		case "begin", "done":
			text = e.move()
		case "turn":
			e.play(words[1])
			text = e.move()
		case "quit", "end":
			return
		default: // a stone of BOARD
			e.play(command[:min(len(command), len("x,y"))])
		}
		if text != "" {
			e.say(text)
		}
	}
}

func (e *scripted[S]) say(line string) {
	if e.fault == "crlf" {
		line = strings.ReplaceAll(line, "\n", "\r\n") + "\r"
	}
	fmt.Println(line)
}

func (e *scripted[S]) name(a game.Action) string {
	return e.program.Write(any(e.state).(game.Diagram).Target(a), e.state.Format(a))
}

// play reports whether the move is legal. An engine with the fault "pass" knows no passes, and leaves them out.
func (e *scripted[S]) play(text string) bool {
	legal := e.state.Legal(nil)
	i := slices.IndexFunc(legal, func(a game.Action) bool { return strings.EqualFold(e.name(a), text) })
	if i < 0 || e.fault == "pass" && text == "pass" {
		return false
	}
	e.state = e.state.Play(legal[i])
	if legal = e.state.Legal(nil); e.fault == "pass" && len(legal) == 1 && e.name(legal[0]) == "pass" {
		e.state = e.state.Play(legal[0])
	}
	return true
}

func (e *scripted[S]) strikes() bool { return len(os.Args) < 5 || os.Remove(os.Args[4]) == nil }

func (e *scripted[S]) move() string {
	text := e.name(e.state.Legal(nil)[0])
	if e.fault == "lower" {
		text = strings.ToLower(text)
	}
	fault := ""
	if e.asked++; e.asked == 3 && e.strikes() {
		fault = e.fault
	}
	switch fault {
	case "illegal", "(none)", "resign", "ERROR", "UNKNOWN", "empty":
		return strings.TrimPrefix(fault, "empty")
	case "message":
		e.say("MESSAGE I am thinking\nDEBUG hard")
	case "crash":
		fmt.Fprint(os.Stderr, strings.Repeat("it was like this: ", 1000), "out of\nideas\n")
		os.Exit(3)
	case "children":
		child := exec.Command(os.Args[0], engineWord, "gtp", "idle")
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		fmt.Fprint(os.Stderr, child.Start())
		os.Exit(3)
	case "slow":
		time.Sleep(1500 * time.Millisecond)
	case "flood":
		os.Stdout.Write(bytes.Repeat([]byte("x"), 10_000_000))
	case "mute":
		os.Stdout.Close()
		time.Sleep(time.Minute)
	case "hang":
		time.Sleep(time.Minute)
	}
	e.play(text)
	return text
}
