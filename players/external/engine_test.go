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
func engine(t *testing.T, protocol, options, fault string) string {
	return fmt.Sprintf("%s:%s'%s' %s %s %s", protocol, options, os.Args[0], engineWord, protocol, fault)
}

// once is engine for a fault in one game.
func once(t *testing.T, protocol, options, fault string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "once")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	return engine(t, protocol, options, fault) + " '" + file + "'"
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
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		words := append(strings.Fields(lines.Text()), "")
		switch strings.ToLower(words[0]) {
		case "list_commands":
			e.answer("name\nversion\nboardsize\nclear_board\nplay\ngenmove")
		case "name":
			e.answer("scripted")
		case "version":
			e.answer("1")
		case "boardsize":
			if e.fault == "board" {
				e.say("? unacceptable size\n")
			} else {
				e.answer("")
			}
		case "clear_board":
			e.state = g.Start()
			e.answer("")
		case "play":
			if e.asked == 2 && e.fault == "refuse" && e.strikes() || !e.play(words[2]) {
				e.say("? illegal move\n")
			} else {
				e.answer("")
			}
		case "genmove":
			e.answer(e.move())
		case "uci":
			if e.fault != "variant" {
				e.say("option name UCI_Variant type combo default chess var chess var mnk")
			}
			e.say("id name scripted 1\nuciok")
		case "isready":
			e.say("readyok")
		case "position":
			e.state = g.Start()
			for _, text := range words[min(len(words), 3):] {
				e.play(text)
			}
		case "go":
			text := e.move()
			e.say("info multipv 1 score cp 30 wdl 700 200 100 nodes 7 pv " + text + " " + text)
			e.say("info multipv 2 score mate -3 nodes 8 pv e5\nbestmove " + text)
		case "about":
			e.say(`name="scripted", version="1", author="a test"`)
		case "start", "restart":
			e.state = g.Start()
			e.say("OK")
		case "begin":
			e.say(e.move())
		case "turn":
			e.play(words[1])
			e.say(e.move())
		case "board":
			for e.state = g.Start(); lines.Scan() && lines.Text() != "DONE"; {
				e.play(lines.Text()[:len("x,y")])
			}
			e.say(e.move())
		case "quit", "end":
			return
		}
	}
}

func (e *scripted[S]) say(line string) {
	if e.fault == "crlf" {
		line = strings.ReplaceAll(line, "\n", "\r\n") + "\r"
	}
	fmt.Println(line)
}

func (e *scripted[S]) answer(text string) { e.say("= " + text + "\n") }

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
	if e.asked++; e.asked == 3 {
		switch e.fault {
		case "illegal", "(none)", "resign", "ERROR", "UNKNOWN", "empty":
			if e.strikes() {
				return strings.TrimPrefix(e.fault, "empty")
			}
		case "message":
			e.say("MESSAGE I am thinking\nDEBUG hard")
		case "crash", "children", "hang", "slow", "flood", "mute":
			if e.strikes() {
				e.fail()
			}
		}
	}
	e.play(text)
	return text
}

func (e *scripted[S]) fail() {
	switch e.fault {
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
}
